/**
 * What each case of a results document measures, in the words of headings and axes.
 *
 * @module
 */
import type { Case } from "../../bench/plan/plan.ts";
import { formatBitRate } from "../../bench/plan/quantities.ts";
import type { Results } from "../../bench/results/index.ts";

export interface CaseInfo {
  readonly id: string;
  readonly tool: string;
  readonly protocol: Case["protocol"];
  readonly direction: Case["direction"];
  /** Null: one number of streams does not describe it. */
  readonly streams: number | null;
  /** Client-server pairs that were summed; null: one. */
  readonly pairs: number | null;
  /** A stream; 0: as fast as the sender can; null: TCP's own pace, or unknown. */
  readonly bitsPerSecond: number | null;
  readonly datagramBytes: number | null;
  /** Short. */
  readonly title: string;
}

/** Describes every case of a results document, in the order of its plan. */
export function describeCases({ plan, cases }: Results): CaseInfo[] {
  const planned = new Map(plan.cases.map((one) => [one.id, describe(one)]));
  const others = cases
    .filter(({ id }) => !planned.has(id))
    .map(({ id, tool }) => [id, named(id, tool)] as const);
  return [...new Map([...planned, ...others]).values()];
}

function describe(one: Case): CaseInfo {
  const { id, tool, protocol, direction } = one;
  return {
    ...{ id, tool, protocol, direction },
    streams: "streams" in one ? one.streams : null,
    pairs: "pairs" in one ? one.pairs : null,
    bitsPerSecond: "bitsPerSecond" in one ? one.bitsPerSecond : null,
    datagramBytes: "datagramBytes" in one ? one.datagramBytes : null,
    title: title(one),
  };
}

/** A case that the plan does not have, of which only its name tells. */
function named(id: string, tool: string): CaseInfo {
  const protocol = /^udp/.test(id) ? "udp" : "tcp";
  const direction = /ingress/.test(id) ? "ingress" : "egress";
  const unknown = { streams: null, pairs: null, bitsPerSecond: null, datagramBytes: null };
  return { id, tool, protocol, direction, ...unknown, title: id };
}

const searches = { ndr: "no-drop search", pdr: "bounded-loss search", peak: "peak search" } as const;

function title(one: Case): string {
  const protocol = one.protocol.toUpperCase();
  switch (one.tool) {
    case "connect":
      return `New TCP connections${under(one.load)}`;
    case "sockperf":
      return `${protocol} round trips${under(one.load)}`;
    case "nat":
      return one.id; // which says what is probed
    case "iperf3":
      return [`${protocol} ${one.direction}`, ...details(one)].join(", ");
    case "search":
      return [`${protocol} ${one.direction}`, ...details(one), searches[one.goal]].join(", ");
    case "ntttcp":
      return [`ntttcp ${protocol} ${one.direction}`, ...details(one)].join(", ");
  }
}

/** `, under 8 streams of TCP egress`: a latency that was measured while other traffic ran. */
function under(load: Extract<Case, { tool: "connect" }>["load"]): string {
  if (load === null) {
    return "";
  }
  const { protocol, direction, streams, bitsPerSecond } = load;
  const count = streams === 1 ? "" : `${streams} streams of `;
  const pace = bitsPerSecond === null ? "" : ` at ${rate(bitsPerSecond)}`;
  return `, under ${count}${protocol.toUpperCase()} ${direction}${pace}`;
}

/** What tells a flow from another, as one part of a title. */
function details(one: Extract<Case, { tool: "iperf3" | "search" | "ntttcp" }>): string[] {
  const pairs = "pairs" in one ? one.pairs : null;
  const pace = "bitsPerSecond" in one ? one.bitsPerSecond : null;
  const parts = [
    one.datagramBytes === null ? "" : `${one.datagramBytes} B`,
    pace === null ? "" : rate(pace),
    one.streams === null || one.streams === 1 ? "" : `${one.streams} streams`,
    pairs === null || pairs === 1 ? "" : `${pairs} pairs`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [parts.join(" × ")];
}

function rate(bitsPerSecond: number): string {
  return bitsPerSecond === 0 ? "unlimited" : formatBitRate(bitsPerSecond);
}
