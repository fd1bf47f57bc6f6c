/** Reads the aggregates of flow logs, which this machine's engine or another one made, into a description of their traffic. */

import { groupBy } from "../../../bench/group-by.ts";
import type { PricedCloud } from "../../../bench/topologies/clouds.ts";
import { idleTimeoutSeconds } from "../../../bench/topologies/limits.ts";
import { type Database, number, type Row, text } from "../../../cli/database.ts";
import { regionOfZone } from "../../../cli/known-names.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { FormatError } from "../src/fields.ts";
import type { Ranges } from "../src/ranges.ts";
import { AGGREGATES_VERSION, aggregateColumns } from "../src/reduction/aggregates.ts";
import {
  aggregateTables,
  firstTwice,
  missingRows,
  partOf,
  readAggregates,
  servicesOfLog,
  statedRows,
} from "../src/reduction/figures.ts";
import { classCode, type PairClass } from "../src/reduction/pairs.ts";
import { harmlessReasons, lineReasons } from "../src/reduction/raw.ts";
import type { Flows, LogCounts, NatReason, NatZones, OtherTraffic, Traffic, Volume } from "../src/traffic.ts";
import { destinationVolumes, findPlaces, hoursOf, peakOf, periodOf, volumes } from "./figures.ts";
import { type LogFile, plainHeadOf } from "./files.ts";
import { noneUsable, reasonOf } from "./unusable.ts";

type Part = (name: string) => Promise<Row[]>;

/** The traffic in aggregates. @throws {FormatError} where they are of no reduction, or of several */
export async function readReduced(
  database: Database,
  files: readonly LogFile[],
  ranges: Ranges,
): Promise<Traffic> {
  const unusable = await load(database, files);
  await assertWhole(database, files, unusable);
  assertOneReduction(await database.rows(partOf("version")));
  const lines = await database.rows(partOf("lines"));
  return trafficOfAggregates(database, ranges, {
    cloud: "aws",
    regionOfFiles: null,
    logs: countsFrom(lines, files, unusable),
    duplicateRecords: lines.reduce((sum, { v2 }) => sum + number(v2), 0),
    hasPorts: true,
  });
}

/** Facts of a log that its aggregates do not have. */
interface ReducedLog extends Pick<Traffic, "cloud" | "logs" | "duplicateRecords"> {
  /** Where the records name no region. */
  readonly regionOfFiles: string | null;
  /** Whether records have ports, without which there are no flows. */
  readonly hasPorts: boolean;
}

/** The traffic in `aggregate`. @throws {UsageError} for a named NAT that the log does not have */
export async function trafficOfAggregates(
  database: Database,
  ranges: Ranges,
  { regionOfFiles, hasPorts, ...log }: ReducedLog,
): Promise<Traffic> {
  const part: Part = (name) => database.rows(partOf(name));
  const nats = (await part("nat")).map(({ a, b }) => ({ name: String(a), reason: String(b) as NatReason }));
  assertKnown(
    (await part("asked")).map(({ a }) => String(a)),
    nats.map(({ name }) => name),
  );
  for (const table of aggregateTables) {
    await database.run(table);
  }
  await findPlaces(database, ranges);
  await database.run(servicesOfLog);
  const [outbound, inbound] = await volumes(database);
  return {
    ...log,
    ...{ source: "flow logs", counters: null },
    region: regionFrom(await part("region")) ?? regionOfFiles,
    ...(await periodOf(database)),
    nats,
    zones: await zones(part),
    total: outbound,
    other: { ...otherTraffic(await part("class"), inbound), ...(await notCarried(part, nats.length > 0)) },
    peak: await peakOf(database),
    byHour: await hoursOf(database),
    ...(await destinationVolumes(database)),
    flows: hasPorts ? await flowsFrom(part, log.cloud) : null,
  };
}

/** @throws {UsageError} for a name that no detected interface has */
function assertKnown(named: readonly string[], found: readonly string[]): void {
  const unknown = named.find((one) => !found.includes(one));
  if (unknown !== undefined) {
    throw new UsageError(
      `--nat: the log has no interface "${unknown}"; give its id as the log has it, or none`,
    );
  }
}

/** Traffic that a NAT could have carried and did not. */
type NotCarried = Pick<OtherTraffic, "bypassed" | "unseenBytes">;

/**
 * Traffic that bypassed the NAT, from rows with class `i`, acceptance `j`, records `v1` and bytes `v2`.
 *
 * @throws {FormatError} when no record has two addresses
 */
