/** The arguments of AWS's networks, machines and private paths, each with a typical change on a deployed stack. */
import type {
  AwsArgs,
  BenchPairArgs,
  BenchServerArgs,
  LinuxHostArgs,
  NatInstancePerZoneArgs,
  NetworkArgs,
  PrivatePathArgs,
  VpcPeeringArgs,
} from "../../../components/aws/index.ts";
import { imageId } from "../aws-standin/fake-functions.ts";
import { type ChangedComponent, type Changes, none } from "./change.ts";

const tags = { tags: { to: { tags: { team: "network" } } } };
const ssh = { key: "@operator", allowedCidrs: ["203.0.113.7/32"] };
const small = { instanceType: "t4g.micro" };
const placed = { vpcId: "@vpc", subnetId: "@public", internetReady: "@internet" };

const machine = {
  instanceType: { to: { instanceType: "t4g.small" } },
  image: { to: { image: imageId("ubuntu", "arm64", 2) } },
  adminUser: { to: { adminUser: "admin" } },
  placementGroup: { to: { placementGroup: "@placement" } },
};
const logins = {
  "ssh.allowedCidrs": { to: { ssh: { ...ssh, allowedCidrs: ["198.51.100.0/24"] } } },
  ssh: { to: { ssh: { ...ssh, key: "@another-operator" } } },
};
const place = {
  vpcId: { to: { vpcId: "@far-vpc", subnetId: "@far-public", internetReady: "@far-internet" } },
  subnetId: { to: { subnetId: "@other" } },
  publicRouteTableId: { to: { publicRouteTableId: "@public-routes" } },
  internetReady: "an order",
};
const server = { ...placed, ...small };
const near = { vpcId: "@vpc", cidr: "10.0.0.0/16", routeTableId: "@near-routes" };
const peer = { vpcId: "@far-vpc", cidr: "10.1.0.0/16", routeTableId: "@peer-routes" };
const zones = {
  "us-east-1a": { subnetId: "@public", privateCidrs: ["10.0.3.0/24"], privateRouteTableIds: ["@routes"] },
};
const zone = (more: object) => ({ zones: { "us-east-1a": { ...zones["us-east-1a"], ...more } } });

const network = { cidr: "10.9.0.0/16", zone: "us-east-1a", blocks: ["10.9.0.0/24", "10.9.1.0/24"] };
const networkChanges = {
  ...tags,
  cidr: { to: { cidr: "10.8.0.0/16", blocks: ["10.8.0.0/24", "10.8.1.0/24"] } },
  zone: { to: { zone: "us-east-1b" } },
  "subnets' blocks": { to: { blocks: ["10.9.2.0/24", "10.9.3.0/24"] } },
} satisfies Changes<NetworkArgs>;
/** Changes that replace the machines' subnet; tests/engine/aws/network-change.test.ts makes them. */
const asOneMachine = (option: string) =>
  Object.fromEntries(
    ["cidr", "zone", "subnets' blocks"].map((argument) => [
      argument,
      {
        refused: `remove \`${option}\`, \`pulumi up\`, the change, \`pulumi up\`, then set it again, \`pulumi up\``,
      },
    ]),
  );

