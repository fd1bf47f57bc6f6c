/** Reads figures from the small tables of the aggregates. */

import { type Columns, type Database, number, type Row, text } from "../../../cli/database.ts";
import { prefixOf } from "../src/addresses.ts";
import type { Ranges } from "../src/ranges.ts";
import * as totals from "../src/reduction/figures.ts";
import type { BoundedRate, Traffic, Volume } from "../src/traffic.ts";

const HOUR_MS = 3_600_000;
/** Most destinations and prefixes that are listed one by one. */
const TOP = 50;

/** From the tables `covered` and `length`. */
export async function periodOf(
  database: Database,
): Promise<Pick<Traffic, "from" | "to" | "hours" | "gaps" | "intervalSeconds">> {
  const [period = {}] = await database.rows(totals.period);
  const [length = {}] = await database.rows(totals.lengths);
  const gaps = (await database.rows(totals.gaps)).map(({ first, last }) => [number(first), number(last)]);
  const [first, last] = [number(period.first), number(period.last)];
  const missing = gaps.reduce((sum, [from = 0, to = 0]) => sum + to - from, 0);
  return {
    ...{ from: iso(first), to: iso(last) },
    hours: (last - first - missing) / HOUR_MS,
    gaps: gaps.map(([from = 0, to = 0]) => ({ from: iso(from), to: iso(to) })),
    intervalSeconds: number(length.usual_ms) / 1000,
  };
}

const iso = (ms: number) => new Date(ms).toISOString();

/** From `minute`. */
export async function hoursOf(database: Database): Promise<Traffic["byHour"]> {
  const rows = await database.rows(totals.hours);
  return rows.map((row) => ({ hour: iso(number(row.t)), ...volume(row) }));
}

/** From `leg` and `place`: volumes by destination, block and service. */
export async function destinationVolumes(
  database: Database,
): Promise<Pick<Traffic, "destinations" | "destinationCount" | "prefixes" | "services">> {
  const services = (await database.rows(totals.services)).map((row) => ({
    ...serviceOf(row),
    addresses: number(row.addresses),
    ...volume(row),
  }));
  const destinations = await database.rows(totals.destinations(TOP));
  const prefixes = await database.rows(totals.prefixes(TOP));
  return {
    destinations: destinations.map((row) => ({
      address: String(row.address),
      prefix: prefixOf(String(row.address)),
      ...serviceOf(row),
      ...volume(row),
    })),
    destinationCount: services.reduce((sum, { addresses }) => sum + addresses, 0),
    prefixes: prefixes.map((row) => ({
      prefix: String(row.prefix),
      addresses: number(row.addresses),
      ...volume(row),
    })),
    services,
  };
}

const serviceOf = ({ service, region }: Row) => ({ service: text(service), region: text(region) });

/** Bytes out and in, of the columns `out_bytes` and `in_bytes`. */
function volume(row: Row): Volume {
  return { outBytes: number(row.out_bytes), inBytes: number(row.in_bytes) };
}

/** Fills `place` from `address`. */
export async function findPlaces(database: Database, ranges: Ranges): Promise<void> {
  await database.run(totals.placeTable);
  await database.append("place", places(await database.pieces("select id, a from address"), ranges));
}

function* places(pieces: readonly (readonly (readonly unknown[])[])[], { find }: Ranges): Generator<Columns> {
  for (const rows of pieces) {
    const addresses = rows.map(([, address]) => String(address));
    const services = addresses.map(find);
    yield [
      rows.map(([id]) => Number(id)),
      services.map((service) => service?.service ?? null),
      services.map((service) => service?.region ?? null),
      addresses.map(prefixOf),
    ];
  }
}

/** From `leg`: bytes of flows that the private side opened, and of the others. */
export async function volumes(database: Database) {
  const rows = await database.rows(totals.totals);
  const of = (outbound: boolean) => {
    const row = rows.find((one) => one.outbound === outbound) ?? {};
    return { ...volume(row), outPackets: number(row.out_packets), inPackets: number(row.in_packets) };
  };
  return [of(true), of(false)] as const;
}

/** From `minute`. */
export async function peakOf(database: Database): Promise<Traffic["peak"]> {
  const [row = {}] = await database.rows(totals.peaks);
  if (row.at === null || row.at === undefined) {
    return null;
  }
  const perSecond = (bytes: unknown) => (number(bytes) * 8000) / totals.WINDOW_MS;
  const rate = (estimate: string, least: string, most: string): BoundedRate => ({
    least: perSecond(row[least]),
    estimate: perSecond(row[estimate]),
    most: perSecond(row[most]),
  });
  return {
    out: rate("out_bytes", "out_least", "out_most"),
    in: rate("in_bytes", "in_least", "in_most"),
    both: rate("bytes", "least", "most"),
    at: iso(number(row.at)),
  };
}
