/** A NAT instance's failure, in a few words. */
import { formatMicroseconds } from "../plan/quantities.ts";
import type { Failover } from "../results/index.ts";
import type { SaidFigure, Say } from "./said-figure.ts";

const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 0 });

/**
 * `2 of 5 never recovered, out 520 ms (380 ms to 610 ms), established 530 ms, 0 of 1,000 TCP survived at the least (median
 * 1,000)`. Parts are separated by commas, where a table may break them.
 */
export function describeFailover({ outages, flows, kinds }: Failover, say: Say): string {
  // Further kinds are said where they lost some in a repetition: those that echo stand for the others.
  const lost = Object.entries(kinds ?? {}).flatMap(([kind, { opened }]) => {
    const survived = say(kindSurvivors[kind as keyof typeof kindSurvivors]);
    return (survived.estimate?.min ?? opened) < opened ? [survivorWords(kind, opened, survived)] : [];
  });
  return [
    ...neverWords(say("failoverNeverRecovered")),
    `out ${cutWords(outages.new, say("failoverOutage"))}`,
    `established ${cutWords(outages.established, say("failoverEstablished"))}`,
    survivorWords("TCP", flows.tcp.opened, say("failoverTcpSurvived")),
    survivorWords("UDP", flows.udp.opened, say("failoverUdpSurvived")),
    ...lost,
  ].join(", ");
}

/** The figure of each further kind of TCP connection. */
export const kindSurvivors = {
  sending: "failoverSendingSurvived",
  receiving: "failoverReceivingSurvived",
  idle: "failoverIdleSurvived",
} as const;

/** First of all: how often traffic did not come back, of either kind. A single run says so in its outage. */
export function neverWords({ estimate }: Pick<SaidFigure, "estimate">): string[] {
  const never = Math.round((estimate?.mean ?? 0) * (estimate?.n ?? 0));
  return never === 0 || estimate === null || estimate.n < 2
    ? []
    : [`${never} of ${estimate.n} never recovered`];
}

/** `350 ms`, the median of those that ended; `over 20.0 s` where none did. */
function cutWords({ ms }: Failover["outages"]["new"], { value, behind }: SaidFigure): string {
  return value === null
    ? `over ${formatMicroseconds(ms * 1000)}`
    : `${formatMicroseconds(value * 1000)}${behind}`;
}

function survivorWords(protocol: string, opened: number, { value, estimate }: SaidFigure): string {
  const of = `of ${number(opened)} ${protocol} survived`;
  return estimate === null || estimate.min === estimate.max
    ? `${value === null ? "?" : number(value)} ${of}`
    : `${number(estimate.min)} ${of} at the least (median ${number(estimate.median)})`;
}
