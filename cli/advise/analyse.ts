/**
 * From the engine's `raw` table to what the traffic is.
 *
 * @module
 */
import { addressKinds, prefixOf, readAddress } from "../../advise/addresses.ts";
import type { Ranges } from "../../advise/ranges.ts";
import * as flowsSql from "../../advise/sql/flows.ts";
import * as legs from "../../advise/sql/legs.ts";
import * as totals from "../../advise/sql/totals.ts";
import type {
  BoundedRate,
  Flows,
  NatInterface,
  NatReason,
  OtherTraffic,
  ServiceVolume,
  Traffic,
  Volume,
} from "../../advise/traffic.ts";
import { idleTimeoutSeconds } from "../../report/choice/limits.ts";
import { UsageError } from "../usage-error.ts";
import type { Columns, Database, Row } from "./database.ts";
import type { AnalysisStep } from "./progress.ts";
import type { ReadLogs } from "./read.ts";

const HOUR_MS = 3_600_000;
/** Destinations and prefixes that are listed one by one. */
const TOP = 50;

export interface AnalyseOptions {
  readonly ranges: Ranges;
  /** Interfaces or addresses that are NATs; `none`: no interface is. Empty: they are found. */
  readonly nats: readonly string[];
  readonly progress: (step: AnalysisStep) => void;
}

/** What the logs say. */
export async function analyse(
  database: Database,
  read: ReadLogs,
  { ranges, nats: named, progress }: AnalyseOptions,
): Promise<Traffic> {
  progress("looking up addresses");
  await placeAddresses(database, ranges);
  progress("telling records apart");
  const duplicateRecords = await makeRecords(database, read);
  const nats = await findNats(database, named);
  progress("following flows");
  const [opener] = await database.rows(legs.anyOpener);
  const ids = nats.length === 0 ? null : nats.map(({ id }) => id);
  await database.run(legs.legTable(ids, nats.length > 0, opener?.known === true));
  await database.run(totals.minuteTable);
  const [period = {}] = await database.rows(totals.period);
  const [outbound, inbound] = await volumes(database);
  progress("counting flows");
  const flows = read.hasPorts ? await flowsOf(database, read.cloud) : null;
  const destinations = await database.rows(totals.destinations(TOP));
  const services = (await database.rows(totals.services)).map(serviceVolume);
  const first = number(period.first);
  const last = number(period.last);
  return {
    cloud: read.cloud,
    region: await regionOf(database),
    logs: read.counts,
    duplicateRecords,
    from: new Date(first).toISOString(),
    to: new Date(last).toISOString(),
    hours: (last - first) / HOUR_MS,
    intervalSeconds: number(period.usual_ms) / 1000,
    nats: nats.map(({ name, reason }) => ({ name, reason })),
    total: outbound,
    other: await otherTraffic(database, inbound),
    peak: await peakOf(database),
    byHour: (await database.rows(totals.hours)).map((row) => ({
      hour: new Date(number(row.t)).toISOString(),
      ...volume(row),
    })),
    destinations: destinations.map((row) => ({
      address: String(row.address),
      prefix: prefixOf(String(row.address)),
      service: text(row.service),
      region: text(row.region),
      ...volume(row),
    })),
    destinationCount: services.reduce((sum, { addresses }) => sum + addresses, 0),
    prefixes: (await database.rows(totals.prefixes(TOP))).map((row) => ({
      prefix: String(row.prefix),
      addresses: number(row.addresses),
      ...volume(row),
    })),
    services,
    flows,
  };
}

function number(value: unknown): number {
  return Number(value ?? 0);
}

