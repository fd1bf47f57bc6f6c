/** The newest run of each series, for services that keep a history of their own. */
import type { BenchmarkFigure } from "../report/exports/benchmarks.ts";
import type { Series } from "./series.ts";

/** One figure per series. */
export function newestFigures(series: readonly Series[]): BenchmarkFigure[] {
  return series.flatMap(({ points, stack, topology, caseId, figure, goal }) => {
    const found = points.at(-1);
    return found === undefined
      ? []
      : [
          {
            ...{ id: figure, name: `${topology} (${stack}) ${caseId}`, found },
            said: [found.absent, goal].filter((one) => one !== null),
          },
        ];
  });
}