export const awsPaths: readonly ChangedComponent[] = [
  {
    title: "`NatInstancePerZone`",
    component: "NatInstancePerZone",
    base: { vpcId: "@vpc", internetReady: "@internet", zones, ssh },
    changes: {
      vpcId: "everything there is another",
      internetReady: "an order",
      zones: {
        to: {
          zones: {
            ...zones,
            "us-east-1b": {
              subnetId: "@zone-b",
              privateCidrs: ["10.0.4.0/24"],
              privateRouteTableIds: ["@more-routes"],
            },
          },
        },
      },
      "a zone's privateCidrs": { to: zone({ privateCidrs: ["10.0.3.0/24", "10.0.5.0/24"] }) },
      "a zone's subnetId": { to: zone({ subnetId: "@other" }) },
      "a zone's publicIps": { to: zone({ publicIps: ["@eip"] }) },
      instanceType: machine.instanceType,
      image: machine.image,
      ...tags,
      ...logins,
      ...none(
        "as of `NatInstance`, for each zone's machine",
        ...([
          "adminUser",
          "placementGroup",
          "keyName",
          "sessionManager",
          "iamInstanceProfile",
          "autoHeal",
        ] as const),
        ...([
          "securityGroupIds",
          "extraScript",
          "creditMode",
          "spot",
          "maximumLifetimeDays",
          "volume",
        ] as const),
        ...(["publicIpCount", "highAvailability", "cloudWatch", "natGatewayFallback", "roles"] as const),
        ...(["securityGroup", "nat"] as const),
      ),
    } satisfies Changes<NatInstancePerZoneArgs>,
  },
  { title: "`Network`", component: "Network", base: network, changes: networkChanges },
  {
    title: "`Network`, with a NAT instance in it",
    component: "Network",
    base: { ...network, nat: {} },
    changes: networkChanges,
  },
  {
    title: "`Network`, with a NAT instance that heals itself in it",
    component: "Network",
    base: { ...network, nat: { autoHeal: true } },
    changes: { ...tags, ...asOneMachine("autoHeal") },
  },
  {
    title: "`Network`, with a pair in it",
    component: "Network",
    base: { ...network, nat: { highAvailability: {} } },
    changes: { ...tags, ...asOneMachine("highAvailability") },
  },
  { title: "`DirectEgress`", component: "DirectEgress", base: {}, changes: tags satisfies Changes<AwsArgs> },
  {
    title: "`IntraVpc`",
    component: "IntraVpc",
    base: { clientAddress: "10.0.1.4" },
    changes: {
      ...tags,
      clientAddress: "what the server must see; nothing of the path",
    } satisfies Changes<PrivatePathArgs>,
  },
  {
    title: "`VpcPeering`",
    component: "VpcPeering",
    base: { clientAddress: "10.0.1.4", client: near, server: peer },
    changes: {
      ...tags,
      clientAddress: "what the server must see; nothing of the path",
      client: "as of the server",
      server: { to: { server: { ...peer, routeTableId: "@more-peer-routes" } } },
    } satisfies Changes<VpcPeeringArgs>,
  },
  {
    title: "`LinuxHost`",
    component: "LinuxHost",
    base: {
      ...placed,
      ...small,
      role: "client",
      rules: [],
      packages: ["iperf3"],
      sshKey: "@operator",
      publicIps: ["@eip"],
    },
    changes: {
      ...tags,
      ...machine,
      vpcId: place.vpcId,
      subnetId: place.subnetId,
      rules: {
        to: {
          rules: [
            { description: "web", protocol: "tcp", fromPort: 80, toPort: 80, cidrBlocks: ["10.0.0.0/16"] },
          ],
        },
      },
      publicIps: { to: { publicIps: ["@eip-2"] } },
      ephemeralPublicIp: {
        from: { publicIps: null, ephemeralPublicIp: true },
        to: { ephemeralPublicIp: false },
      },
      privateAddress: {
        from: { publicIps: null, ephemeralPublicIp: true },
        to: { publicIps: null, ephemeralPublicIp: true, privateAddress: "10.0.0.77" },
      },
      forwarding: { to: { forwarding: true } },
      packages: { to: { packages: ["iperf3", "nuttcp"] } },
      extraScript: { to: { extraScript: "#!/bin/sh\ntrue\n" } },
      sshKey: { to: { sshKey: "@another-operator" } },
      waitBy: { to: { waitBy: "nothing" } },
      options: { to: { options: { volume: { sizeGib: 20 } } } },
      securityGroupIds: { to: { securityGroupIds: ["@group"] } },
      ...none("a name in results", "role", "dataAddress"),
      ...none(
        "of a pair's machines, or of one that heals itself",
        "autoHeal",
        "unit",
        "addressesMove",
        "addressLast",
      ),
      ...none(
        "how user data is made, kept and sent",
        "lifelong",
        "compressed",
        "script",
        "boot",
        "setUpAfterBoot",
      ),
      ...none("an order, or a wait", "interfaceAfter", "internetReady", "bootAfter", "further"),
      ...none("how it is logged in to, and the image found", "jump", "findImage"),
    } satisfies Changes<LinuxHostArgs>,
  },
  {
    title: "`BenchServer`",
    component: "BenchServer",
    base: { ...server, ssh, paths: [{ egress: "@direct" }] },
    changes: {
      ...tags,
      ...machine,
      ...logins,
      ...place,
      paths: { to: { paths: [{ egress: "@direct" }, { egress: "@other-direct" }] } },
    } satisfies Changes<BenchServerArgs>,
  },
  {
    title: "`BenchPair`",
    component: "BenchPair",
    base: {
      vpcId: "@vpc",
      clientSubnetId: "@public",
      internetReady: "@internet",
      client: small,
      egress: "@direct",
      ssh,
      server,
    },
    changes: {
      ...tags,
      ...logins,
      egress: { to: { egress: "@other-direct" } },
      vpcId: "everything there is another",
      clientSubnetId: { to: { clientSubnetId: "@other" } },
      clientAddress: { to: { clientAddress: "10.0.0.99" } },
      client: { to: { client: { instanceType: "t4g.small" } } },
      "client, on spot": {
        from: { client: { ...small, onSpot: true } },
        to: { client: { instanceType: "t4g.small", onSpot: true } },
      },
      ...none("of private clients", "jump", "observeJump"),
      server: { to: { server: { ...server, instanceType: "t4g.small" } } },
      ...none("more machines", "extraClients", "moreServers"),
      internetReady: "an order",
    } satisfies Changes<BenchPairArgs>,
  },
];
