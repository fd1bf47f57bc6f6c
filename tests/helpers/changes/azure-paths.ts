/** The arguments of Azure's networks, machines and private paths, each with a typical change on a deployed stack. */
import type {
  BenchPairArgs,
  BenchServerArgs,
  ExpressRouteArgs,
  LinuxHostArgs,
  NetworkArgs,
  PrivatePathArgs,
  VnetPeeringArgs,
  VpnGatewayArgs,
} from "../../../components/azure/index.ts";
import { type ChangedComponent, type Changes, none } from "./change.ts";

const place = {
  ...none("everything there is another", "resourceGroupName", "location"),
  tags: { to: { tags: { team: "network" } } },
};
const ssh = { key: "@operator", allowedCidrs: ["203.0.113.7/32"] };
const size = "Standard_D2ls_v5";
const image = {
  publisher: "Canonical",
  offer: "ubuntu-24_04-lts",
  sku: "server",
  version: "24.04.202601010",
};
const encryptionSet =
  "/subscriptions/0/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/disks";
const circuit = (name: string) =>
  `/subscriptions/0/resourceGroups/lines/providers/Microsoft.Network/expressRouteCircuits/${name}`;

const machine = {
  size: { to: { size: "Standard_D4ls_v5" } },
  image: { to: { image } },
  zone: { from: { zone: "1" }, to: { zone: "2" } },
  proximityPlacementGroupId: { to: { proximityPlacementGroupId: "@placement" } },
  diskEncryptionSetId: { to: { diskEncryptionSetId: encryptionSet } },
  acceleratedNetworking: { to: { acceleratedNetworking: false } },
  adminUser: { to: { adminUser: "admin1" } },
};
const logins = {
  "ssh.allowedCidrs": { to: { ssh: { ...ssh, allowedCidrs: ["198.51.100.0/24"] } } },
  ssh: { to: { ssh: { ...ssh, key: "@another-operator" } } },
};
const path = { ...place, clientAddress: "what the server must see; nothing of the path" };
const ends = (more: object = {}) => ({
  client: { network: "@network", gatewaySubnetId: "@gateway", ...more },
  server: { network: "@far", gatewaySubnetId: "@far-gateway", ...more },
});
const server = {
  resourceGroupName: "@resource-group",
  location: "japaneast",
  size,
  subnet: "@servers",
  subnetCidr: "10.0.151.0/24",
};
const clients = { clientCidr: "10.0.160.0/24", jumpCidr: "10.0.161.0/24" };

const byReplacement = "`pulumi up --replace` of both gateways";

