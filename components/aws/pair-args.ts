/** Options and changes that a pair of NAT instances refuses. */
import * as pulumi from "@pulumi/pulumi";
import { assertPairable } from "../nat-instance/cloud-machine.ts";
import { invalid, refuseGiven } from "../shared/arguments.ts";
import { firstFound } from "../shared/first-found.ts";
import { refusedWith } from "../shared/preview-check.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import { movedTables } from "./routes.ts";
import { madeAnew } from "./settled-subnet.ts";

/** Refuses options that no pair can have. @throws {pulumi.InputPropertyError} */
export function assertPairArgs(args: NatInstanceArgs): void {
  const { autoHeal, spot, maximumLifetimeDays, publicIpCount, publicIps, nat, highAvailability } = args;
  refuseGiven(
    { spot, maximumLifetimeDays },
    () => "is for machines of a group (autoHeal), and highAvailability uses none",
  );
  refuseGiven(
    { autoHeal },
    () => "does not go with highAvailability: the standby takes over, in place of a new machine",
  );
  if ((publicIpCount ?? publicIps?.length ?? 1) !== 1) {
    throw invalid(
      publicIps === undefined ? "publicIpCount" : "publicIps",
      "must be one with highAvailability: one address moves between the machines",
    );
  }
  movedTables(args);
  assertPairable(nat, ["portRange", "nat64", "privateIpv6Cidrs", "forward"]);
  const { standbySubnetId } = highAvailability ?? {};
  if (standbySubnetId !== undefined && standbySubnetId === args.subnetId) {
    throw invalid(
      "highAvailability.standbySubnetId",
      "is subnetId itself; choose a subnet of another zone, or leave it out for two machines of one zone",
    );
  }
}

/** Stands for a subnet's id where the machines are in two zones. */
const TWO_ZONES = "two zones";

/**
 * The first machine's subnet. A pair whose machines share a private address stays in the subnet that it was made in: the
 * address cannot move to another subnet, and the Elastic IP would stay at a deleted interface.
 * @param subnetId Subnet of the first machine.
 * @throws {pulumi.InputPropertyError} by the output, for a pair that is to leave its subnet, or to enter one.
 */
export function settledSubnet(
  name: string,
  { highAvailability }: NatInstanceArgs,
  subnetId: pulumi.Output<string>,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const place = highAvailability?.standbySubnetId === undefined ? subnetId : pulumi.output(TWO_ZONES);
  return refusedWith(subnetId, stays(`${name}-settled`, place, parent));
}

/**
 * The standby's subnet in another zone. It stays: the standby may be the active one, and the address would be deleted with
 * its interface.
 * @throws {pulumi.InputPropertyError} by the output, for a standby that is to leave its subnet.
 */
export function settledStandby(
  name: string,
  standbySubnetId: pulumi.Output<string>,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  return refusedWith(standbySubnetId, stays(`${name}-settled-standby`, standbySubnetId, parent));
}

/** The place, kept in a stash; refuses a different one. @param name Name of the stash. */
function stays(name: string, place: pulumi.Output<string>, parent: pulumi.Resource) {
  const settled = firstFound(name, place, { parent });
  const refuse = (wanted: string, was: string) => {
    throw invalid(
      wanted === TWO_ZONES || was === TWO_ZONES || name.endsWith("-standby")
        ? "highAvailability.standbySubnetId"
        : "subnetId",
      `moves the pair from ${was} to ${wanted}, where its address does not follow; remove highAvailability, run pulumi up, then set it again in the new place (publicIps keeps the public address)`,
    );
  };
  const same = pulumi.all([place, settled]).apply(([wanted, was]) => wanted === was || refuse(wanted, was));
  return [same, madeAnew(place, settled, (was) => refuse("a new subnet", was))];
}
