/**
 * A NAT's limits, in a few words.
 *
 * @module
 */
import { formatCount } from "../plan/quantities.ts";
import type { NatLimits } from "../results/index.ts";

/** Parts are separated by commas, where a table may break them. `ratio` goes behind a figure that has one. */
export function describeNat(limits: NatLimits, ratio: string): string {
  const { connectionRate, concurrentFlows, idleTimeout, behaviour } = limits;
  return [
    ...(connectionRate === null ? [] : rate(connectionRate, ratio)),
    ...(concurrentFlows === null ? [] : flows(concurrentFlows)),
    ...(idleTimeout === null ? [] : [`idle time-out ${silence(idleTimeout)}`]),
    ...(behaviour === null ? [] : words(behaviour)),
  ].join(", ");
}

function rate({ perSecond, failed }: NonNullable<NatLimits["connectionRate"]>, ratio: string): string[] {
  const figure = `${perSecond === null ? "?" : formatCount(perSecond)} connections/s${ratio}`;
  return [figure, ...(failed > 0 ? [`${failed} failed`] : [])];
}

function flows({ opened, limitReached, error }: NonNullable<NatLimits["concurrentFlows"]>): string[] {
  const count = opened.toLocaleString("en-US");
  if (limitReached) {
    return [`${count} flows`, `then ${error ?? "no more"}`];
  }
  return [`at least ${count} flows`, ...(error === null ? [] : [`ends have no more (${error})`])];
}

function silence({
  survivedSeconds,
  diedSeconds,
  boundSeconds,
}: NonNullable<NatLimits["idleTimeout"]>): string {
  if (diedSeconds === null) {
    return `over ${survivedSeconds ?? boundSeconds} s`;
  }
  if (survivedSeconds === null) {
    return `under ${diedSeconds} s`;
  }
  return diedSeconds - survivedSeconds <= 1
    ? `${survivedSeconds} s`
    : `${survivedSeconds} to ${diedSeconds} s`;
}

function words({ mapping, filtering, portPreserved }: NonNullable<NatLimits["behaviour"]>): string[] {
  const port = portPreserved === null ? "?" : portPreserved ? "kept" : "changed";
  return [`mapping ${dependence(mapping)}`, `filtering ${dependence(filtering)}`, `port ${port}`];
}

function dependence(found: NonNullable<NatLimits["behaviour"]>["mapping"]): string {
  return found === null ? "?" : found === "address-and-port-dependent" ? "by port" : "not by port";
}
