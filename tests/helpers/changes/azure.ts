/** The arguments of Azure's components, each with a typical change on a deployed stack. */
import type { FirewallEgressArgs } from "../../../components/azure/firewall-egress.ts";
import type { LoadBalancerEgressArgs } from "../../../components/azure/load-balancer-egress.ts";
import type { NatInstanceArgs } from "../../../components/azure/nat-args.ts";
import type { NatGatewayEgressArgs } from "../../../components/azure/nat-gateway-args.ts";
import { natOptions } from "./aws.ts";
import { type ChangedComponent, type Changes, none } from "./change.ts";

const ssh = { key: "@operator", allowedCidrs: ["203.0.113.7/32"] };
const notOfPairs = "a pair refuses it";
const notOnAzure = "Azure carries no machine's IPv6 through another";

const encryptionSet =
  "/subscriptions/0/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/disks";

const place = {
  ...none("everything there is another", "resourceGroupName", "location"),
  tags: { to: { tags: { team: "network" } } },
};

const instance: Changes<NatInstanceArgs> = {
  ...place,
  subnetId: { to: { subnetId: "@other" } },
  privateCidrs: { to: { privateCidrs: ["10.0.1.0/24", "10.0.4.0/24"] } },
  "ssh.allowedCidrs": { to: { ssh: { ...ssh, allowedCidrs: ["198.51.100.0/24"] } } },
  "ssh.key": { to: { ssh: { ...ssh, key: "@another-operator" } } },
  ssh: { to: { ssh: null } },
  size: { from: { size: "Standard_D2ls_v5" }, to: { size: "Standard_D4ls_v5" } },
  "size, with accelerated networking": { from: { size: "Standard_B2s" }, to: { size: "Standard_D2ls_v5" } },
  "size, with another disk": { from: { size: "Standard_D2ls_v5" }, to: { size: "Standard_D2lds_v5" } },
  image: {
    to: {
      image: { publisher: "Canonical", offer: "ubuntu-24_04-lts", sku: "server", version: "24.04.202601010" },
    },
  },
  zone: { from: { zone: "1" }, to: { zone: "2" } },
  proximityPlacementGroupId: { to: { proximityPlacementGroupId: "@placement" } },
  diskEncryptionSetId: { to: { diskEncryptionSetId: encryptionSet } },
  acceleratedNetworking: {
    from: { size: "Standard_D2ls_v5" },
    to: { size: "Standard_D2ls_v5", acceleratedNetworking: false },
  },
  adminUser: { to: { adminUser: "admin1" } },
  publicIpCount: { to: { publicIpCount: 2 } },
  publicIps: { to: { publicIps: ["@kept"] } },
  highAvailability: { to: { highAvailability: {} } },
  nat: "each option below",
  privateRouteTableIds: "the clients' subnets name another table",
  ...natOptions,
  "nat.privateIpv6Cidrs": notOnAzure,
  "nat.nat64": notOnAzure,
};

const byThird =
  "the second machine's to a third one, the first's to its new one, the second's to its new one";
const privateAddresses = ["10.0.110.4", "10.0.110.5"];

export const azureComponents: readonly ChangedComponent[] = [
  {
    title: "`NatInstance`, one machine",
    component: "NatInstance",
    base: { ssh },
    changes: {
      ...instance,
      "highAvailability, with subnetId": { to: { highAvailability: {}, subnetId: "@other" } },
      "highAvailability, with size": {
        from: { size: "Standard_B2s" },
        to: { highAvailability: {}, size: "Standard_D2ls_v5" },
      },
    },
  },
  {
    title: "`NatInstance`, a pair",
    component: "NatInstance",
    base: { ssh, highAvailability: {} },
    changes: {
      ...instance,
      zone: notOfPairs,
      publicIpCount: notOfPairs,
      publicIps: { to: { publicIps: ["@kept", "@kept-2"] } },
      "publicIps, swapped": { refused: byThird },
      "nat.forward": notOfPairs,
      proximityPlacementGroupId: {
        from: { highAvailability: { zones: [] } },
        to: { highAvailability: { zones: [] }, proximityPlacementGroupId: "@placement" },
      },
      highAvailability: { to: { highAvailability: null } },
      "highAvailability, with subnetId": { to: { highAvailability: null, subnetId: "@other" } },
      "highAvailability.zones": {
        from: { highAvailability: { zones: ["1", "2"] } },
        to: { highAvailability: { zones: ["1", "3"] } },
      },
      "highAvailability.privateAddresses": { to: { highAvailability: { privateAddresses } } },
      "highAvailability.privateAddresses, swapped": { refused: byThird },
      "highAvailability.advertisementMs": { to: { highAvailability: { advertisementMs: 500 } } },
      "highAvailability.check": { to: { highAvailability: { check: { address: "192.0.2.1", port: 443 } } } },
    },
  },
  {
    title: "`NatGatewayEgress`",
    component: "NatGatewayEgress",
    base: {},
    changes: {
      ...place,
      sku: { to: { sku: "StandardV2" } },
      publicIpCount: { to: { publicIpCount: 2 } },
      publicIpPrefixLength: { to: { publicIpPrefixLength: 31 } },
      publicIps: { to: { publicIps: ["@kept"] } },
      publicIpPrefix: { to: { publicIpPrefix: "@prefix" } },
      publicIpV6Count: { from: { sku: "StandardV2" }, to: { sku: "StandardV2", publicIpV6Count: 1 } },
      publicIpsV6: "as publicIpV6Count",
      nat64: { from: { sku: "StandardV2" }, to: { sku: "StandardV2", nat64: true } },
      idleTimeoutMinutes: { to: { idleTimeoutMinutes: 10 } },
      zone: { from: { zone: "1" }, to: { zone: "2" } },
      "zone, with a prefix": {
        from: { zone: "1", publicIpPrefixLength: 31 },
        to: { zone: "2", publicIpPrefixLength: 31 },
      },
    } satisfies Changes<NatGatewayEgressArgs>,
  },
  {
    title: "`LoadBalancerEgress`",
    component: "LoadBalancerEgress",
    base: {},
    changes: {
      ...place,
      publicIpCount: { to: { publicIpCount: 2 } },
      publicIps: { to: { publicIps: ["@kept"] } },
      clients: { to: { clients: 8 } },
      allocatedOutboundPorts: { to: { allocatedOutboundPorts: 8000 } },
      idleTimeoutMinutes: { to: { idleTimeoutMinutes: 10 } },
    } satisfies Changes<LoadBalancerEgressArgs>,
  },
  {
    title: "`FirewallEgress`",
    component: "FirewallEgress",
    base: {},
    changes: {
      ...place,
      tier: { to: { tier: "Premium" } },
      subnetId: "a network has one such subnet",
      natGatewayIps: "what servers see; nothing of the firewall",
      managementSubnetId: { to: { managementSubnetId: "@management" } },
      privateCidrs: { to: { privateCidrs: ["10.0.1.0/24", "10.0.4.0/24"] } },
      publicIpCount: { to: { publicIpCount: 2 } },
      publicIps: { to: { publicIps: ["@kept"] } },
    } satisfies Changes<FirewallEgressArgs>,
  },
];
