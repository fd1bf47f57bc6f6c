/** Analyses the engine's `raw` table. */

import { type Database, number, type Row, text } from "../../../cli/database.ts";
import { regionOfZone } from "../../../cli/known-names.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { FormatError } from "../src/fields.ts";
import type { Ranges } from "../src/ranges.ts";
import * as legs from "../src/sql/legs.ts";
import * as totals from "../src/sql/totals.ts";
import type { NatInterface, NatReason, OtherTraffic, Traffic, Volume } from "../src/traffic.ts";
import { destinationVolumes, findPlaces, hoursOf, peakOf, periodOf, volumes } from "./figures.ts";
import { flowsOf } from "./flows.ts";
import type { AnalysisStep } from "./progress.ts";
import type { ReadLogs } from "./read.ts";
import { zonesOf } from "./zones.ts";

/** How records are analysed. */
export interface AnalyseOptions {
  readonly ranges: Ranges;
  /** Interfaces or addresses of NATs; `none`: there is no NAT. Empty: they are detected. */
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
  await database.run(legs.addressTable);
  await database.run(legs.interfaceTable);
  await findPlaces(database, ranges);
  await database.run(legs.servicesOfLog);
  progress("removing duplicates");
  const duplicateRecords = await makeRecords(database, read);
  const nats = await findNats(database, named);
  progress("following flows");
  const natIds = nats.map(({ id }) => id);
  await makeLegs(database, natIds, named.length > 0);
  const [outbound, inbound] = await volumes(database);
  progress("counting flows");
  const flows = read.hasPorts ? await flowsOf(database, read.cloud) : null;
  await database.run(totals.coveredTable);
  await database.run(totals.lengthTable);
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
    other: {
      ...otherTraffic(await database.rows(legs.classTotals), inbound),
      ...(await notCarried(database, natIds)),
    },
    peak: await peakOf(database),
    byHour: await hoursOf(database),
    ...(await destinationVolumes(database)),
    flows,
  };
}

/**
 * Makes `leg` and `minute`: each packet once, at the NAT if the log has one.
 *
 * @param chosen Whether a person named the interfaces.
 */
async function makeLegs(database: Database, natIds: readonly number[], chosen: boolean): Promise<void> {
  const [opener] = await database.rows(legs.anyOpener);
  await database.run(legs.outsideView);
  await database.run(legs.pastTable(chosen && natIds.length === 0 ? null : natIds));
  await database.run(legs.legTable(natIds.length === 0 ? null : natIds, opener?.known === true));
  await database.run(totals.minuteTable);
}

/** @throws {UsageError} for a name that no interface of the log has */
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
  assertKnown(
    named,
    found.map(({ name }) => String(name)),
  );
  return found.map(({ id, name }) => ({ id: Number(id), name: String(name), reason: "given" }));
}

/** @throws {UsageError} for a name that no detected interface has */
export function assertKnown(named: readonly string[], found: readonly string[]): void {
  const unknown = named.find((one) => !found.includes(one));
  if (unknown !== undefined) {
    throw new UsageError(
      `--nat: the log has no interface "${unknown}"; give its id as the log has it, or none`,
    );
  }
}

/** Traffic that a NAT could have carried and did not. */
export type NotCarried = Pick<OtherTraffic, "bypassed" | "unseenBytes">;

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

/**
 * Traffic that bypassed the NAT, from rows with class, accept, bytes and records.
 *
 * @throws {FormatError} when no record has two addresses
 */
export function otherTraffic(rows: readonly Row[], inbound: Volume): Omit<OtherTraffic, keyof NotCarried> {
  const sum = (key: "bytes" | "records", test: (row: Row) => boolean) =>
    rows.filter(test).reduce((all, row) => all + number(row[key]), 0);
  const accepted = (name: legs.PairClass) =>
    sum("bytes", (row) => row.accept === true && number(row.class) === legs.classCode(name));
  const invalidAddressRecords = sum("records", (row) => number(row.class) === legs.classCode("invalid"));
  if (invalidAddressRecords > 0 && invalidAddressRecords === sum("records", () => true)) {
    throw new FormatError(`no record could be used: all ${invalidAddressRecords} have no valid address`);
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

/** Whether records lack their start time, which is the end of the flow's record before. */
const needsTimes = { aws: false, azure: true } as const;

/** Makes `record`. @returns the number of duplicates; null: the format does not show them */
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

/** The region that most records name, else the region of the most frequent zone. */
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
