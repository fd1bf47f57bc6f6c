/** The report's document: its sections in order, the answer first, for page and Markdown alike. */
import type { Results } from "../../bench/results/index.ts";
import type { Comparison } from "../comparison/comparison.ts";
import { type Document, list, type Section, text } from "../document/document.ts";
import type { Report } from "../report.ts";
import { timeOf } from "../text/format.ts";
import { answer, baseline, cost, regions, sizing, trend } from "./answer-sections.ts";
import { matrix } from "./matrix-section.ts";
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
