/** From the engine's `raw` table to what the traffic is. */
import { addressKinds, prefixOf, readAddress } from "../../advise/addresses.ts";
import { FormatError } from "../../advise/fields.ts";
import type { Ranges } from "../../advise/ranges.ts";
import * as legs from "../../advise/sql/legs.ts";
import * as totals from "../../advise/sql/totals.ts";
import type {
  BoundedRate,
  NatInterface,
  NatReason,
  OtherTraffic,
  ServiceVolume,
  Traffic,
  Volume,
} from "../../advise/traffic.ts";
import type { Columns, Database, Row } from "../database.ts";
import { regionOfZone } from "../known-names.ts";
import { UsageError } from "../usage-error.ts";
import { flowsOf } from "./flows.ts";
import type { AnalysisStep } from "./progress.ts";
import type { ReadLogs } from "./read.ts";
import { number, text, volume } from "./rows.ts";
import { zonesOf } from "./zones.ts";

const HOUR_MS = 3_600_000;
/** Destinations and prefixes that are listed one by one. */
const TOP = 50;

/** How records are analysed. */
export interface AnalyseOptions {
  readonly ranges: Ranges;
  /** Interfaces or addresses that are NATs; `none`: no interface is. Empty: they are found. */
  readonly nats: readonly string[];
  readonly progress: (step: AnalysisStep) => void;
}

/** The analysed traffic. */
export async function analyse(
  database: Database,
  read: ReadLogs,
  { ranges, nats: named, progress }: AnalyseOptions,
): Promise<Traffic> {
  progress("looking up addresses");
  await placeAddresses(database, ranges);
  progress("removing duplicates");
  const duplicateRecords = await makeRecords(database, read);
  const nats = await findNats(database, named);
  progress("following flows");
  const natIds = nats.map(({ id }) => id);
  await makeLegs(database, natIds, named.length > 0);
  const [outbound, inbound] = await volumes(database);
  progress("counting flows");
  const flows = read.hasPorts ? await flowsOf(database, read.cloud) : null;
  const services = (await database.rows(totals.services)).map(serviceVolume);
  return {
    cloud: read.cloud,
    source: "flow logs",
    counters: null,
    region: (await regionOf(database)) ?? read.region,
    logs: read.counts,
    duplicateRecords,
    ...(await periodOf(database)),
    nats: nats.map(({ name, reason }) => ({ name, reason })),
    zones: await zonesOf(database, natIds),
    total: outbound,
    other: { ...(await otherTraffic(database, inbound)), ...(await notCarried(database, natIds)) },
    peak: await peakOf(database),
    byHour: await hoursOf(database),
    destinations: await destinationsOf(database),
    destinationCount: services.reduce((sum, { addresses }) => sum + addresses, 0),
    prefixes: await prefixesOf(database),
    services,
    flows,
  };
}

/**
 * Makes `leg` and `minute`: each packet once, at the NAT where the log has one.
 *
 * @param chosen Whether a person said which interfaces count.
 */
async function makeLegs(database: Database, natIds: readonly number[], chosen: boolean): Promise<void> {
  const [opener] = await database.rows(legs.anyOpener);
  await database.run(legs.outsideView);
  await database.run(legs.pastTable(chosen && natIds.length === 0 ? null : natIds));
  await database.run(legs.legTable(natIds.length === 0 ? null : natIds, opener?.known === true));
  await database.run(totals.minuteTable);
}

