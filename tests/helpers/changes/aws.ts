/** The arguments of AWS's components, each with a typical change on a deployed stack. */
import type { FckNatArgs, NatInstanceArgs } from "../../../components/aws/nat-args.ts";
import type { NatGatewayEgressArgs } from "../../../components/aws/nat-gateway-args.ts";
import type { NatOptions } from "../../../components/nat-instance/args.ts";
import { imageId } from "../aws-standin/fake-functions.ts";
import { type ChangedComponent, type Changes, none, reversed } from "./change.ts";

const place = {
  vpcId: "@vpc",
  subnetId: "@public",
  internetReady: "@internet",
  privateRouteTableIds: ["@routes"],
  privateCidrs: ["10.0.3.0/24"],
};
const ssh = { key: "@operator", allowedCidrs: ["203.0.113.7/32"] };
const far = { vpcId: "@far-vpc", subnetId: "@far-public", privateRouteTableIds: ["@far-routes"] };

const inbound = [
  { protocol: "tcp", port: 9100, cidrs: ["10.0.9.0/24", "10.0.8.0/24"] },
  { protocol: "udp", port: 9101, cidrs: ["10.0.9.0/24"] },
];
/** Lists that are sets, beside security groups, which are one for the provider too. */
const sets = {
  privateRouteTableIds: ["@routes", "@more-routes"],
  privateCidrs: ["10.0.3.0/24", "10.0.4.0/24"],
  ssh: { ...ssh, allowedCidrs: ["203.0.113.7/32", "198.51.100.0/24"] },
  nat: { inbound },
};
/** @param lists Lists whose order means nothing. */
function inAnotherOrder(lists: object) {
  return { "lists in another order": { from: lists, to: reversed(lists) } };
}
const regional = (more: object) => ({
  ...{ availabilityMode: "regional", subnetId: null, vpcId: "@vpc" },
  ...more,
});
const keptTwo = { publicIpCount: null, publicIps: ["@eip", "@eip-2"] };

/** @param host Of the component's `privateCidrs`. */
function forwardedTo(host: string) {
  return { to: { nat: { forward: [{ port: 443, to: host, from: ["198.51.100.0/24"] }] } } };
}

/** Options of the set-up text, for any component with one. */
export const natOptions: Changes<NatOptions, "nat."> = {
  "nat.dataPlane": { to: { nat: { dataPlane: "nftables" } } },
  "nat.strict": { to: { nat: { strict: true } } },
  "nat.outInterface": { to: { nat: { outInterface: "ens5" } } },
  "nat.portRange": { to: { nat: { portRange: { first: 2000, last: 60_000 } } } },
  "nat.portAllocation": { to: { nat: { portAllocation: "preserve" } } },
  "nat.idleTimeouts": { to: { nat: { idleTimeouts: { tcp: 3600 } } } },
  "nat.metricsDirectory": { to: { nat: { metricsDirectory: "/var/lib/prometheus/node-exporter" } } },
  "nat.upgradeWindow": { to: { nat: { upgradeWindow: { at: "03:00" } } } },
  "nat.packageMirror": { to: { nat: { packageMirror: "http://mirror.example.com/ubuntu" } } },
  "nat.packageProxy": { to: { nat: { packageProxy: "http://10.0.0.9:3128" } } },
  "nat.privateIpv6Cidrs": { to: { nat: { privateIpv6Cidrs: ["2001:db8:1::/64"] } } },
  "nat.nat64": {
    from: { nat: { privateIpv6Cidrs: ["2001:db8:1::/64"] } },
    to: { nat: { privateIpv6Cidrs: ["2001:db8:1::/64"], nat64: true } },
  },
  "nat.forward": forwardedTo("10.0.1.5:8443"),
  "nat.inbound": { to: { nat: { inbound: [{ protocol: "tcp", port: 9100, cidrs: ["10.0.9.0/24"] }] } } },
};

/** A disk grows in place; another key makes another disk, and thus another machine. */
const anotherDiskKey = {
  "volume.kmsKeyId": { to: { volume: { kmsKeyId: "arn:aws:kms:us-east-1:123456789012:key/1" } } },
  "volume.sizeGib, less": { refused: "`pulumi up --replace` of the machine" },
};

/** Made by tests/engine/aws/pair-change.test.ts. */
const byOneMachine = {
  refused: "remove `highAvailability`, `pulumi up`, then set it again in the new place, `pulumi up`",
};

