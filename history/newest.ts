/** The newest run of each series, for services that keep a history of their own. */
import type { BenchmarkFigure } from "../report/exports/benchmarks.ts";
import type { Series } from "./series.ts";

/** One figure per series. None where the newest run has no value: an older run's is not the newest. */
export function newestFigures(series: readonly Series[]): BenchmarkFigure[] {
  return series.flatMap(({ points, stack, topology, caseId, figure, goal }) => {
    const found = points.at(-1);
    const value = found?.value ?? null;
    return found === undefined || value === null
      ? []
      : [
          {
            ...{ id: figure, name: `${topology} (${stack}) ${caseId}`, found: { ...found, value } },
            said: [found.absent, goal].filter((one) => one !== null),
          },
        ];
  });
}