async function periodOf(
  database: Database,
): Promise<Pick<Traffic, "from" | "to" | "hours" | "gaps" | "intervalSeconds">> {
  await database.run(totals.coveredTable);
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

async function hoursOf(database: Database): Promise<Traffic["byHour"]> {
  const rows = await database.rows(totals.hours);
  return rows.map((row) => ({ hour: new Date(number(row.t)).toISOString(), ...volume(row) }));
}

async function destinationsOf(database: Database): Promise<Traffic["destinations"]> {
  const rows = await database.rows(totals.destinations(TOP));
  return rows.map((row) => ({
    address: String(row.address),
    prefix: prefixOf(String(row.address)),
    service: text(row.service),
    region: text(row.region),
    ...volume(row),
  }));
}

async function prefixesOf(database: Database): Promise<Traffic["prefixes"]> {
  const rows = await database.rows(totals.prefixes(TOP));
  return rows.map((row) => ({
    prefix: String(row.prefix),
    addresses: number(row.addresses),
    ...volume(row),
  }));
}

function serviceVolume(row: Row): ServiceVolume {
  return {
    service: text(row.service),
    region: text(row.region),
    addresses: number(row.addresses),
    ...volume(row),
  };
}

async function placeAddresses(database: Database, ranges: Ranges): Promise<void> {
  await database.run(legs.addressTable);
  await database.run(legs.interfaceTable);
  await database.run(legs.placeTable);
  // All are held at once: an engine that answers cannot take rows at the same time.
  const pieces: (readonly (readonly unknown[])[])[] = [];
  for await (const rows of database.stream("select id, a from address")) {
    pieces.push(rows);
  }
  await database.append("place", places(pieces, ranges));
  await database.run(legs.servicesOfLog);
}

function* places(pieces: readonly (readonly (readonly unknown[])[])[], { find }: Ranges): Generator<Columns> {
  for (const rows of pieces) {
    const addresses = rows.map(([, address]) => String(address));
    const services = addresses.map(find);
    yield [
      rows.map(([id]) => Number(id)),
      addresses.map((address) => addressKinds.indexOf(readAddress(address).kind)),
      services.map((service) => service?.service ?? null),
      services.map((service) => service?.region ?? null),
      addresses.map(prefixOf),
    ];
  }
}

/** @throws {UsageError} when a name is none of the log's interfaces */
async function findNats(
  database: Database,
  named: readonly string[],
): Promise<(NatInterface & { readonly id: number })[]> {
  if (named.includes("none")) {
    return [];
  }
  if (named.length === 0) {
    const rows = await database.rows(legs.natInterfaces);
    return rows.map(({ id, name, reason }) => ({
      id: Number(id),
      name: String(name),
      reason: String(reason) as NatReason,
    }));
  }
  const rows = await database.rows("select id, iface as name from interface order by iface");
  const found = rows.filter(({ name }) => named.includes(String(name)));
  const unknown = named.find((one) => !found.some(({ name }) => name === one));
  if (unknown !== undefined) {
    throw new UsageError(
      `--nat: the log has no interface "${unknown}"; give its id as the log has it, or none`,
    );
  }
  return found.map(({ id, name }) => ({ id: Number(id), name: String(name), reason: "given" }));
}

async function volumes(database: Database) {
  const rows = await database.rows(totals.totals);
  const of = (outbound: boolean) => {
    const row = rows.find((one) => one.outbound === outbound) ?? {};
    return { ...volume(row), outPackets: number(row.out_packets), inPackets: number(row.in_packets) };
  };
  return [of(true), of(false)] as const;
}

type NotCarried = Pick<OtherTraffic, "bypassed" | "unseenBytes">;

/** Traffic with public addresses that no NAT of the log carried. */
async function notCarried(database: Database, natIds: readonly number[]): Promise<NotCarried> {
  const paths = await database.rows(legs.pastBytes);
  const unseenBy = async () => {
    const [inside = {}] = await database.rows(legs.insideLegs(natIds));
    return database.rows(legs.unseenBytes(natIds, inside.known === true));
  };
  const [unseen = {}] = natIds.length === 0 ? [] : await unseenBy();
  return {
    bypassed: paths.map(({ path, bytes }) => ({ path: number(path), bytes: number(bytes) })),
    unseenBytes: number(unseen.bytes),
  };
}

async function otherTraffic(
  database: Database,
  inbound: Volume,
): Promise<Omit<OtherTraffic, keyof NotCarried>> {
  const rows = await database.rows(legs.classTotals);
  const sum = (key: "bytes" | "records", test: (row: Row) => boolean) =>
    rows.filter(test).reduce((all, row) => all + number(row[key]), 0);
  const accepted = (name: legs.PairClass) =>
    sum("bytes", (row) => row.accept === true && row.class === legs.classCode(name));
  const invalidAddressRecords = sum("records", (row) => row.class === legs.classCode("invalid"));
  if (invalidAddressRecords > 0 && invalidAddressRecords === sum("records", () => true)) {
    throw new FormatError(
      `no record could be used: all ${invalidAddressRecords} have something else than an address`,
    );
  }
  return {
    insideBytes: accepted("inside"),
    ipv6Bytes: accepted("ipv6"),
    localBytes: accepted("local"),
    publicBytes: accepted("public"),
    inboundBytes: inbound.outBytes + inbound.inBytes,
    rejectedRecords: sum("records", ({ accept }) => accept === false),
    invalidAddressRecords,
  };
}

/** Whether records lack their beginning, which the flow's record before tells. */
const needsTimes = { aws: false, azure: true } as const;

/** Makes `record`. @returns how many were there more than once; null: the format does not tell */
async function makeRecords(database: Database, { whole, cloud }: ReadLogs): Promise<number | null> {
  await database.run(legs.numberedTable);
  const [alike = {}] = whole ? await database.rows(legs.alikeRows) : [];
  const repeated = number(alike.n) > 0;
  const timed = needsTimes[cloud];
  if (repeated || timed) {
    await database.run(repeated ? legs.distinctTable : "create view once as from numbered");
  }
  if (timed) {
    await database.run(legs.timedTable);
  }
  await database.run(legs.recordView(timed ? "timed" : repeated ? "once" : "numbered"));
  if (!whole) {
    return null;
  }
  const [row = {}] = repeated ? await database.rows(legs.repeatedRows) : [];
  return number(row.n);
}

/** The region that most records name, or else the one of the zone that most are in. */
async function regionOf(database: Database): Promise<string | null> {
  const most = async (column: "region" | "az") => {
    const [row = {}] = await database.rows(
      `select ${column} as name from raw where ${column} is not null group by ${column} order by count(*) desc, ${column} limit 1`,
    );
    return text(row.name);
  };
  const zone = await most("az");
  return (await most("region")) ?? (zone === null ? null : regionOfZone(zone));
}

async function peakOf(database: Database): Promise<Traffic["peak"]> {
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
    at: new Date(number(row.at)).toISOString(),
  };
}
