/** Table of NAT limits found by probes: one row per topology and probe. */
import { type Estimate, estimate } from "../../bench/figures/estimate.ts";
import { type FigureId, figures } from "../../bench/figures/index.ts";
import type { NatLimits } from "../../bench/results/index.ts";
import { cell, headOf, type ReportTable } from "../document/table.ts";
import type { Report } from "../report.ts";
import { count, NOT_MEASURED } from "../text/format.ts";

const head = ["Topology", "Case", "New connections", "Flows at once", "Idle time-out", "Behaviour"];

/** Empty if no probe ran. */
export function natLimitsTable({ comparison }: Report): ReportTable {
  const rows = comparison.columns.flatMap(({ label, index, results }) =>
    comparison.rows.flatMap(({ info, cells }) => {
      const repetitions = cells[index]?.repetitions ?? [];
      const limits = repetitions.at(-1)?.measurement?.natLimits ?? null;
      if (limits === null) {
        return [];
      }
      const of = (id: FigureId, one: string[], atLeast = "") =>
        repeatedText(id, estimate(id, repetitions, results.plan), atLeast) ?? one;
      const isOpen = limits.concurrentFlows?.limitReached === false;
      const texts = [
        of("newConnections", rateText(limits)),
        of("concurrentFlows", flowsText(limits), isOpen ? "at least " : ""),
        of("idleTimeout", idleText(limits)),
        behaviourText(limits),
      ];
      return [
        [
          cell(label, index),
          cell(info.title, index, info.title === info.id ? [] : [info.id]),
          ...texts.map(([text = NOT_MEASURED, ...notes]) => cell(text, index, notes)),
        ],
      ];
    }),
  );
  return { head: headOf(head), rows };
}

/** The combined value of repetitions that differ; null: they agree, or there is one. */
function repeatedText(id: FigureId, found: Estimate | null, before: string): string[] | null {
  if (found === null || found.min === found.max) {
    return null;
  }
  const { format } = figures[id];
  const { value, centre, n, min, max } = found;
  return [`${before}${format(value)}`, `${centre} of ${n}: ${format(min)} to ${format(max)}`];
}

function rateText({ connectionRate }: NatLimits): string[] {
  if (connectionRate === null) {
    return [];
  }
  const { perSecond, attempted, failed, errors } = connectionRate;
  const kinds = Object.entries(errors).map(([name, times]) => `${name} ${count(times)}`);
  return [
    perSecond === null ? NOT_MEASURED : `${count(perSecond)}/s`,
    `${count(failed)} of ${count(attempted)} failed${kinds.length === 0 ? "" : `: ${kinds.join(", ")}`}`,
  ];
}

function flowsText({ concurrentFlows }: NatLimits): string[] {
  if (concurrentFlows === null) {
    return [];
  }
  const { protocol, opened, bound, limitReached, error } = concurrentFlows;
  return limitReached
    ? [`${count(opened)} ${protocol.toUpperCase()}`, ...(error === null ? [] : [`then: ${error}`])]
    : [`at least ${count(opened)} ${protocol.toUpperCase()}`, `no more than ${count(bound)} were tried`];
}

function idleText({ idleTimeout }: NatLimits): string[] {
  if (idleTimeout === null) {
    return [];
  }
  const { protocol, survivedSeconds, diedSeconds, boundSeconds } = idleTimeout;
  const name = protocol.toUpperCase();
  if (diedSeconds === null) {
    return [`${name}: over ${count(boundSeconds)} s`, "longer silences were not tried"];
  }
  return survivedSeconds === null
    ? [`${name}: under ${count(diedSeconds)} s`]
    : [`${name}: ${count(survivedSeconds)} to ${count(diedSeconds)} s`];
}

function behaviourText({ behaviour }: NatLimits): string[] {
  if (behaviour === null) {
    return [];
  }
  const { mapping, filtering, portPreserved } = behaviour;
  const port = portPreserved === null ? NOT_MEASURED : portPreserved ? "preserved" : "changed";
  return [
    `mapping: ${mapping ?? NOT_MEASURED}`,
    `filtering: ${filtering ?? NOT_MEASURED}`,
    `client's port: ${port}`,
  ];
}
