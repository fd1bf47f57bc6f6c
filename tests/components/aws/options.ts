/** The options of each topology, and the settings of a stack, for tests: the first value is the usual one. */
import type { Parameters } from "../../helpers/pairwise.ts";

const healing = {
  autoHeal: [undefined, true],
  spot: [undefined, { instanceTypes: ["t4g.small"] }, { onDemandFallback: { retryHourUtc: 3 } }],
  maximumLifetimeDays: [undefined, 30, 400],
  creditMode: [undefined, "standard"],
};
/** Options of all topologies: the stack's own settings, which begin with a dot. */
const shared = { ".pairs": [1, 2], ".size": ["as given", "small"], ".placementGroup": [false, true] };

export const parameters: Readonly<Record<string, Parameters>> = {
  direct: shared,
  "nat-gateway": {
    ...shared,
    availabilityMode: [undefined, "zonal", "regional"],
    publicIpCount: [undefined, 2, 9],
    zones: [undefined, ["us-east-1a", "us-east-1b"]],
  },
  "nat-instance": {
    ...shared,
    ...healing,
    instanceType: [undefined, "t3.micro", "c7g.8xlarge"],
    publicIpCount: [undefined, 2, 51],
    dataPlane: [undefined, "nftables", "iptables"],
    strict: [undefined, true],
    portRange: [undefined, { first: 2000, last: 3000 }],
    cloudWatch: [undefined, true],
  },
  "nat-instance-ha": {
    ".size": shared[".size"],
    instanceType: [undefined, "t3.micro"],
    creditMode: [undefined, "standard"],
    dataPlane: [undefined, "nftables", "iptables"],
    strict: [undefined, true],
    iamInstanceProfile: [undefined, "mine"],
    advertisementMs: [undefined, 500],
    zones: [undefined, 2],
    cloudWatch: [undefined, true],
  },
  "fck-nat": {
    ...shared,
    ...healing,
    instanceType: [undefined, "t4g.small"],
    observed: [undefined, false],
    imageName: [undefined, "fck-nat-al2023-hvm-1.4.0-20260701-arm64-ebs"],
  },
  "intra-vpc": shared,
  "vpc-peering": shared,
};
