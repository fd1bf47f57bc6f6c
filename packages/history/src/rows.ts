/** Rows of the history, made from a results document: one per figure and repetition. */
import { repetitionValues } from "../../../bench/figures/estimate.ts";
import { comparedIds, figures } from "../../../bench/figures/index.ts";
import type { CaseResult, Results, TopologyResult } from "../../../bench/results/index.ts";
import { pilotOf, tellingPilot } from "../../../bench/statistics/sample.ts";
import { goalWords } from "../../../bench/summary/search-summary.ts";

/** Version of the rows. It changes when older readers could misread them. */
export const HISTORY_VERSION = 1;

const text = (about: string) => ({ type: "VARCHAR", about }) as const;
const whole = (about: string) => ({ type: "INTEGER", about }) as const;
const time = (about: string) => ({ type: "TIMESTAMP", about }) as const;

/**
 * Every column by name: its SQL type, and its content. All but the keys may be null. A column may be added within a version.
 */
export const columns = {
  schemaVersion: whole(`Version of the row, ${HISTORY_VERSION}.`),
  runId: text("Name of the run."),
  stack: text("Name of the Pulumi stack, which is the cell of a matrix."),
  cloud: text("`azure`, `aws`, `hosts` or `local`."),
  region: text("The cloud's region."),
  zone: text("Zone of the NAT instance, else of the client."),
  topology: text("Name of the topology within its stack."),
  kind: text("Kind of topology, a name of the registry."),
  size: text("Size of the NAT instance, else of the client."),
  kernel: text("Kernel of the NAT instance, else of the client."),
  caseId: text("Name of the case within its plan."),
  tool: text("The tool."),
  toolVersion: text("Version as the tool says it."),
  figure: text("Name of the figure, as in `report.csv`."),
  unit: text("Unit of the value."),
  repetition: whole("Number of the repetition, from 1."),
  value: {
    type: "DOUBLE",
    about: "The value in its unit. Null: traffic never recovered, or a search found no rate.",
  },
  goal: text("Loss goal and trials' length of a rate that was searched for."),
  decides: {
    type: "BOOLEAN",
    about:
      "Whether it is one of the first repetitions, whose scatter decided how many followed; true where the number was fixed.",
  },
  measuredAt: time("Start of the case, in UTC; else of the run."),
  egressBenchVersion: text("Version of the program that measured."),
  commit: text("Commit that was measured, as `--commit` or CI says it."),
} as const;

type ColumnName = keyof typeof columns;

type Value<T extends string> = T extends "VARCHAR" | "TIMESTAMP"
  ? string
  : T extends "BOOLEAN"
    ? boolean
    : number;

export type HistoryRow = {
  readonly [Name in ColumnName]: Value<(typeof columns)[Name]["type"]> | null;
};

/** One row per repetition and measured figure. Failed cases have none. */
export function rowsOf(results: Results, commit: string | null): HistoryRow[] {
  const { runId, stack, cloud, egressBenchVersion } = results;
  return results.cases.flatMap((one) => {
    const topology = results.topologies.find(({ name }) => name === one.topology);
    return figuresOf(one, pilotOf(results.plan.repeat)).map(
      (figure): HistoryRow => ({
        schemaVersion: HISTORY_VERSION,
        ...{ runId, stack, cloud, ...placeOf(topology) },
        topology: one.topology,
        kind: topology?.topology ?? null,
        caseId: one.id,
        tool: one.tool,
        toolVersion: one.toolVersion,
        ...figure,
        measuredAt: one.startedAt ?? results.startedAt,
        ...{ egressBenchVersion, commit },
      }),
    );
  });
}

/** @param pilot Number of first repetitions that decided the total. Undefined: the total was fixed. */
function figuresOf(result: CaseResult, pilot = Number.POSITIVE_INFINITY) {
  return comparedIds.flatMap((figure) => {
    const { unit, absentMeans, applies } = figures[figure];
    const { measurement } = result;
    const saysNone = absentMeans !== "" && measurement !== null && applies(measurement);
    const goal = measurement === null ? null : goalWords(figure, measurement);
    const values = repetitionValues(result, figure).filter(({ value }) => value !== null || saysNone);
    const known = values.flatMap(({ value }) => value ?? []);
    const telling = tellingPilot(known, pilot);
    return values.map(({ round, value }, index) => {
      const place = values.slice(0, index).filter((one) => one.value !== null).length;
      return { figure, unit, goal, repetition: round, value, decides: value !== null && place < telling };
    });
  });
}

/** Machine facts: the NAT instance's, if there is one. */
function placeOf(topology: TopologyResult | undefined) {
  const hosts = topology?.hosts ?? [];
  const host = hosts.find(({ role }) => role === "nat") ?? hosts.find(({ role }) => role === "client");
  return {
    region: host?.region ?? null,
    zone: host?.zone ?? host?.placement?.zone ?? null,
    size: host?.size ?? null,
    kernel: host?.kernel ?? null,
  };
}
