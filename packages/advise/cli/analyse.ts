/** Reduces the lines of the engine's `raw` table to `aggregate`, by the statements that other engines run. */

import { idleTimeoutSeconds } from "../../../bench/topologies/limits.ts";
import { type Database, number, text } from "../../../cli/database.ts";
import { regionOfZone } from "../../../cli/known-names.ts";
import { addressKinds, readAddress } from "../src/addresses.ts";
import type { Ranges } from "../src/ranges.ts";
import { type Aggregate, aggregateColumns, partsOf } from "../src/reduction/aggregates.ts";
import { dialects } from "../src/reduction/dialects.ts";
import { markTable, natTable, outsideTable, placeTable } from "../src/reduction/flows.ts";
import { freeTable } from "../src/reduction/free.ts";
import * as local from "../src/reduction/local.ts";
import type { Traffic } from "../src/traffic.ts";
import { trafficsOfLog } from "../src/usage/flow-logs.ts";
import type { AnalysisStep } from "./progress.ts";
import type { ReadLogs } from "./read.ts";

export interface AnalyseOptions {
  readonly ranges: Ranges;
  /** Interfaces or addresses of NATs; `none`: there is no NAT. Empty: they are detected. */
  readonly nats: readonly string[];
  readonly progress: (step: AnalysisStep) => void;
}

/** Whether records lack their start time, which is the end of the flow's record before. */
const needsTimes = { aws: false, azure: true } as const;

/** The traffic of each place. @throws {FormatError} for a name that no interface of the log has */
export async function analyse(
  database: Database,
  read: ReadLogs,
  { ranges, nats: named, progress }: AnalyseOptions,
): Promise<Traffic[]> {
  const { duckdb } = dialects;
  progress("looking up addresses");
  await findKinds(database);
  progress("removing duplicates");
  const [alike = {}] = read.whole ? await database.rows(local.alikeRows) : [];
  await database.run(local.localRecordTable(number(alike.n) > 0, needsTimes[read.cloud]));
  const [shown = {}] = await database.rows(local.shown);
  await database.run(placeTable(duckdb));
  await database.run(natTable(duckdb, named));
  const [nats = {}] = await database.rows("select count(*)::double as count from egress_bench_nat");
  const hasNats = number(nats.count) > 0;
  progress("following flows");
  await database.run(
    outsideTable(duckdb, named, {
      paths: number(shown.path) > 0,
      openers: !hasNats && number(shown.opener) > 0,
    }),
  );
  progress("counting flows");
  const { cloud, hasPorts } = read;
  await database.run(freeTable(duckdb, cloud, ranges.entries));
  if (hasPorts) {
    await database.run(markTable(duckdb, idleTimeoutSeconds[cloud]));
  }
  const parts = partsOf(duckdb, named, { cloud, hasNats, hasPorts });
  return trafficsOfLog(rowsOf(database, parts), {
    ...{ cloud, hasPorts, logs: read.counts, ranges, regionOfZone },
    duplicateRecords: read.whole ? number(shown.repeated) : null,
  });
}

async function* rowsOf(database: Database, parts: readonly string[]): AsyncGenerator<Aggregate> {
  const names = [...aggregateColumns.texts, ...aggregateColumns.numbers];
  const read = (value: unknown, at: number) =>
    at < aggregateColumns.texts.length ? text(value) : number(value);
  for (const part of parts) {
    for (const rows of await database.pieces(`${part} order by all`)) {
      for (const row of rows) {
        yield Object.fromEntries(names.map((name, at) => [name, read(row[at], at)])) as Aggregate;
      }
    }
  }
}

async function findKinds(database: Database): Promise<void> {
  await database.run(local.addressTable);
  await database.run(local.kindTable);
  const pieces = await database.pieces("select id, a from address");
  await database.append(
    "kind",
    pieces.map((rows) => [
      rows.map(([id]) => Number(id)),
      rows.map(([, address]) => addressKinds.indexOf(readAddress(String(address)).kind)),
    ]),
  );
  for (const type of local.nameTypes) {
    await database.run(type);
  }
  await database.run("drop table address");
}