function otherTraffic(rows: readonly Row[], inbound: Volume): Omit<OtherTraffic, keyof NotCarried> {
  const sum = (key: "v1" | "v2", test: (row: Row) => boolean) =>
    rows.filter(test).reduce((all, row) => all + number(row[key]), 0);
  const of = (name: PairClass) => (row: Row) => number(row.i) === classCode(name);
  const accepted = (name: PairClass) => sum("v2", (row) => number(row.j) === 1 && of(name)(row));
  const invalidAddressRecords = sum("v1", of("invalid"));
  if (invalidAddressRecords > 0 && invalidAddressRecords === sum("v1", () => true)) {
    throw new FormatError(`no record could be used: all ${invalidAddressRecords} have no valid address`);
  }
  return {
    insideBytes: accepted("inside"),
    ipv6Bytes: accepted("ipv6"),
    localBytes: accepted("local"),
    publicBytes: accepted("public"),
    inboundBytes: inbound.outBytes + inbound.inBytes,
    rejectedRecords: sum("v1", ({ j }) => number(j) === 0),
    invalidAddressRecords,
  };
}

/** Makes `aggregate`. @returns the files that could not be used */
async function load(database: Database, files: readonly LogFile[]): Promise<LogCounts["unusable"]> {
  const unusable: { file: string; reason: string }[] = [];
  const { texts, numbers, places } = aggregateColumns;
  const columns = [...texts, ...numbers, ...places];
  for (const [at, file] of files.entries()) {
    try {
      const [head = ""] = plainHeadOf(file.path).text.split("\n");
      if (head.replaceAll('"', "").trim() !== columns.join(",")) {
        throw new FormatError(
          `expected a CSV file whose first line is ${columns.join(",")}, as this release's --sql writes it`,
        );
      }
      await database.run(
        readAggregates(
          database.literalPath(file.path),
          at,
          file === files.find((one) => !unusable.some((bad) => bad.file === one.name)),
        ),
      );
    } catch (error) {
      unusable.push({ file: file.name, reason: reasonOf(error) });
    }
  }
  if (unusable.length === files.length) {
    throw noneUsable(unusable);
  }
  return unusable;
}

/** @throws {FormatError} where rows are missing, come twice, or are of another reduction */
async function assertWhole(
  database: Database,
  files: readonly LogFile[],
  unusable: LogCounts["unusable"],
): Promise<void> {
  const name = (at: unknown) => files[number(at)]?.name;
  const refuse = (found: string) => {
    throw new FormatError(
      `--aggregates: expected the files of one reduction; ${found}: copy all files of the reduction, and those alone${unusable.map(({ file, reason }) => `\n  ${file}: ${reason}`).join("")}`,
    );
  };
  const [one, other] = await database.rows(statedRows);
  if (other !== undefined) {
    refuse(`${name(one?.file)} says that it has ${one?.total} rows, ${name(other.file)} says ${other.total}`);
  }
  const [twice] = await database.rows(firstTwice);
  if (twice !== undefined) {
    refuse(`row ${twice.nth} of ${one?.total} is in ${name(twice.one)} and in ${name(twice.other)}`);
  }
  const gaps = (await database.rows(missingRows)).map(({ low, high, before, after }) => {
    const rows =
      low === high ? `row ${low} of ${one?.total} is` : `rows ${low} to ${high} of ${one?.total} are`;
    const place =
      before === null
        ? `before ${name(after)}`
        : after === null
          ? `after ${name(before)}`
          : `between ${name(before)} and ${name(after)}`;
    return `${rows} missing, ${place}`;
  });
  if (gaps.length > 0) {
    refuse(gaps.join("; "));
  }
}

function assertOneReduction(rows: readonly Row[]): void {
  if (rows.length !== 1) {
    throw new FormatError(
      `--aggregates: expected the files of one reduction, with one row "version"; got ${rows.length}`,
    );
  }
  if (number(rows[0]?.v1) !== AGGREGATES_VERSION) {
    throw new FormatError(
      `--aggregates: expected version ${AGGREGATES_VERSION}; got ${number(rows[0]?.v1)}; reduce the logs again with this release's --sql`,
    );
  }
}

/** @throws {FormatError} when no line could be used */
function countsFrom(
  rows: readonly Row[],
  files: readonly LogFile[],
  unusable: LogCounts["unusable"],
): LogCounts {
  const found = rows.map(({ i, v1 }) => ({ reason: lineReasons[number(i)] ?? "ok", count: number(v1) }));
  const of = (reason: string) => found.find((one) => one.reason === reason)?.count ?? 0;
  const bad = found.filter(({ reason }) => !harmlessReasons.has(reason));
  const [noData, skipData] = [
    of("NODATA: no traffic in the interval"),
    of("SKIPDATA: the cloud skipped records"),
  ];
  if (of("ok") + noData + skipData === 0) {
    throw new FormatError(
      `expected records of a flow log; the engine found none${bad.map(({ reason, count }) => `\n  ${count}: ${reason}`).join("")}`,
    );
  }
  return {
    files: files.length - unusable.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    lines: found.reduce((sum, { count }) => sum + count, 0),
    ...{ noData, skipData, unusable, cut: [] },
    bad: bad.map((one) => ({ ...one, atLeast: false, examples: [] })),
  };
}

