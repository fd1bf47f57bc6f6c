/** The report's document: its sections in order, the answer first, for page and Markdown alike. */

import { groupBy } from "../../bench/group-by.ts";
import type { Results } from "../../bench/results/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { facetCharts } from "../charts/facets.ts";
import { failoverChart } from "../charts/failover.ts";
import type { Comparison } from "../comparison/comparison.ts";
import { matricesOf } from "../comparison/matrix.ts";
import { verdictSentences } from "../comparison/verdict.ts";
import {
  type Block,
  box,
  chartBlock,
  type Document,
  fold,
  list,
  type Section,
  table,
  text,
} from "../document/document.ts";
import { publishedConditions } from "../published/published.ts";
import type { Report } from "../report.ts";
import { hostsTable, runsTable } from "../tables/condition-tables.ts";
import { failoverTable } from "../tables/failover.ts";
import { bestTable, cellsTable, unmeasuredTable } from "../tables/matrix-tables.ts";
import { natLimitsTable } from "../tables/nat-limits.ts";
import * as tables from "../tables/tables.ts";
import { counted, timeOf } from "../text/format.ts";
import { live, liveBlocks } from "./answer.ts";
import { chooser, needsForm } from "./inputs.ts";
import { pictures, seconds } from "./pictures.ts";

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
        : [box("problems", [text("Could not be used or compared:"), ...list(problems)])]),
      ...(nothing ? [text("There is nothing to show: no usable results.")] : []),
    ],
    sections: nothing ? [] : sectionsOf(report),
  };
}

function sectionsOf(report: Report): Section[] {
  const clouds = new Set(report.comparison.columns.map(({ results }) => results.cloud));
  return [
    { id: "answer", heading: "What to pick", blocks: answer(report) },
    { id: "matrix", heading: "Cell by cell", blocks: matrix(report) },
    { id: "cost", heading: "Cost", blocks: cost(report) },
    { id: "regions", heading: "Region by region", blocks: regions(report) },
    { id: "trend", heading: "Over time", blocks: trend(report) },
    { id: "baseline", heading: "Since the baseline", blocks: baseline(report) },
    // The answers for two clouds fill what is in sight.
    { id: "verdict", heading: "What was measured", blocks: verdict(report), folded: clouds.size > 1 },
    ...[
      { id: "sizing", heading: "How many do I need?", blocks: liveOf(report, "sizing") },
      {
        id: "failures",
        heading: "What failed and why",
        blocks: table(tables.failuresTable(report), "Cases without a measurement"),
      },
      { id: "pictures", heading: "Pictures", blocks: pictures(report) },
      { id: "seconds", heading: "Second by second", blocks: seconds(report) },
      { id: "published", heading: "Published by others", blocks: published(report) },
      { id: "library", heading: "The results library", blocks: library(report) },
      {
        id: "nat-limits",
        heading: "NAT limits",
        blocks: table(natLimitsTable(report), "What the probes found, and where they stopped"),
      },
      { id: "failover", heading: "When the NAT instance fails", blocks: failover(report) },
      {
        id: "cases",
        heading: "All cases",
        blocks: table(tables.casesTable(report), "Every figure of every case; ×: ratio to direct", "plain"),
      },
      { id: "conditions", heading: "Conditions", blocks: conditions(report) },
    ].map((section) => ({ ...section, folded: true })),
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
      fold(`Every cell${several}`, table(cellsTable(view), `Every cell${several}`, "sortable")),
    ];
  });
  return [...ofEach, ...table(unmeasuredTable(unmeasured), "Cells that were not measured", "plain")];
}

function liveOf({ answers, answerData }: Report, kind: Parameters<typeof live>[1]): Block[] {
  return live(liveBlocks(answers, answerData), kind);
}

function answer(report: Report): Block[] {
  const notes = [...new Set(report.comparison.columns.flatMap(({ results }) => results.notes))];
  return [
    box("sides", liveOf(report, "answer")),
    { kind: "html", html: needsForm(report.needs, report.answerData) },
    ...liveOf(report, "ways"),
    ...(notes.length === 0 ? [] : [box("read-first", list(notes))]),
  ];
}

function cost(report: Report): Block[] {
  return [
    box("sides", liveOf(report, "bill")),
    fold("Prices and their sources", [
      ...list(report.priceNotes),
      ...table(tables.priceSourcesTable(report), "Each price in the bills"),
    ]),
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

function trend({ trends }: Report): Block[] {
  return trends.flatMap((one) =>
    table(
      tables.trendTable(one),
      `Runs of ${one.stack} (${cloudRecords[one.cloud].title}), oldest first`,
      "plain",
    ),
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
        ...table(tables.worseTable(report), "What got worse"),
      ];
}

/** Number of commands above which equal ones share a line. */
const MOST_COMMANDS = 200;

/** The sentences that the figures support, and the deciding figures. */
function verdict(report: Report): Block[] {
  const { comparison } = report;
  const caption = "Receiver's figures. ×: ratio to direct.";
  return [
    ...list(verdictSentences(comparison)),
    { kind: "html", html: chooser(comparison.columns) },
    ...tables
      .verdictTables(report)
      .flatMap(({ heading, table: rows }) =>
        table(rows, heading === null ? caption : `${heading}: ${caption}`),
      ),
  ];
}

/** Empty if no case has a published figure. */
function published(report: Report): Block[] {
  const conditions = [...publishedConditions(report.published)];
  return report.published.length === 0
    ? []
    : [
        text(
          "Other people's figures under their own conditions, beside ours in the same case. They affect no ratio and no verdict.",
        ),
        ...table(tables.publishedTable(report), "Published figures beside measured ones"),
        {
          kind: "list",
          items: conditions.map(([, condition]) => condition),
          ids: conditions.map(([id]) => `published-${id}`),
        },
      ];
}

/** Empty without contributed runs. */
function library(report: Report): Block[] {
  return report.library === null
    ? []
    : [
        text(
          "Runs that others contributed, of the same kind of topology and case. They affect no ratio and no verdict.",
        ),
        ...list(report.library.sentences),
        ...table(tables.libraryTable(report), "Yours beside the library's"),
      ];
}

/** Empty if no case made a NAT instance fail. */
function failover(report: Report): Block[] {
  const { comparison } = report;
  const rows = table(
    failoverTable(report),
    "How long nothing passed, and what became of the flows that were held",
  );
  const chart = chartBlock(() => failoverChart(comparison), comparison.columns);
  return rows.length === 0 ? [] : [chart, ...rows];
}

function conditions(report: Report): Block[] {
  const { columns } = report.comparison;
  const commands = commandsOf(new Set(columns.map((column) => column.results)));
  return [
    ...table(runsTable(report), "Runs"),
    ...table(hostsTable(report), "Machines"),
    {
      kind: "page",
      blocks: () => [fold("Exact commands", [{ kind: "code", text: commands.join("\n") }])],
    },
  ];
}

/** One line per command of a case. With many topologies, equal commands share a line. */
function commandsOf(results: Iterable<Results>): string[] {
  const ran = [...results].flatMap(({ cases }) =>
    cases.map(({ id, topology, command, toolVersion, tool }) => ({
      topology,
      what: `${id}: ${command} [${toolVersion === null ? tool : `${tool} ${toolVersion}`}]`,
    })),
  );
  return ran.length <= MOST_COMMANDS
    ? ran.map(({ topology, what }) => `${topology}, ${what}`)
    : [...groupBy(ran, ({ what }) => what)].map(
        ([what, same]) => `${[...new Set(same.map(({ topology }) => topology))].join(", ")}, ${what}`,
      );
}
