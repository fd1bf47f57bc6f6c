/**
 * The service ranges that ship with this package: IPv4, of services that advice can say something about. The
 * clouds' own lists change every week and are larger; `--ranges` reads them.
 */
import { groupBy } from "../../../../bench/group-by.ts";
import type { PricedCloud } from "../../../../bench/topologies/clouds.ts";
import { readPrefix } from "../addresses.ts";
import { finderOf, type RangeEntry, type Ranges } from "../ranges.ts";
import aws from "./aws.json" with { type: "json" };
import azure from "./azure.json" with { type: "json" };

/** The services whose ranges ship. AMAZON and AzureCloud cover all of a cloud. */
export const shippedServices = {
  aws: ["S3", "DYNAMODB", "CLOUDFRONT", "AMAZON"],
  azure: [
    "Storage",
    "Sql",
    "AzureCosmosDB",
    "AzureKeyVault",
    "ServiceBus",
    "EventHub",
    "AzureContainerRegistry",
    "AzureCloud",
  ],
} as const;

const lists = { aws, azure };

export function shippedRanges(cloud: PricedCloud): Ranges {
  made[cloud] ??= rangesOf(lists[cloud] as CompactRanges);
  return made[cloud];
}

function rangesOf(list: CompactRanges): Ranges {
  const entries = entriesOfCompact(list);
  return { source: `shipped, of ${list.asOf}`, find: finderOf(entries), entries };
}

/** The shipped lists, once made: each has thousands of prefixes. */
const made: Partial<Record<PricedCloud, Ranges>> = {};

export interface CompactRanges {
  readonly cloud: PricedCloud;
  /** The date of the cloud's own list. */
  readonly asOf: string;
  /** Where that list came from. */
  readonly source: string;
  /** IPv4 prefixes, separated by spaces, by service and region; an empty name stands for no region. */
  readonly services: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The IPv4 prefixes of some services. Prefixes that have a region are not repeated without one. */
export function compactServices(
  entries: readonly RangeEntry[],
  services: readonly string[],
): CompactRanges["services"] {
  return Object.fromEntries(
    services.map((service) => {
      const own = entries.filter((entry) => entry.service === service && !entry.prefix.includes(":"));
      const regional = new Set(own.flatMap(({ region, prefix }) => (region === null ? [] : [prefix])));
      const kept = own.filter(({ region, prefix }) => region !== null || !regional.has(prefix));
      const regions = groupBy(kept, ({ region }) => region ?? "");
      const lists = [...regions].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return [
        service,
        Object.fromEntries(lists.map(([region, list]) => [region, joined(list.map(({ prefix }) => prefix))])),
      ];
    }),
  );
}

export function entriesOfCompact({ cloud, services }: CompactRanges): RangeEntry[] {
  return Object.entries(services).flatMap(([service, regions]) =>
    Object.entries(regions).flatMap(([region, prefixes]) =>
      prefixes
        .split(" ")
        .map((prefix) => ({ cloud, service, region: region === "" ? null : region, prefix })),
    ),
  );
}

/** Sorted prefixes without those inside another one; two halves of a block become that block. */
function joined(prefixes: readonly string[]): string {
  const blocks = prefixes
    .flatMap((prefix) => readPrefix(prefix) ?? [])
    .map(({ first, length }) => ({ first: Number(first.value), length }))
    .toSorted((a, b) => a.first - b.first || a.length - b.length);
  const kept: { first: number; length: number }[] = [];
  for (const block of blocks) {
    const last = kept.at(-1);
    if (last === undefined || block.first >= last.first + 2 ** (32 - last.length)) {
      kept.push(block);
      joinLast(kept);
    }
  }
  return kept.map(({ first, length }) => `${dotted(first)}/${length}`).join(" ");
}

/** Joins the last two blocks while they are halves of one. */
function joinLast(blocks: { first: number; length: number }[]): void {
  for (;;) {
    const [left, right] = blocks.slice(-2);
    const whole = left === undefined ? 0 : 2 ** (33 - left.length);
    if (
      left === undefined ||
      right === undefined ||
      left.length !== right.length ||
      left.first % whole !== 0 ||
      right.first !== left.first + whole / 2
    ) {
      return;
    }
    blocks.splice(-2, 2, { first: left.first, length: left.length - 1 });
  }
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
