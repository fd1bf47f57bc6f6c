/** Failures of NAT instances: one row per topology and failure. */
import { type Estimate, estimate } from "../../bench/figures/estimate.ts";
import type { FigureId } from "../../bench/figures/index.ts";
import { formatMicroseconds } from "../../bench/plan/quantities.ts";
import { type Failover, whyUnmeasured } from "../../bench/results/index.ts";
import { kindOpened, kindSurvivors, neverWords, worstHeld } from "../../bench/summary/failover-summary.ts";
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
  const [tcp, udp, ready] = [of("failoverTcpSurvived"), of("failoverUdpSurvived"), of("failoverReadyAgain")];
  return [
    cell([...never, cutText(outages.new, of("failoverOutage"))].join(", "), column),
    cell(cutText(outages.established, of("failoverEstablished")), column),
    survivors(
      { found: tcp, opened: of("failoverTcpOpened") },
      flows.tcp,
      `reset ${count(flows.tcp.reset)}`,
      column,
    ),
    survivors(
      { found: udp, opened: of("failoverUdpOpened") },
      flows.udp,
      `remapped ${count(flows.udp.remapped)}`,
      column,
    ),
    otherSurvivors(kinds, of, column),
    cell(ready === null ? NOT_MEASURED : milliseconds(ready.value), column),
  ];
}

type Held = Failover["flows"]["tcp" | "udp"];

/** The fewest survivors over all repetitions; for a single run also what happened to the others. */
function survivors(
  { found, opened: allOpened }: Readonly<Record<"found" | "opened", Estimate | null>>,
  held: Held,
  broken: string,
  column: number,
): TableCell {
  const { silent } = held;
  const { survived: least, opened } = found === null ? held : worstHeld(found, allOpened, held.opened);
  const single = least === opened ? [] : [broken, `silent ${count(silent)}`];
  const notes = found !== null && found.n > 1 ? (least === opened ? [] : medianNotes(found)) : single;
  return cell(`${count(least)} of ${count(opened)}`, column, notes);
}

function medianNotes({ min, max, median, n }: Estimate): string[] {
  return min === max
    ? []
    : [`the least of ${n}; median ${median.toLocaleString("en-US", { maximumFractionDigits: 1 })}`];
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
    const name = key as keyof typeof kindWords;
    const found = of(kindSurvivors[name]);
    const { survived: least, opened } =
      found === null ? kinds[name] : worstHeld(found, of(kindOpened[name]), kinds[name].opened);
    return { words, opened, found, least };
  });
  const sum = (key: "opened" | "least") => all.reduce((total, kind) => total + kind[key], 0);
  const notes = all
    .filter(({ least, opened }) => least < opened)
    .map(({ words, opened, found, least }) =>
      [`${words}: ${count(least)} of ${count(opened)}`, ...(found === null ? [] : medianNotes(found))].join(
        ", ",
      ),
    );
  return cell(`${count(sum("least"))} of ${count(sum("opened"))}`, column, notes);
}

/** The median of outages that ended; `over 20.0 s` if none did. */
function cutText({ ms }: Failover["outages"]["new"], found: Estimate | null): string {
  return found === null ? `over ${milliseconds(ms)}` : milliseconds(found.value);
}

function milliseconds(ms: number): string {
  return formatMicroseconds(ms * 1000);
}