const machine: Changes<Omit<FckNatArgs, "imageName" | "observed">> = {
  vpcId: { to: far },
  subnetId: { to: { subnetId: "@other" } },
  publicRouteTableId: { to: { publicRouteTableId: "@public-routes" } },
  internetReady: { to: { internetReady: [] } },
  privateRouteTableIds: { to: { privateRouteTableIds: ["@routes", "@more-routes"] } },
  privateRouteTableCount: "the number of the tables beside",
  privateCidrs: { to: { privateCidrs: ["10.0.3.0/24", "10.0.4.0/24"] } },
  instanceType: { to: { instanceType: "t4g.small" } },
  image: { to: { image: imageId("ubuntu", "arm64", 2) } },
  adminUser: { to: { adminUser: "admin" } },
  placementGroup: { to: { placementGroup: "@placement" } },
  "ssh.allowedCidrs": { to: { ssh: { ...ssh, allowedCidrs: ["198.51.100.0/24"] } } },
  "ssh.key": { to: { ssh: { ...ssh, key: "@another-operator" } } },
  ssh: { to: { ssh: null } },
  keyName: { to: { keyName: "operators" } },
  iamInstanceProfile: { to: { iamInstanceProfile: "sessions" } },
  autoHeal: { to: { autoHeal: true } },
  publicIps: { to: { publicIps: ["@eip"] } },
  securityGroupIds: { to: { securityGroupIds: ["@group"] } },
  extraScript: { to: { extraScript: "#!/bin/sh\ntrue\n" } },
  creditMode: { to: { creditMode: "standard" } },
  spot: { from: { autoHeal: true }, to: { autoHeal: true, spot: { instanceTypes: ["t4g.small"] } } },
  maximumLifetimeDays: { from: { autoHeal: true }, to: { autoHeal: true, maximumLifetimeDays: 30 } },
  volume: { to: { volume: { sizeGib: 20 } } },

  tags: { to: { tags: { team: "network" } } },
};

/** Two changes at once: a new table does not show which machine is active. */
const addressAndTables = {
  "publicIps, with privateRouteTableIds": {
    to: { publicIps: ["@eip"], privateRouteTableIds: ["@more-routes", "@routes"] },
  },
};

const instance: Changes<NatInstanceArgs> = {
  ...machine,
  publicIpCount: { to: { publicIpCount: 2 } },
  highAvailability: { to: { highAvailability: {} } },
  cloudWatch: { to: { cloudWatch: true } },
  sessionManager: { to: { sessionManager: true } },
  natGatewayFallback: { to: { natGatewayFallback: true } },
  roles: { from: { cloudWatch: true }, to: { cloudWatch: true, roles: { path: "/network/" } } },
  securityGroup: { to: { securityGroup: "stateful" } },
  nat: "each option below",
  ...natOptions,
  "nat.forward": forwardedTo("10.0.3.5:8443"),
  ...inAnotherOrder(sets),
};

function pick(...names: readonly (keyof typeof machine)[]): ChangedComponent["changes"] {
  return Object.fromEntries(names.map((name) => [name, machine[name] as never]));
}

