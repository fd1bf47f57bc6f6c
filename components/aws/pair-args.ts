/** Options that a pair of NAT instances refuses. */
import { invalid } from "../shared/arguments.ts";
import { assertPairable } from "../shared/nat-set-up.ts";
import type { NatInstanceArgs } from "./nat-args.ts";

/** Refuses what no pair can have. @throws {pulumi.InputPropertyError} */
export function assertPairArgs(args: NatInstanceArgs): void {
  const { autoHeal, spot, maximumLifetimeDays, publicIpCount, publicIps, nat, highAvailability } = args;
  for (const [argument, value] of Object.entries({ spot, maximumLifetimeDays })) {
    if (value !== undefined) {
      throw invalid(argument, "is for machines of a group (autoHeal), which highAvailability has none of");
    }
  }
  if (autoHeal) {
    throw invalid(
      "autoHeal",
      "does not go with highAvailability: the standby takes over, in place of a new machine",
    );
  }
  if ((publicIpCount ?? publicIps?.length ?? 1) !== 1) {
    throw invalid(
      publicIps === undefined ? "publicIpCount" : "publicIps",
      "must be one with highAvailability: one address moves between the machines",
    );
  }
  assertPairable(nat, ["portRange", "nat64", "privateIpv6Cidrs"]);
  const { standbySubnetId } = highAvailability ?? {};
  if (standbySubnetId !== undefined && standbySubnetId === args.subnetId) {
    throw invalid(
      "highAvailability.standbySubnetId",
      "is subnetId itself; choose a subnet of another zone, or leave it out for two machines of one zone",
    );
  }
}
