/** Finds an address's cloud service in the ranges that the clouds publish. */
import type { PricedCloud } from "../../../bench/topologies/clouds.ts";
import { type Address, readAddress, readPrefix } from "./addresses.ts";
import { FormatError } from "./fields.ts";

interface Service {
  readonly cloud: PricedCloud;
  /** `S3`, `DYNAMODB`, `CLOUDFRONT`; Azure's tags without their region: `Storage`, `Sql`, `AzureCloud`. */
  readonly service: string;
  /** The cloud's name for the region (`us-east-1`, `eastus`). Null: none, or not known. */
  readonly region: string | null;
}

export interface Ranges {
  /** Source and date of the ranges, for display. */
  readonly source: string;
  readonly find: (address: string) => Service | null;
  readonly entries: readonly RangeEntry[];
}

export interface RangeEntry extends Service {
  readonly prefix: string;
}

/** Names that are less specific than a service's own: `AMAZON` and `AzureCloud` cover all of a cloud's addresses. */
const general: ReadonlySet<string> = new Set(["AMAZON", "EC2", "AzureCloud"]);

/**
 * Reads a cloud's own file: AWS's `ip-ranges.json`, or Azure's `ServiceTags_Public_*.json`.
 *
 * @param name For messages.
 * @throws {FormatError}
 */
export function readRanges(content: unknown, name: string): Ranges {
  const entries = entriesOf(content, name);
  return {
    source: `${name}, ${dateOf((content ?? {}) as Record<string, unknown>)}`,
    ...{ find: finderOf(entries), entries },
  };
}

/** The rows of a cloud's own file. @throws {FormatError} */
export function entriesOf(content: unknown, name: string): readonly RangeEntry[] {
  const file = (content ?? {}) as Record<string, unknown>;
  const entries = Array.isArray(file.prefixes)
    ? awsEntries(file)
    : Array.isArray(file.values)
      ? azureEntries(file.values)
      : null;
  if (entries === null || entries.length === 0) {
    throw new FormatError(
      `${name}: expected AWS's ip-ranges.json (with "prefixes") or Azure's ServiceTags_Public.json (with "values")`,
    );
  }
  return entries;
}

function dateOf({ createDate, changeNumber, asOf }: Record<string, unknown>): string {
  const text = asOf ?? createDate ?? (changeNumber === undefined ? undefined : `change ${changeNumber}`);
  return typeof text === "string" ? `of ${text.slice(0, 40)}` : "without a date";
}

function awsEntries({ prefixes, ipv6_prefixes }: Record<string, unknown>): RangeEntry[] {
  const all = [prefixes, ipv6_prefixes].flatMap((list) => (Array.isArray(list) ? list : []));
  return all.flatMap(({ ip_prefix, ipv6_prefix, service, region }) => {
    const prefix = ip_prefix ?? ipv6_prefix;
    return typeof prefix === "string" && typeof service === "string"
      ? [{ cloud: "aws" as const, service, region: region === "GLOBAL" ? null : (region ?? null), prefix }]
      : [];
  });
}

function azureEntries(values: readonly unknown[]): RangeEntry[] {
  return values.flatMap((value) => {
    const { name, properties } = value as { name?: unknown; properties?: Record<string, unknown> };
    const prefixes = properties?.addressPrefixes;
    if (typeof name !== "string" || !Array.isArray(prefixes)) {
      return [];
    }
    const [service = name] = name.split(".");
    const region =
      typeof properties?.region === "string" && properties.region !== "" ? properties.region : null;
    return prefixes.map((prefix) => ({ cloud: "azure" as const, service, region, prefix: String(prefix) }));
  });
}

/** Ranks rows: a service's own name first, then the longer prefix, then a row with a region. */
function better(one: RangeEntry, other: RangeEntry): boolean {
  const rank = ({ service, prefix, region }: RangeEntry) =>
    (general.has(service) ? 0 : 1000) + Number(prefix.split("/")[1]) * 2 + (region === null ? 0 : 1);
  return rank(one) > rank(other);
}

export function finderOf(entries: readonly RangeEntry[]): Ranges["find"] {
  const tables = new Map<string, Map<bigint, RangeEntry>>();
  for (const entry of entries) {
    const block = readPrefix(entry.prefix);
    if (block !== null) {
      const { first, length } = block;
      const table = tables.get(`${first.bits}/${length}`) ?? new Map<bigint, RangeEntry>();
      tables.set(`${first.bits}/${length}`, table);
      const key = first.value >> BigInt(first.bits - length);
      const present = table.get(key);
      if (present === undefined || better(entry, present)) {
        table.set(key, entry);
      }
    }
  }
  const lengths = [...tables].map(([name, table]) => {
    const [bits, length] = name.split("/").map(Number) as [number, number];
    return { bits, shift: BigInt(bits - length), table };
  });
  return (text) => findIn(lengths, readAddress(text));
}

type Tables = readonly { bits: number; shift: bigint; table: ReadonlyMap<bigint, RangeEntry> }[];

function findIn(tables: Tables, { kind, bits, value }: Address): Service | null {
  if (kind === "invalid") {
    return null;
  }
  let best: RangeEntry | undefined;
  for (const { bits: width, shift, table } of tables) {
    const found = width === bits ? table.get(value >> shift) : undefined;
    if (found !== undefined && (best === undefined || better(found, best))) {
      best = found;
    }
  }
  return best === undefined ? null : { cloud: best.cloud, service: best.service, region: best.region };
}