export const awsComponents: readonly ChangedComponent[] = [
  {
    title: "`NatInstance`, one machine",
    component: "NatInstance",
    base: { ...place, ssh },
    changes: { ...instance, ...anotherDiskKey },
  },
  {
    title: "`NatInstance`, several addresses",
    component: "NatInstance",
    base: { ...place, ssh, publicIpCount: 2, instanceType: "t4g.small" },
    changes: {
      ...pick("vpcId", "subnetId", "privateCidrs", "image", "ssh.key", "volume", "autoHeal"),
      publicIps: { to: keptTwo },
      "publicIps, reversed": { from: keptTwo, to: reversed(keptTwo) },
      instanceType: { to: { instanceType: "t3.micro" } },
      publicIpCount: { to: { publicIpCount: 3 } },
    },
  },
  {
    title: "`NatInstance`, one machine that heals itself",
    component: "NatInstance",
    base: { ...place, ssh, autoHeal: true },
    changes: {
      ...pick(
        "vpcId",
        "subnetId",
        "privateCidrs",
        "instanceType",
        "image",
        "ssh.key",
        "volume",
        "creditMode",
      ),
      ...pick("iamInstanceProfile", "publicIps", "tags"),
      spot: { to: { spot: {} } },
      "spot.onDemandFallback": { from: { spot: {} }, to: { spot: { onDemandFallback: {} } } },
      maximumLifetimeDays: { to: { maximumLifetimeDays: 30 } },
      natGatewayFallback: { to: { natGatewayFallback: true } },
    },
  },
  {
    title: "`NatInstance`, one machine and a NAT gateway to fall back to",
    component: "NatInstance",
    base: { ...place, ssh, natGatewayFallback: true },
    changes: {
      ...pick("vpcId", "subnetId", "privateCidrs", "instanceType", "image", "publicIps"),
      "natGatewayFallback.publicIp": { to: { natGatewayFallback: { publicIp: "@eip" } } },
    },
  },
  {
    title: "`NatInstance`, a pair in one subnet",
    component: "NatInstance",
    base: { ...place, ssh, highAvailability: {} },
    changes: {
      ...instance,
      ...none("a pair refuses it", "autoHeal", "spot", "maximumLifetimeDays", "publicIpCount"),
      ...none("a pair refuses it", "natGatewayFallback", "nat.portRange", "nat.forward", "nat.nat64"),
      ...none("a pair refuses it", "nat.privateIpv6Cidrs"),
      vpcId: byOneMachine,
      subnetId: byOneMachine,
      highAvailability: { to: { highAvailability: null } },
      "highAvailability.standbySubnetId": byOneMachine,
      "highAvailability.advertisementMs": { to: { highAvailability: { advertisementMs: 500 } } },
      "highAvailability.check": { to: { highAvailability: { check: { address: "192.0.2.1", port: 443 } } } },
      roles: { to: { roles: { path: "/network/" } } },
      ...anotherDiskKey,
      ...addressAndTables,
    },
  },
  {
    title: "`NatInstance`, a pair in two zones",
    component: "NatInstance",
    base: { ...place, ssh, highAvailability: { standbySubnetId: "@zone-b" } },
    changes: {
      instanceType: { to: { instanceType: "t4g.small" } },
      privateCidrs: machine.privateCidrs as never,
      subnetId: { to: { subnetId: "@other" } },
      privateRouteTableIds: machine.privateRouteTableIds as never,
      image: machine.image as never,
      publicIps: machine.publicIps as never,
      ...addressAndTables,
      "highAvailability.standbySubnetId": byOneMachine,
    },
  },
  {
    title: "`FckNat`",
    component: "FckNat",
    base: { ...place, ssh },
    changes: {
      ...machine,
      imageName: { to: { imageName: "fck-nat-al2023-hvm-1.4.0-20260701-arm64-ebs" } },
      observed: { to: { observed: false } },
    } satisfies Changes<FckNatArgs>,
  },
  {
    title: "`NatGatewayEgress`",
    component: "NatGatewayEgress",
    base: { subnetId: "@public", internetReady: "@internet", privateRouteTableIds: ["@routes"] },
    changes: {
      availabilityMode: { to: regional({ zone: "us-east-1a" }) },
      subnetId: { to: { subnetId: "@other" } },
      publicRouteTableId: machine.publicRouteTableId as never,
      internetReady: { to: { internetReady: [] } },
      vpcId: "with `availabilityMode`",
      privateRouteTableIds: machine.privateRouteTableIds as never,
      privateRouteTableCount: "the number of the tables beside",
      zone: { from: regional({ zone: "us-east-1a" }), to: regional({ zone: "us-east-1b" }) },
      "zone, with publicIps": { refused: "other addresses in the new zone, then the kept ones" },
      "zones, first of AWS's choice": { from: regional({}), to: regional({ zones: { "us-east-1a": 1 } }) },
      zones: {
        from: regional({ zones: { "us-east-1a": 1 } }),
        to: regional({ zones: { "us-east-1a": 1, "us-east-1b": 1 } }),
      },
      publicIpCount: { to: { publicIpCount: 2 } },
      publicIps: machine.publicIps as never,
      "publicIps, reversed": { from: keptTwo, to: reversed(keptTwo) },
      tags: machine.tags as never,
      ...inAnotherOrder({ privateRouteTableIds: sets.privateRouteTableIds }),
    } satisfies Changes<NatGatewayEgressArgs>,
  },
];
