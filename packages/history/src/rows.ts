/** Makes rows of the history from a results document. */
import { repetitionValues } from "../../../bench/figures/estimate.ts";
import { comparedIds, figures } from "../../../bench/figures/index.ts";
import type { CaseResult, Results, TopologyResult } from "../../../bench/results/index.ts";
import { pilotOf, tellingPilot } from "../../../bench/statistics/sample.ts";
import { goalWords } from "../../../bench/summary/search-summary.ts";
import { HISTORY_VERSION, type HistoryRow } from "./columns.ts";

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