function text(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

function volume(row: Row): Volume {
  return { outBytes: number(row.out_bytes), inBytes: number(row.in_bytes) };
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

async function otherTraffic(database: Database, inbound: Volume): Promise<OtherTraffic> {
  const rows = await database.rows(legs.classTotals);
  const sum = (key: "bytes" | "records", test: (row: Row) => boolean) =>
    rows.filter(test).reduce((all, row) => all + number(row[key]), 0);
  const accepted = (name: legs.PairClass) =>
    sum("bytes", (row) => row.accept === true && row.class === legs.classCode(name));
  return {
    insideBytes: accepted("inside"),
    ipv6Bytes: accepted("ipv6"),
    localBytes: accepted("local"),
    publicBytes: accepted("public"),
    inboundBytes: inbound.outBytes + inbound.inBytes,
    rejectedRecords: sum("records", ({ accept }) => accept === false),
    invalidAddressRecords: sum("records", (row) => row.class === legs.classCode("invalid")),
  };
}

/** Makes `record`. @returns how many were there more than once; null: the format does not tell */
async function makeRecords(database: Database, { whole, cloud }: ReadLogs): Promise<number | null> {
  await database.run(legs.numberedTable);
  const [alike = {}] = whole ? await database.rows(legs.alikeRows) : [];
  const repeated = number(alike.n) > 0;
  if (repeated || cloud === "azure") {
    await database.run(repeated ? legs.distinctTable : "create view once as from numbered");
  }
  if (cloud === "azure") {
    await database.run(legs.timedTable);
  }
  await database.run(legs.recordView(cloud === "azure" ? "timed" : repeated ? "once" : "numbered"));
  if (!whole) {
    return null;
  }
  const [row = {}] = repeated ? await database.rows(legs.repeatedRows) : [];
  return number(row.n);
}

async function regionOf(database: Database): Promise<string | null> {
  const [row = {}] = await database.rows(
    "select region from raw where region is not null group by region order by count(*) desc, region limit 1",
  );
  return text(row.region);
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

async function flowsOf(database: Database, cloud: "aws" | "azure"): Promise<Flows> {
  const idleMs = idleTimeoutSeconds[cloud] * 1000;
  await database.run(flowsSql.markTable(idleMs));
  const [counts = {}] = await database.rows(flowsSql.flowCounts);
  const most = async (sql: string) => number((await database.rows(sql))[0]?.flows);
  const { all, destination, clientAndDestination } = flowsSql.flowKeys;
  const bounds = async (keys: readonly string[]) => ({
    low: await most(flowsSql.concurrency(keys, null, 1)),
    high: await most(flowsSql.concurrency(keys, idleMs, 1)),
  });
  return {
    opened: number(counts.spans),
    clients: number(counts.clients),
    concurrent: await bounds(all),
    openedPerSecond: (await most(flowsSql.opened(all, totals.WINDOW_MS, 1))) / 60,
    busiest: await busiest(database, idleMs, destination),
    perClient: await bounds(clientAndDestination),
    silences: await silencesOf(database, cloud),
  };
}

async function busiest(
  database: Database,
  idleMs: number,
  keys: readonly string[],
): Promise<Flows["busiest"]> {
  const [high] = await database.rows(flowsSql.concurrency(keys, idleMs, 1));
  if (high === undefined || high.flows === null) {
    return null;
  }
  const [low = {}] = await database.rows(flowsSql.concurrency(keys, null, 1));
  const [began = {}] = await database.rows(flowsSql.opened(keys, totals.WINDOW_MS, 1));
  const [address = {}] = await database.rows(`select a from address where id = ${Number(high.remote)}`);
  return {
    address: String(address.a),
    port: number(high.rport),
    protocol: number(high.proto),
    concurrent: { low: number(low.flows), high: number(high.flows) },
    openedPerSecond: number(began.flows) / 60,
  };
}

async function silencesOf(database: Database, cloud: "aws" | "azure"): Promise<Flows["silences"]> {
  const seconds = [60, idleTimeoutSeconds[cloud], 3600];
  const [row = {}] = await database.rows(flowsSql.silences(seconds));
  const longest = await database.rows(flowsSql.longestSilences(10));
  return {
    longestSeconds: row.longest === null || row.longest === undefined ? null : number(row.longest),
    over: seconds.map((value) => ({ seconds: value, flows: number(row[`over_${value}`]) })),
    longest: longest.map(({ local, remote, rport, proto, seconds: silent }) => ({
      client: String(local),
      address: String(remote),
      port: number(rport),
      protocol: number(proto),
      seconds: number(silent),
    })),
  };
}
