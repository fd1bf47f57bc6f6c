/** Failures of NAT instances: one row per topology and failure. */
import { type Estimate, estimate } from "../../bench/figures/estimate.ts";
import { figures as allFigures, type FigureId } from "../../bench/figures/index.ts";
import { type Failover, whyUnmeasured } from "../../bench/results/index.ts";
import { cutWords, neverWords, type WorstHeld, worstHeld } from "../../bench/summary/failover-summary.ts";
import type { Cell, Column } from "../comparison/comparison.ts";
import { cell, headOf, type ReportTable, type TableCell } from "../document/table.ts";
import type { Report } from "../report.ts";
import { count, NOT_MEASURED } from "../text/format.ts";

const head = [
  "Topology",
  "Failure",
  "New connections",
  "Established",
  "TCP survived",
  "UDP survived",
  "Other TCP survived",
  "Ready again",
];

/** Empty without provoked failures. */
export function failoverTable({ comparison }: Report): ReportTable {
  const rows = comparison.columns.flatMap((column) => {
    const { label, index } = column;
    return comparison.rows
      .filter(({ info }) => info.question === "failover")
      .map(({ info, cells }) => [
        cell(label, index),
        cell(info.title, index, [info.id]),
        ...figures(cells[index], column),
      ]);
  });
  return { head: headOf(head), rows };
}

function figures(found: Cell | undefined, { index: column, results }: Column): TableCell[] {
  const failover = found?.repetitions.at(-1)?.measurement?.failover ?? null;
  if (failover === null) {
    const why = whyUnmeasured(found?.failure) ?? NOT_MEASURED;
    return [cell(why, column), ...head.slice(3).map(() => cell("", column))];
  }
  const { outages, flows, kinds } = failover;
  const of = (id: FigureId) => estimate(id, found?.repetitions ?? [], results.plan);
  const never = neverWords({ estimate: of("failoverNeverRecovered") });
  const ready = of("failoverReadyAgain");
  return [
    cell([...never, cutWords(outages.new, of("failoverOutage")?.value ?? null)].join(", "), column),
    cell(cutWords(outages.established, of("failoverEstablished")?.value ?? null), column),
    survivors(worstHeld("tcp", flows.tcp, of), flows.tcp, `reset ${count(flows.tcp.reset)}`, column),
    survivors(worstHeld("udp", flows.udp, of), flows.udp, `remapped ${count(flows.udp.remapped)}`, column),
    otherSurvivors(kinds, of, column),
    cell(ready === null ? NOT_MEASURED : allFigures.failoverReadyAgain.format(ready.value), column),
  ];
}

type Held = Failover["flows"]["tcp" | "udp"];

/** The fewest survivors over all repetitions; for a single run also what happened to the others. */
function survivors(worst: WorstHeld, { silent }: Held, broken: string, column: number): TableCell {
  const { survived, opened, estimate } = worst;
  const isSingle = estimate === null || estimate.n === 1;
  const notes = isSingle ? [broken, `silent ${count(silent)}`] : medianNotes(estimate);
  return cell(`${count(survived)} of ${count(opened)}`, column, survived === opened ? [] : notes);
}

function medianNotes({ min, max, median, n }: Estimate): string[] {
  return min === max ? [] : [`the least of ${n}; median ${allFigures.failoverTcpSurvived.format(median)}`];
}

/** One word for each further kind of TCP connection. */
const kindWords = { sending: "only the client sends", receiving: "only the server sends", idle: "idle" };

/** The fewest survivors of all further kinds together, and each kind with losses. */
function otherSurvivors(
  kinds: Failover["kinds"],
  of: (id: FigureId) => Estimate | null,
  column: number,
): TableCell {
  if (kinds === null) {
    return cell(NOT_MEASURED, column);
  }
  const all = Object.entries(kindWords).map(([key, words]) => {
    const kind = key as keyof typeof kindWords;
    return { words, ...worstHeld(kind, kinds[kind], of) };
  });
  const sum = (key: "opened" | "survived") => all.reduce((total, kind) => total + kind[key], 0);
  const notes = all
    .filter(({ survived, opened }) => survived < opened)
    .map(({ words, opened, estimate, survived }) =>
      [
        `${words}: ${count(survived)} of ${count(opened)}`,
        ...(estimate === null ? [] : medianNotes(estimate)),
      ].join(", "),
    );
  return cell(`${count(sum("survived"))} of ${count(sum("opened"))}`, column, notes);
}
