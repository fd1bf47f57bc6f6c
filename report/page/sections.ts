/** The report's document: its sections in order, the answer first, for page and Markdown alike. */
import type { Results } from "../../bench/results/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { facetCharts } from "../charts/facets.ts";
import type { Comparison } from "../comparison/comparison.ts";
import { matricesOf } from "../comparison/matrix.ts";
import { type Block, type Document, list, type Section, table, text } from "../document/document.ts";
import type { Report } from "../report.ts";
import { bestTable, cellsTable, unmeasuredTable } from "../tables/matrix-tables.ts";
import { priceSourcesTable, trendTable, worseTable } from "../tables/tables.ts";
import { counted, timeOf } from "../text/format.ts";
import { live, liveBlocks } from "./answer.ts";
import { needsForm } from "./inputs.ts";
import {
  cases,
  conditions,
  failover,
  failures,
  library,
  natLimits,
  published,
  verdict,
} from "./measured-sections.ts";
import { pictures, seconds } from "./pictures.ts";

/** The whole report as a document. */
export function documentOf(report: Report): Document {
  const { comparison, problems, madeAt } = report;
  const nothing = comparison.columns.length === 0;
  const name = title(comparison);
  return {
    title: name,
    heading: "Which way out of a private subnet?",
    origin: `${name}. Made ${timeOf(madeAt)} by egress-bench.`,
    opening: [
      ...(problems.length === 0
        ? []
        : [
            {
              kind: "box" as const,
              look: "problems" as const,
              blocks: [text("Could not be used or compared:"), ...list(problems)],
            },
          ]),
      ...(nothing ? [text("There is nothing to show: no usable results.")] : []),
    ],
    sections: nothing ? [] : sectionsOf(report),
  };
}

function sectionsOf(report: Report): Section[] {
  return [
    { id: "answer", heading: "What to pick", blocks: answer(report) },
    { id: "matrix", heading: "Cell by cell", blocks: matrix(report) },
    { id: "sizing", heading: "How many do I need?", blocks: sizing(report) },
    { id: "cost", heading: "Cost", blocks: cost(report) },
    { id: "regions", heading: "Region by region", blocks: regions(report) },
    { id: "trend", heading: "Over time", blocks: trend(report) },
    { id: "baseline", heading: "Since the baseline", blocks: baseline(report) },
    { id: "verdict", heading: "What was measured", blocks: verdict(report) },
    { id: "failures", heading: "What failed and why", blocks: failures(report) },
    { id: "pictures", heading: "Pictures", blocks: pictures(report) },
    { id: "seconds", heading: "Second by second", blocks: seconds(report) },
    { id: "published", heading: "Published by others", blocks: published(report) },
    { id: "library", heading: "The results library", blocks: library(report) },
    { id: "nat-limits", heading: "NAT limits", blocks: natLimits(report) },
    { id: "failover", heading: "When the NAT instance fails", blocks: failover(report) },
    { id: "cases", heading: "All cases", blocks: cases(report) },
    { id: "conditions", heading: "Conditions", blocks: conditions(report) },
  ];
}

function title({ columns }: Comparison): string {
  const nameOf = ({ stack, matrixCell }: Results) =>
    matrixCell === null ? stack : `matrix ${matrixCell.matrix}`;
  const stacks = [...new Set(columns.map(({ results }) => `${nameOf(results)} (${results.cloud})`))];
  return stacks.length === 0 ? "Egress comparison" : `Egress comparison: ${stacks.join(", ")}`;
}

/** Empty without a measured matrix. */
function matrix({ comparison, unmeasured }: Report): Block[] {
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

function liveOf({ answers, answerData }: Report, kind: Parameters<typeof live>[1]): Block[] {
  return live(liveBlocks(answers, answerData), kind);
}

/** The sentence of each cloud, the inputs that change it, and every way out compared with the pick. */
function answer(report: Report): Block[] {
  const notes = [...new Set(report.comparison.columns.flatMap(({ results }) => results.notes))];
  return [
    ...liveOf(report, "answer"),
    { kind: "html", html: needsForm(report.needs, report.answerData) },
    ...liveOf(report, "ways"),
    ...(notes.length === 0
      ? []
      : [{ kind: "box" as const, look: "read-first" as const, blocks: list(notes) }]),
  ];
}

/** Needed ports, addresses and gateways. */
function sizing(report: Report): Block[] {
  return liveOf(report, "sizing");
}

/** The bill line by line, and the sources of its prices. */
function cost(report: Report): Block[] {
  return [
    ...liveOf(report, "bill"),
    ...list(report.priceNotes),
    ...table(priceSourcesTable(report), "Prices and their sources", "folded"),
  ];
}

/** Empty where no other region is compared. */
function regions(report: Report): Block[] {
  return report.answerData.every(({ compared }) => compared.length === 0)
    ? []
    : [
        text("Each region at its own prices; what has no price there costs at least the sum of what has."),
        ...liveOf(report, "regions"),
      ];
}

/** One table per stack that ran at least twice. */
function trend({ trends }: Report): Block[] {
  return trends.flatMap((one) =>
    table(trendTable(one), `Runs of ${one.stack} (${cloudRecords[one.cloud].title}), oldest first`, "plain"),
  );
}

/** Empty without an earlier run to compare with. */
function baseline(report: Report): Block[] {
  const { baseline: found } = report;
  return found === null
    ? []
    : [
        text(`Compared with ${found.source}.`),
        ...list(found.sentences),
        ...table(worseTable(report), "What got worse"),
      ];
}
