/** The reduction of flow logs as a script: its statements in order, and instructions. */
import { idleTimeoutSeconds } from "../../../../bench/topologies/limits.ts";
import { aggregates } from "./aggregates.ts";
import { type Dialect, dialects, type Engine } from "./dialects.ts";
import { markTable, natTable, outsideTable, placeTable } from "./flows.ts";
import { type LogTable, recordTable } from "./records.ts";

/** Tables that the reduction makes, in order. */
export const reductionTables = [
  "egress_bench_record",
  "egress_bench_place",
  "egress_bench_nat",
  "egress_bench_outside",
  "egress_bench_mark",
] as const;

export interface Reduction extends LogTable {
  readonly engine: Engine;
  /** Interfaces that a person named as NATs, or `none`. Empty: they are detected. */
  readonly nats: readonly string[];
  /** Directory for the aggregates; Athena stores them with its query results. */
  readonly directory: string;
}

/** The statements in order: five tables, of which only the first reads the log, and the aggregates. */
export function statementsOf({ engine, nats, directory, ...log }: Reduction): string[] {
  const dialect: Dialect = dialects[engine];
  const idle = idleTimeoutSeconds.aws;
  return [
    recordTable(dialect, log),
    placeTable(dialect),
    natTable(dialect, nats),
    outsideTable(dialect, nats, {
      paths: log.fields.includes("traffic-path"),
      openers: log.fields.includes("tcp-flags"),
    }),
    markTable(dialect, idle),
    dialect.writeCsv(aggregates(dialect, nats, idle), directory),
  ];
}