export const azurePaths: readonly ChangedComponent[] = [
  {
    title: "`Network`",
    component: "Network",
    base: { cidr: "10.9.0.0/16", subnet: { cidr: "10.9.1.0/24" } },
    changes: {
      ...place,
      cidr: { to: { cidr: "10.8.0.0/15" } },
      "cidr, without a subnet that is there": {
        refused: "a block around the former and the new subnets, the subnets, then the wanted block",
      },
      existing: { to: { existing: "@existing" } },
      "subnet's cidr": { to: { subnet: { cidr: "10.9.2.0/24" } } },
      "subnet's cidr, overlapping the former": { refused: "a block that overlaps none, then the wanted one" },
      "subnet's attachment": {
        to: { subnet: { cidr: "10.9.1.0/24", attachment: { defaultOutboundAccess: true } } },
      },
    } satisfies Changes<NetworkArgs>,
  },
  { title: "`DirectEgress`", component: "DirectEgress", base: {}, changes: place },
  {
    title: "`IntraVnet`",
    component: "IntraVnet",
    base: { clientAddress: "10.0.1.4" },
    changes: path satisfies Changes<PrivatePathArgs>,
  },
  {
    title: "`VnetPeering`",
    component: "VnetPeering",
    base: { clientAddress: "10.0.1.4", clientNetwork: "@network", serverNetwork: "@far" },
    changes: {
      ...path,
      clientNetwork: { to: { clientNetwork: "@farther" } },
      serverNetwork: { to: { serverNetwork: "@farther" } },
      allowForwardedTraffic: { to: { allowForwardedTraffic: true } },
    } satisfies Changes<VnetPeeringArgs>,
  },
  {
    title: "`VpnGateway`",
    component: "VpnGateway",
    base: { clientAddress: "10.0.1.4", sharedKey: "a long secret", ...ends() },
    changes: {
      ...path,
      client: "each option below",
      server: "each option below",
      sku: { to: { sku: "VpnGw2AZ" } },
      sharedKey: { to: { sharedKey: "another long secret" } },
      activeActive: { to: ends({ activeActive: true }) },
      zones: { to: ends({ zones: ["1"] }) },
    } satisfies Changes<VpnGatewayArgs>,
  },
  {
    title: "`ExpressRoute`",
    component: "ExpressRoute",
    base: { clientAddress: "10.0.1.4", circuitId: circuit("line"), ...ends() },
    changes: {
      ...path,
      client: "its network has one such subnet",
      server: "its network has one such subnet",
      sku: { to: { sku: "ErGw2AZ" }, oneWay: byReplacement },
      "sku, which Azure does not resize to": { refused: byReplacement },
      circuitId: { to: { circuitId: circuit("other") } },
      authorizationKey: { to: { authorizationKey: "a key" } },
    } satisfies Changes<ExpressRouteArgs>,
  },
  {
    title: "`LinuxHost`",
    component: "LinuxHost",
    base: {
      ...{ role: "client", size, subnetId: "@machines", addresses: [{}], rules: [], sshKey: "@operator" },
      userData: "@user-data",
    },
    changes: {
      ...place,
      ...machine,
      subnetId: { to: { subnetId: "@other" } },
      addresses: { to: { addresses: [{}, {}] } },
      rules: {
        to: {
          rules: [
            {
              ...{ name: "web", direction: "Inbound", access: "Allow", protocol: "Tcp" },
              ...{ sourceAddressPrefix: "10.0.0.0/16", sourcePortRange: "*" },
              ...{ destinationAddressPrefix: "*", destinationPortRange: "80" },
            },
          ],
        },
      },
      forwarding: { to: { forwarding: true } },
      userData: { to: { userData: "@other-user-data" } },
      sshKey: { to: { sshKey: "@another-operator" } },
      loginAddress: { to: { loginAddress: "192.0.2.1" } },
      ...none("a name in results", "role", "dataAddress"),
      ...none("made beside a pair alone", "availabilitySetId"),
      ...none("how user data is kept, and it is logged in to", "lifelong", "jump"),
      ...none("an order, or a wait", "bootAfter", "further", "interfaceAfter"),
    } satisfies Changes<LinuxHostArgs>,
  },
  {
    title: "`BenchServer`",
    component: "BenchServer",
    base: { ...server, ssh, paths: [{ name: "one", egress: "@direct" }] },
    changes: {
      ...place,
      ...machine,
      ...logins,
      subnet: "its address is of the subnet",
      subnetCidr: "the subnet's",
      number: { to: { number: 2 } },
      paths: {
        to: {
          paths: [
            { name: "one", egress: "@direct" },
            { name: "two", egress: "@nat-gateway" },
          ],
        },
      },
    } satisfies Changes<BenchServerArgs>,
  },
  {
    title: "`BenchPair`",
    component: "BenchPair",
    base: { ...clients, egress: "@nat-gateway", network: "@network", client: { size }, ssh, server },
    changes: {
      ...place,
      ...logins,
      egress: { to: { egress: "@direct" } },
      network: "everything there is another",
      clientCidr: { to: { clientCidr: "10.0.162.0/24" } },
      jumpCidr: { to: { jumpCidr: "10.0.163.0/24" } },
      client: { to: { client: { size: "Standard_D4ls_v5" } } },
      jump: { to: { jump: { size } } },
      server: { to: { server: { ...server, size: "Standard_D4ls_v5" } } },
      ...none("more machines", "extraClients", "moreServers"),
      otherSourceIps: { to: { otherSourceIps: [["198.51.100.7"]] } },
    } satisfies Changes<BenchPairArgs>,
  },
];
