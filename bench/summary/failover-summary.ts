/** Describes a NAT instance's failure in a few words. */

import type { Estimate } from "../figures/estimate.ts";
import { type FigureId, figures } from "../figures/index.ts";
import type { Failover } from "../results/index.ts";
import type { SaidFigure, Say } from "./said-figure.ts";

/**
 * `2 of 5 never recovered, out 520 ms (380 ms to 610 ms), established 530 ms, 0 of 1,000 TCP survived at the least (median
 * 1,000)`. Tables may break it at its commas.
 */
export function describeFailover({ outages, flows, kinds }: Failover, say: Say): string {
  const of = (id: FigureId) => say(id).estimate;
  const [fresh, established] = [say("failoverOutage"), say("failoverEstablished")];
  // Further kinds appear if a repetition lost some; the echoing kind stands for the others.
  const lost = Object.entries(kinds ?? {}).flatMap(([kind, held]) => {
    const worst = worstHeld(kind as HeldKind, held, of);
    return worst.survived < worst.opened ? [survivorWords(kind, worst)] : [];
  });
  return [
    ...neverWords(say("failoverNeverRecovered")),
    `out ${cutWords(outages.new, fresh.value)}${fresh.behind}`,
    `established ${cutWords(outages.established, established.value)}${established.behind}`,
    survivorWords("TCP", worstHeld("tcp", flows.tcp, of)),
    survivorWords("UDP", worstHeld("udp", flows.udp, of)),
    ...lost,
  ].join(", ");
}

/** How many flows of each kind survived, and how many were opened. */
const heldFigures = {
  tcp: ["failoverTcpSurvived", "failoverTcpOpened"],
  udp: ["failoverUdpSurvived", "failoverUdpOpened"],
  sending: ["failoverSendingSurvived", "failoverSendingOpened"],
  receiving: ["failoverReceivingSurvived", "failoverReceivingOpened"],
  idle: ["failoverIdleSurvived", "failoverIdleOpened"],
} as const;
type HeldKind = keyof typeof heldFigures;

/** Failures that traffic did not recover from, new or established. A single run says so in its outage. */
export function neverWords({ estimate }: Pick<SaidFigure, "estimate">): string[] {
  const never = Math.round((estimate?.mean ?? 0) * (estimate?.n ?? 0));
  return never === 0 || estimate === null || estimate.n < 2
    ? []
    : [`${never} of ${estimate.n} never recovered`];
}

/** `350 ms`, the median of outages that ended; `over 20.0 s` if none did. */
export function cutWords({ ms }: Failover["outages"]["new"], median: number | null): string {
  const { format } = figures.failoverOutage;
  return median === null ? `over ${format(ms)}` : format(median);
}

/** The repetition that lost most flows of a kind. */
export interface WorstHeld {
  readonly survived: number;
  readonly opened: number;
  /** The survivors of all repetitions. */
  readonly estimate: Estimate | null;
}

/** @param held One repetition's flows. */
export function worstHeld(
  kind: HeldKind,
  { survived, opened }: Omit<WorstHeld, "estimate">,
  of: (id: FigureId) => Estimate | null,
): WorstHeld {
  const [estimate, allOpened] = heldFigures[kind].map(of) as [Estimate | null, Estimate | null];
  const all = (estimate?.ranked ?? []).map((value, index) => ({
    survived: value,
    opened: (allOpened?.n === estimate?.n ? allOpened?.ranked?.[index] : undefined) ?? opened,
    estimate,
  }));
  const lost = (one: WorstHeld) => one.opened - one.survived;
  return all.reduce<WorstHeld>(
    (worst, one) => (lost(one) > lost(worst) ? one : worst),
    all[0] ?? { survived: estimate?.min ?? survived, opened, estimate },
  );
}

function survivorWords(kind: string, { survived, opened, estimate }: WorstHeld): string {
  const { format } = figures.failoverTcpSurvived;
  const said = `${format(survived)} of ${format(opened)} ${kind} survived`;
  return estimate === null || estimate.min === estimate.max || survived === opened
    ? said
    : `${said} at the least (median ${format(estimate.median)})`;
}
