/** Refuses unknown regions and machine sizes, and suggests similar names. */

import { awsFamily, machines } from "../bench/machines/index.ts";
import { nearest } from "../bench/nearest.ts";
import { cloudRecords, type PricedCloud, pricedClouds } from "../bench/topologies/clouds.ts";
import aws from "../packages/advise/src/ranges/aws.json" with { type: "json" };
import azure from "../packages/advise/src/ranges/azure.json" with { type: "json" };
import { type PriceBook, priceSnapshots, zonedRegions } from "../report/index.ts";
import { UsageError } from "./usage-error.ts";

const VM_HOUR = "vm-hour:";

/** Checks regions and sizes, unless live prices are used: then the price services know better. @throws {UsageError} */
export function checkNames(
  given: Readonly<
    Partial<Record<"--region" | "--regions" | "--nat-size", string | readonly string[] | null>>
  >,
  { live, own }: { readonly live: boolean; readonly own: readonly PriceBook[] },
): void {
  const check = (what: string, option: keyof typeof given, known: readonly string[]) => {
    for (const name of [given[option] ?? []].flat()) checkName(what, option, name, known);
  };
  if (!live) {
    const sizes = [...pricedClouds.flatMap(sizesOf), ...own.flatMap(pricedSizes)];
    check("a region of Azure or AWS", "--region", regionNames(own));
    check("a region of Azure or AWS", "--regions", regionNames(own));
    check("a machine size of Azure or AWS", "--nat-size", [...new Set(sizes)]);
  }
}

/** Refuses a region that the cloud does not have. @throws {UsageError} with the nearest names */
export function checkRegion(option: string, cloud: PricedCloud, region: string): void {
  const known = [...regionsOf[cloud], ...zonedRegions[cloud]];
  checkName(`a region of ${cloudRecords[cloud].title}`, option, region, known);
}

const regionsOf = {
  aws: Object.keys(aws.services.AMAZON),
  azure: Object.keys(azure.services.AzureCloud),
} as const;

/** Prefix of a region's zone ids: `apne1` for `ap-northeast-1`. */
function zonePrefix(region: string): string {
  return region.replace(/north|south|east|west|central|gov/g, ([letter]) => letter ?? "").replaceAll("-", "");
}

/** AWS's region of a zone id, such as `apne1-az4`. Null: no region has it. */
export function regionOfZone(id: string): string | null {
  return regionsOf.aws.find((region) => id.startsWith(`${zonePrefix(region)}-`)) ?? null;
}

/** Refuses a region or machine size of the other cloud. @throws {UsageError} */
export function checkCloud(cloud: PricedCloud, region: string | undefined, size: string | undefined): void {
  const [other = cloud] = pricedClouds.filter((one) => one !== cloud);
  const has = (names: readonly string[], name = "") =>
    names.some((one) => one.toLowerCase() === name.toLowerCase());
  const tabled = (one: PricedCloud) => machines[one].map((machine) => machine.size);
  for (const [option, what, name, known] of [
    ["--region", "region", region, (one: PricedCloud) => regionsOf[one]],
    ["--nat-size", "machine size", size, tabled],
  ] as const) {
    if (has(known(other), name) && !has(known(cloud), name)) {
      const { title } = cloudRecords[cloud];
      throw new UsageError(
        `${option}: expected a ${what} of ${title}, because the files are of ${title}; got "${name}" of ${cloudRecords[other].title}`,
      );
    }
  }
}

export function isRegion(name: string): boolean {
  return regionNames([]).includes(name);
}

function regionNames(own: readonly PriceBook[]): string[] {
  const priced = [...Object.values(priceSnapshots), ...own].flatMap(({ prices }) =>
    prices.flatMap(({ region }) => region ?? []),
  );
  const published = Object.values(regionsOf).flat();
  const known = [...published, ...Object.values(zonedRegions).flat(), ...priced].filter((name) =>
    /^[a-z]+(-?[a-z0-9]+)*$/.test(name),
  );
  return [...new Set(known)].filter((name) => !name.startsWith("zone-"));
}

/** The pattern of each cloud's sizes, for sizes newer than the table. */
const shapes: Readonly<Record<PricedCloud, RegExp>> = {
  aws: /^[a-z][a-z0-9-]*\.(nano|micro|small|medium|large|\d*xlarge|metal[a-z0-9-]*)$/,
  azure: /^(Standard|Basic)_[A-Z]{1,3}\d+(-\d+)?[a-z]*(_[A-Z][A-Z0-9]*)*(_v\d+)?$/i,
};

/** Name prefix of a family whose sizes are all in the table. Null: some may be missing. */
const families: Readonly<Record<PricedCloud, (size: string) => string | null>> = {
  aws: (size) => (size.includes(".metal") ? null : `${awsFamily(size)}.`),
  azure: () => null,
};

/** Whether a cloud has a size, or may have it: it may be newer than the table. */
function isPossibleSize(cloud: PricedCloud, size: string): boolean {
  const known = sizesOf(cloud);
  const family = families[cloud](size);
  return (
    known.includes(size) ||
    (shapes[cloud].test(size) && (family === null || !known.some((name) => name.startsWith(family))))
  );
}

/** Refuses a size that the cloud does not have. @throws {UsageError} with the nearest names */
export function checkSize(option: string, cloud: PricedCloud, size: string): void {
  if (!isPossibleSize(cloud, size)) {
    checkName(`a machine size of ${cloudRecords[cloud].title}`, option, size, sizesOf(cloud));
  }
}

function sizesOf(cloud: PricedCloud): string[] {
  const sizes = machines[cloud].map(({ size }) => size);
  return [...new Set([...sizes, ...pricedSizes(priceSnapshots[cloud])])];
}

function pricedSizes({ prices }: PriceBook): string[] {
  return prices.flatMap(({ meter }) => (meter.startsWith(VM_HOUR) ? [meter.slice(VM_HOUR.length)] : []));
}

/** Suggested sizes of a family if the size is wrong. */
const FAMILY_HINTS = 3;

/** Whether a size belongs to the wrong size's family, such as `t4g.`. */
function isOfFamily(wrong: string): (name: string) => boolean {
  const family = /^\w+\./.exec(wrong.toLowerCase())?.[0];
  return (name) => family !== undefined && name.toLowerCase().startsWith(family);
}

function checkName(what: string, option: string, name: string, known: readonly string[]): void {
  if (known.some((one) => one.toLowerCase() === name.toLowerCase())) return;
  const near = nearest(name, known);
  const meant = near.length > 0 ? near : known.filter(isOfFamily(name)).slice(0, FAMILY_HINTS);
  const hint = meant.length === 0 ? "" : `; did you mean ${meant.join(" or ")}?`;
  throw new UsageError(`${option}${option === "" ? "" : ": "}expected ${what}; got "${name}"${hint}`);
}
