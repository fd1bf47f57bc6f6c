/** The section of a matrix: best per question, small multiples by axis, every cell, and missing ones. */
import { facetCharts } from "../charts/facets.ts";
import { matricesOf } from "../comparison/matrix.ts";
import { type Block, table, text } from "../document/document.ts";
import type { Report } from "../report.ts";
import { bestTable, cellsTable, unmeasuredTable } from "../tables/matrix-tables.ts";
import { counted } from "../text/format.ts";

/** Empty without a measured matrix. */
export function matrix({ comparison, unmeasured }: Report): Block[] {
  const views = matricesOf(comparison);
  const ofEach = views.flatMap((view, number): Block[] => {
    const several = views.length > 1 ? `: ${view.name}` : "";
    const axes = view.axes.map(({ name, labels }) => `${name} (${labels.length})`).join(", ");
    return [
      text(
        `Matrix ${view.name}: ${counted(view.entries.length, "way")} out measured, by ${axes || "no axis"}.`,
      ),
      ...table(bestTable(view), `Best per question${several}`),
      {
        kind: "page",
        blocks: () => facetCharts(view, number).map((chart) => ({ kind: "chart", chart, legend: [] })),
      },
      ...table(cellsTable(view), `Every cell${several}`, "sortable"),
    ];
  });
  return [...ofEach, ...table(unmeasuredTable(unmeasured), "Cells that were not measured", "plain")];
}
