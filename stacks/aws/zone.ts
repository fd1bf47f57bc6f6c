/** The availability zone of an AWS stack's machines: zones offer different instance types. */
import { getInstanceTypeOfferings } from "@pulumi/aws/ec2/getInstanceTypeOfferings.js";
import { getAvailabilityZones } from "@pulumi/aws/getAvailabilityZones.js";
import * as pulumi from "@pulumi/pulumi";
import { firstFound } from "../../components/shared/first-found.ts";
import { ConfigError } from "../config.ts";

/**
 * The given zone, or the region's first that offers all types. The latter is kept in the stack's state: neither a zone that
 * later offers them, nor another type, moves a machine.
 * @throws {ConfigError} by the output: where the region has no such zone, or the zone lacks a type.
 */
export function stackZone(given: string | undefined, types: readonly string[]): pulumi.Output<string> {
  const wanted = [...new Set(types)].sort();
  const offered = offers(wanted);
  const zone =
    given === undefined
      ? firstFound("zone", firstZone(wanted, offered), {})
      : pulumi.output(knownZone(given));
  return zone.apply(async (chosen) => checked(chosen, wanted, await offered));
}

/**
 * A zone for standby machines of a type: the region's first beside the stack's own, kept in the same way.
 * @throws {ConfigError} by the output: where no other zone offers the type.
 */
export function standbyZone(name: string, own: pulumi.Output<string>, type: string): pulumi.Output<string> {
  const input = own.apply((zone) => firstZone([type], offers([type]), zone));
  return firstFound(`${name}-standby-zone`, input, {});
}

async function knownZone(zone: string): Promise<string> {
  // Includes local zones, if one is asked for.
  const { names } = await getAvailabilityZones({ state: "available" });
  if (!names.includes(zone)) {
    throw new ConfigError(`egress-bench:aws.zone: got ${zone}; expected one of ${names.join(", ")}`);
  }
  return zone;
}

function checked(zone: string, types: readonly string[], offered: Offers | undefined): string {
  const missing = offered === undefined ? [] : types.filter((type) => !offered.get(zone)?.has(type));
  if (missing.length > 0) {
    throw new ConfigError(
      `egress-bench:aws.zone: ${zone} does not offer ${missing.join(", ")}; ${otherwise(offered, types)}`,
    );
  }
  return zone;
}

/**
 * The region's first zone that offers the types. Local zones are skipped: they sort before the others and lack most
 * instance types.
 */
async function firstZone(
  types: readonly string[],
  asked: Promise<Offers | undefined>,
  beside?: string,
): Promise<string> {
  const filters = [{ name: "zone-type", values: ["availability-zone"] }];
  const { names: all } = await getAvailabilityZones({ state: "available", filters });
  const names = all.filter((name) => name !== beside);
  const offered = await asked;
  const first = names.find((name) => offered === undefined || hasAll(offered, name, types));
  if (first === undefined) {
    throw new ConfigError(
      `egress-bench:aws: no zone of this region${beside === undefined ? "" : ` beside ${beside}`} offers all of ${types.join(", ")}; choose other instance types, or another aws:region`,
    );
  }
  return first;
}

type Offers = ReadonlyMap<string, ReadonlySet<string>>;

/** Instance types by zone; undefined without the permission to ask EC2. */
async function offers(types: readonly string[]): Promise<Offers | undefined> {
  try {
    const { instanceTypes, locations } = await getInstanceTypeOfferings({
      locationType: "availability-zone",
      filters: [{ name: "instance-type", values: [...types] }],
    });
    const byZone = new Map<string, Set<string>>();
    for (const [index, zone] of locations.entries()) {
      byZone.set(zone, (byZone.get(zone) ?? new Set()).add(instanceTypes[index] as string));
    }
    return byZone;
  } catch (error) {
    const reason = (error as Error).message.split(/\s+/).join(" ").trim();
    void pulumi.log.warn(`Whether the zone offers ${types.join(", ")} is not checked: ${reason}`);
    return undefined;
  }
}

function hasAll(offered: Offers, zone: string, types: readonly string[]): boolean {
  return types.every((type) => offered.get(zone)?.has(type));
}

function otherwise(offered: Offers | undefined, types: readonly string[]): string {
  const zones = [...(offered?.keys() ?? [])].filter((zone) => hasAll(offered as Offers, zone, types)).sort();
  return zones.length === 0
    ? "no zone of this region offers all of this stack's types; choose others"
    : `set it to ${zones.join(" or ")}, which moves all machines there, or choose other types`;
}
