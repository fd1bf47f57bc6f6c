/** Describes a NAT instance's failure in a few words. */

import type { Estimate } from "../figures/estimate.ts";
import { formatMicroseconds } from "../plan/quantities.ts";
import type { Failover } from "../results/index.ts";
import type { SaidFigure, Say } from "./said-figure.ts";

// The median of two flow counts may lie between them.
const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 1 });

/**
 * `2 of 5 never recovered, out 520 ms (380 ms to 610 ms), established 530 ms, 0 of 1,000 TCP survived at the least (median
 * 1,000)`. Tables may break it at its commas.
 */
export function describeFailover({ outages, flows, kinds }: Failover, say: Say): string {
  // Further kinds appear if a repetition lost some; the echoing kind stands for the others.
  const lost = Object.entries(kinds ?? {}).flatMap(([kind, { opened }]) => {
    const name = kind as keyof typeof kindSurvivors;
    const [survived, allOpened] = [say(kindSurvivors[name]), say(kindOpened[name])];
    const worst =
      survived.estimate === null ? null : worstHeld(survived.estimate, allOpened.estimate, opened);
    return worst !== null && worst.survived < worst.opened
      ? [survivorWords(kind, opened, survived, allOpened)]
      : [];
  });
  return [
    ...neverWords(say("failoverNeverRecovered")),
    `out ${cutWords(outages.new, say("failoverOutage"))}`,
    `established ${cutWords(outages.established, say("failoverEstablished"))}`,
    survivorWords("TCP", flows.tcp.opened, say("failoverTcpSurvived"), say("failoverTcpOpened")),
    survivorWords("UDP", flows.udp.opened, say("failoverUdpSurvived"), say("failoverUdpOpened")),
    ...lost,
  ].join(", ");
}

export const kindSurvivors = {
  sending: "failoverSendingSurvived",
  receiving: "failoverReceivingSurvived",
  idle: "failoverIdleSurvived",
} as const;

export const kindOpened = {
  sending: "failoverSendingOpened",
  receiving: "failoverReceivingOpened",
  idle: "failoverIdleOpened",
} as const;

/** Failures that traffic did not recover from, new or established. A single run says so in its outage. */
export function neverWords({ estimate }: Pick<SaidFigure, "estimate">): string[] {
  const never = Math.round((estimate?.mean ?? 0) * (estimate?.n ?? 0));
  return never === 0 || estimate === null || estimate.n < 2
    ? []
    : [`${never} of ${estimate.n} never recovered`];
}

/** `350 ms`, the median of outages that ended; `over 20.0 s` if none did. */
function cutWords({ ms }: Failover["outages"]["new"], { value, behind }: SaidFigure): string {
  return value === null
    ? `over ${formatMicroseconds(ms * 1000)}`
    : `${formatMicroseconds(value * 1000)}${behind}`;
}

/** The repetition that lost most flows. */
export function worstHeld(
  survived: Estimate,
  opened: Estimate | null,
  typicallyOpened: number,
): { readonly survived: number; readonly opened: number } {
  const all = (survived.ranked ?? []).map((value, index) => ({
    survived: value,
    opened: (opened?.n === survived.n ? opened.ranked?.[index] : undefined) ?? typicallyOpened,
  }));
  const lost = (one: (typeof all)[number]) => one.opened - one.survived;
  return all.reduce(
    (worst, one) => (lost(one) > lost(worst) ? one : worst),
    all[0] ?? { survived: survived.min, opened: typicallyOpened },
  );
}

function survivorWords(
  protocol: string,
  typicallyOpened: number,
  { value, estimate }: SaidFigure,
  opened: SaidFigure | null = null,
): string {
  const words = `${protocol} survived`;
  if (estimate === null) {
    return `${value === null ? "?" : number(value)} of ${number(typicallyOpened)} ${words}`;
  }
  const worst = worstHeld(estimate, opened?.estimate ?? null, typicallyOpened);
  const said = `${number(worst.survived)} of ${number(worst.opened)} ${words}`;
  return estimate.min === estimate.max || worst.survived === worst.opened
    ? said
    : `${said} at the least (median ${number(estimate.median)})`;
}
