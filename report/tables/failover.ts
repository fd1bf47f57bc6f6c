/** Failures of NAT instances: one row per topology and failure. */
import { formatMicroseconds } from "../../bench/plan/quantities.ts";
import { type Failover, whyUnmeasured } from "../../bench/results/index.ts";
import type { Cell } from "../comparison/comparison.ts";
import type { Report } from "../report.ts";
import { count, NOT_MEASURED } from "../text/format.ts";
import { cell, type ReportTable, type TableCell } from "./table.ts";

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

/** Empty where nothing was to fail. */
export function failoverTable({ comparison }: Report): ReportTable {
  const rows = comparison.columns.flatMap(({ label, index }) =>
    comparison.rows
      .filter(({ info }) => info.question === "failover")
      .map(({ info, cells }) => [
        cell(label, index),
        cell(info.title, index, [info.id]),
        ...figures(cells[index], index),
      ]),
  );
  return { head: head.map((text) => cell(text)), rows };
}

function figures(found: Cell | undefined, column: number): TableCell[] {
  const failover = found?.repetitions.at(-1)?.measurement?.failover ?? null;
  if (failover === null) {
    const why = whyUnmeasured(found?.failure) ?? NOT_MEASURED;
    return [cell(why, column), ...head.slice(3).map(() => cell("", column))];
  }
  const { outages, flows, kinds, readyAgainMs } = failover;
  return [
    cell(cutText(outages.new), column),
    cell(cutText(outages.established), column),
    cell(...survivors(flows.tcp, `reset ${count(flows.tcp.reset)}`, column)),
    cell(...survivors(flows.udp, `remapped ${count(flows.udp.remapped)}`, column)),
    otherSurvivors(kinds, column),
    cell(readyAgainMs === null ? NOT_MEASURED : milliseconds(readyAgainMs), column),
  ];
}

type Held = Failover["flows"]["tcp" | "udp"];

function survivors({ opened, survived, silent }: Held, broken: string, column: number) {
  const notes = survived === opened ? [] : [broken, `silent ${count(silent)}`];
  return [`${count(survived)} of ${count(opened)}`, column, notes] as const;
}

/** One word for each further kind of TCP connection. */
const kindWords = { sending: "only the client sends", receiving: "only the server sends", idle: "idle" };

/** The survivors of all further kinds together, and each kind that lost some. */
function otherSurvivors(kinds: Failover["kinds"], column: number): TableCell {
  if (kinds === null) {
    return cell(NOT_MEASURED, column);
  }
  const sum = (key: "opened" | "survived") =>
    Object.values(kinds).reduce((total, kind) => total + kind[key], 0);
  const notes = Object.entries(kindWords).flatMap(([name, words]) => {
    const { opened, survived } = kinds[name as keyof typeof kindWords];
    return survived === opened ? [] : [`${words}: ${count(survived)} of ${count(opened)}`];
  });
  return cell(`${count(sum("survived"))} of ${count(sum("opened"))}`, column, notes);
}

function cutText({ ms, ended }: Failover["outages"]["new"]): string {
  return `${ended ? "" : "over "}${milliseconds(ms)}`;
}

function milliseconds(ms: number): string {
  return formatMicroseconds(ms * 1000);
}
