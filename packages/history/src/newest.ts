/** The newest run of each series, for services with a history of their own. */
import type { BenchmarkFigure } from "../../../report/exports/benchmarks.ts";
import type { Series } from "./series.ts";

const caseOf = ({ cloud, stack, region, topology, caseId }: Series) =>
  JSON.stringify([cloud, stack, region, topology, caseId]);

/** One figure per series. None if the case's newest run has no value: an older run's would mislead. */
export function newestFigures(series: readonly Series[]): BenchmarkFigure[] {
  const newest = new Map<string, string>();
  for (const one of series) {
    const [at, before] = [one.points.at(-1)?.at ?? "", newest.get(caseOf(one)) ?? ""];
    newest.set(caseOf(one), at > before ? at : before);
  }
  return series.flatMap((one) => {
    const { points, stack, topology, caseId, figure, goal } = one;
    const found = points.at(-1);
    const value = found?.value ?? null;
    return found === undefined || value === null || found.at !== newest.get(caseOf(one))
      ? []
      : {
          ...{ id: figure, name: `${topology} (${stack}) ${caseId}`, found: { ...found, value } },
          said: [found.absent, goal].filter((said) => said !== null),
        };
  });
}