/** The region that most records name, else the region of the most frequent zone. */
function regionFrom(rows: readonly Row[]): string | null {
  const most = (what: string) =>
    text(
      rows.filter(({ a }) => a === what).toSorted((one, other) => number(other.v1) - number(one.v1))[0]?.b,
    );
  const zone = most("az");
  return most("region") ?? (zone === null ? null : regionOfZone(zone));
}

/** Null: no NAT is known, or the log names neither zones nor subnets. */
async function zones(part: Part): Promise<NatZones | null> {
  const rows = (await part("nat zone")).map(({ a, b, c, d }) => ({ id: a, vpc: b, zone: c, az: d }));
  const places = [...groupBy(rows, ({ id }) => id).values()].flatMap((own) => {
    const named = own.filter(({ zone }) => zone !== null);
    return named.length > 0 ? named : own.slice(0, 1);
  });
  if (places.every(({ zone }) => zone === null)) {
    return null;
  }
  const between = (await part("crossing")).map(({ a, b, v1 }) => ({
    client: String(a),
    nat: String(b),
    bytes: number(v1),
  }));
  return {
    gateways: places.length,
    zones: [...new Set(places.flatMap(({ zone }) => text(zone) ?? []))].sort(),
    named: places.every(({ az }) => az !== null),
    vpcs: Math.max(1, new Set(places.flatMap(({ vpc }) => text(vpc) ?? [])).size),
    ...sharesOf(between),
  };
}

interface Between {
  readonly client: string;
  readonly nat: string;
  readonly bytes: number;
}

function sharesOf(between: readonly Between[]): Pick<NatZones, "crossingShare" | "crossingShareOfOne"> {
  const sum = (some: readonly Between[]) => some.reduce((all, { bytes }) => all + bytes, 0);
  const all = sum(between);
  if (all === 0) {
    return { crossingShare: null, crossingShareOfOne: null };
  }
  const ofZone = [...new Set(between.map(({ client }) => client))].map((zone) =>
    sum(between.filter(({ client }) => client === zone)),
  );
  return {
    crossingShare: sum(between.filter(({ client, nat }) => client !== nat)) / all,
    crossingShareOfOne: 1 - Math.max(...ofZone) / all,
  };
}

/** By client if the log has the NATs' inside legs with at least half the bytes of the outside. */
async function notCarried(part: Part, hasNats: boolean): Promise<NotCarried> {
  const one = async (name: string) => number((await part(name))[0]?.v1);
  const byClient = (await one("inside")) >= 0.5 * (await one("carried"));
  return {
    bypassed: (await part("past")).map(({ i, v1 }) => ({ path: number(i), bytes: number(v1) })),
    unseenBytes: hasNats ? await one(byClient ? "unseen by client" : "unseen by server") : 0,
  };
}

async function flowsFrom(part: Part, cloud: PricedCloud): Promise<Flows> {
  const [[low, high, opened], [spans = {}], [silence = {}]] = [
    await Promise.all(["least at once", "most at once", "opened"].map(part)),
    await part("spans"),
    await part("silence"),
  ];
  const of = (rows: readonly Row[] | undefined, group: string) => rows?.find(({ a }) => a === group);
  const bounds = (group: string) => ({ low: number(of(low, group)?.v1), high: number(of(high, group)?.v1) });
  const busiest = of(high, "destination");
  return {
    ...{ opened: number(spans.v1), clients: number(spans.v2), concurrent: bounds("all") },
    openedPerSecond: number(of(opened, "all")?.v1) / 60,
    busiest:
      busiest === undefined
        ? null
        : {
            ...{ address: String(busiest.c), port: number(busiest.i), protocol: number(busiest.j) },
            concurrent: bounds("destination"),
            openedPerSecond: number(of(opened, "destination")?.v1) / 60,
          },
    perClient: bounds("clientAndDestination"),
    silences: {
      longestSeconds: silence.v1 === null || silence.v1 === undefined ? null : number(silence.v1),
      over: [60, idleTimeoutSeconds[cloud], 3600].map((seconds, at) => ({
        seconds,
        flows: number([silence.v2, silence.v3, silence.v4][at]),
      })),
      longest: (await part("longest silence"))
        .toSorted((one, other) => number(one.v2) - number(other.v2))
        .map(({ a, b, i, j, v1 }) => ({
          ...{ client: String(a), address: String(b) },
          ...{ port: number(i), protocol: number(j), seconds: number(v1) },
        })),
    },
  };
}
