/** The options of each topology, and the settings of a stack, for tests: the first value is the usual one. */
import type { Parameters } from "../../helpers/pairwise.ts";
import { circuitId } from "../stack-files.ts";

/** Options of all topologies: the stack's own settings, which begin with a dot. */
const shared = {
  ".pairs": [1, 2],
  ".zone": [undefined, "1"],
  ".proximityPlacementGroup": [false, true],
  ".serverLocation": [undefined, "ukwest"],
};
const few = { ".pairs": [1, 2], ".size": ["as given", "small"] };
const settingsOnly = { ...shared, ".size": ["as given", "small"] };

export const parameters: Readonly<Record<string, Parameters>> = {
  direct: settingsOnly,
  "default-snat": few,
  "intra-vnet": few,
  "vnet-peering": few,
  "nat-gateway": {
    ".zone": [undefined, "1"],
    sku: [undefined, "StandardV2"],
    publicIpCount: [undefined, 2, 17],
    publicIpPrefixLength: [undefined, 31, 27],
    idleTimeoutMinutes: [undefined, 30, 121],
    zone: [undefined, "2"],
  },
  "nat-instance": {
    ".zone": [undefined, "1"],
    size: [undefined, "Standard_B2s", "Standard_D4ps_v5"],
    acceleratedNetworking: [undefined, true, false],
    publicIpCount: [undefined, 2, 65],
    dataPlane: [undefined, "nftables", "iptables"],
    portRange: [undefined, { first: 2000, last: 3000 }],
  },
  "nat-instance-ha": {
    ".zone": [undefined, "1", "3"],
    size: [undefined, "Standard_D4ps_v5"],
    zones: [undefined, [], ["2", "3"], ["2", "2"]],
    dataPlane: [undefined, "nftables", "iptables"],
    portRange: [undefined, { first: 2000, last: 3000 }],
    advertisementMs: [undefined, 500],
  },
  "load-balancer": {
    ".pairs": [1, 2],
    publicIpCount: [undefined, 2],
    allocatedOutboundPorts: [undefined, 1024, 1001, 64_000],
    idleTimeoutMinutes: [undefined, 10, 101],
  },
  firewall: {
    tier: ["Basic", "Standard", "Premium"],
    publicIpCount: [undefined, 2, 0],
    ".zone": [undefined, "1"],
  },
  "vpn-gateway": {
    ".serverLocation": [undefined, "ukwest"],
    sku: [undefined, "VpnGw5AZ", "VpnGw1"],
    clientActiveActive: [false, true],
    serverActiveActive: [false, true],
    clientZones: [undefined, ["1"]],
  },
  expressroute: {
    ".serverLocation": [undefined, "japanwest"],
    sku: [undefined, "ErGw1AZ", "UltraPerformance", "Basic"],
    circuitId: [circuitId],
    authorizationKey: [undefined, "a-key"],
  },
};
