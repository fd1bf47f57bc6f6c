/**
 * What a case of a plan measures, read from the plan in the results and, where that is silent, from the case.
 *
 * @module
 */

import { formatBitRate } from "../../bench/plan/quantities.ts";
import type { CaseResult, Results } from "../../bench/results/index.ts";

export interface CaseInfo {
  readonly id: string;
  readonly tool: string;
  readonly protocol: "tcp" | "udp";
  readonly direction: "egress" | "ingress";
  readonly streams: number | null;
  /** Client-server pairs that were summed; null: one. */
  readonly pairs: number | null;
  /** A stream; 0: as fast as the sender can; null: TCP's own pace, or unknown. */
  readonly bitsPerSecond: number | null;
  readonly datagramBytes: number | null;
  readonly durationSeconds: number | null;
  readonly omitSeconds: number | null;
  /** Short, for headings and axes. */
  readonly title: string;
}

/** Describes every case of a results document, in the order of its plan. */
export function describeCases(results: Results): CaseInfo[] {
  const planned = results.plan.cases.filter(isRecord);
  const order = planned.map((entry) => String(entry.id));
  const ids = new Set([...order, ...results.cases.map(({ id }) => id)]);
  return [...ids].map((id) =>
    describe(
      id,
      planned.find((entry) => String(entry.id) === id),
      // One that was searched tells so, which a failed one does not.
      results.cases.find((result) => result.id === id && result.measurement?.search) ??
        results.cases.find((result) => result.id === id),
    ),
  );
}

function describe(
  id: string,
  plan: Record<string, unknown> | undefined,
  result: CaseResult | undefined,
): CaseInfo {
  const tool = text(plan?.tool) ?? result?.tool ?? "unknown tool";
  const info = {
    id,
    tool,
    protocol: text(plan?.protocol) === "udp" || (!plan && /^udp/.test(id)) ? "udp" : "tcp",
    direction: text(plan?.direction) === "ingress" || (!plan && /ingress/.test(id)) ? "ingress" : "egress",
    streams: number(plan?.streams),
    pairs: number(plan?.pairs),
    bitsPerSecond: number(plan?.bitsPerSecond),
    datagramBytes: number(plan?.datagramBytes),
    durationSeconds: number(plan?.durationSeconds),
    omitSeconds: number(plan?.omitSeconds),
  } as const;
  const goal = result?.measurement?.search?.goal;
  const search = goal === undefined ? "" : `, ${searches[goal]}`;
  return { ...info, title: plan ? `${title(info)}${search}${under(plan.load)}` : id };
}

/** Of a latency that was measured while other traffic ran. */
function under(load: unknown): string {
  return isRecord(load) ? `, under ${String(load.protocol).toUpperCase()} ${load.direction}` : "";
}

const searches = { ndr: "no-drop search", pdr: "bounded-loss search", peak: "peak search" } as const;

function title(info: Omit<CaseInfo, "title">): string {
  const protocol = info.protocol.toUpperCase();
  if (info.tool === "connect") {
    return "New TCP connections";
  }
  if (info.tool === "sockperf") {
    return `${protocol} round trips`;
  }
  if (info.tool === "nat") {
    return info.id; // which says what is probed
  }
  const details = [
    info.datagramBytes === null ? "" : `${info.datagramBytes} B`,
    rate(info.bitsPerSecond),
    info.streams === null || info.streams === 1 ? "" : `${info.streams} streams`,
    info.pairs === null || info.pairs === 1 ? "" : `${info.pairs} pairs`,
  ].filter((detail) => detail !== "");
  const head =
    info.tool === "iperf3" ? `${protocol} ${info.direction}` : `${info.tool} ${protocol} ${info.direction}`;
  return details.length === 0 ? head : `${head}, ${details.join(" × ")}`;
}

function rate(bitsPerSecond: number | null): string {
  return bitsPerSecond === null ? "" : bitsPerSecond === 0 ? "unlimited" : formatBitRate(bitsPerSecond);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && "id" in value;
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
