/** The sections of measurements: figures, failures, conditions, and published figures. */
import { groupBy } from "../../bench/group-by.ts";
import type { Results } from "../../bench/results/index.ts";
import { failoverChart } from "../charts/failover.ts";
import { verdictSentences } from "../comparison/verdict.ts";
import { type Block, chartBlock, list, table, text } from "../document/document.ts";
import { publishedConditions } from "../published/published.ts";
import type { Report } from "../report.ts";
import { hostsTable, runsTable } from "../tables/condition-tables.ts";
import { failoverTable } from "../tables/failover.ts";
import { natLimitsTable } from "../tables/nat-limits.ts";
import * as tables from "../tables/tables.ts";
import { chooser } from "./inputs.ts";

/** Number of commands above which equal ones share a line. */
const MOST_COMMANDS = 200;

/** The sentences that the figures support, and the deciding figures. */
export function verdict(report: Report): Block[] {
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

/** Empty if every case has a measurement. */
export function failures(report: Report): Block[] {
  return table(tables.failuresTable(report), "Cases without a measurement");
}

/** Empty if no case has a published figure. */
export function published(report: Report): Block[] {
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
export function library(report: Report): Block[] {
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

/** Empty if the probes did not run. */
export function natLimits(report: Report): Block[] {
  return table(natLimitsTable(report), "What the probes found, and where they stopped");
}

/** Empty if no case made a NAT instance fail. */
export function failover(report: Report): Block[] {
  const { comparison } = report;
  const rows = table(
    failoverTable(report),
    "How long nothing passed, and what became of the flows that were held",
  );
  const chart = chartBlock(() => failoverChart(comparison), comparison.columns);
  return rows.length === 0 ? [] : [chart, ...rows];
}

/** Every figure of every case. */
export function cases(report: Report): Block[] {
  return table(tables.casesTable(report), "Every figure of every case; ×: ratio to direct", "plain");
}

/** Conditions of all measurements: runs, machines, commands. */
export function conditions(report: Report): Block[] {
  const { columns } = report.comparison;
  const commands = commandsOf(new Set(columns.map((column) => column.results)));
  return [
    ...table(runsTable(report), "Runs"),
    ...table(hostsTable(report), "Machines"),
    {
      kind: "page",
      blocks: () => [
        {
          kind: "fold",
          summary: "Exact commands",
          open: false,
          blocks: [{ kind: "code", text: commands.join("\n") }],
        },
      ],
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
