/** Limits that only a NAT has, found by probes: one row per topology and probe. */
import type { NatLimits } from "../../bench/results/index.ts";
import type { Report } from "../report.ts";
import { count, NOT_MEASURED } from "../text/format.ts";
import { cell, type ReportTable } from "./table.ts";

const head = ["Topology", "Case", "New connections", "Flows at once", "Idle time-out", "Behaviour"];

/** Empty where no probe ran. */
export function natLimitsTable({ comparison }: Report): ReportTable {
  const rows = comparison.columns.flatMap(({ label, index }) =>
    comparison.rows.flatMap(({ info, cells }) => {
      const limits = cells[index]?.repetitions.at(-1)?.measurement?.natLimits ?? null;
      if (limits === null) {
        return [];
      }
      const texts = [rateText(limits), flowsText(limits), idleText(limits), behaviourText(limits)];
      return [
        [
          cell(label, index),
          cell(info.title, index, info.title === info.id ? [] : [info.id]),
          ...texts.map(([text = NOT_MEASURED, ...notes]) => cell(text, index, notes)),
        ],
      ];
    }),
  );
  return { head: head.map((text) => cell(text)), rows };
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
