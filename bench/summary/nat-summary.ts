/** Describes a NAT's limits in a few words. */
import { figures } from "../figures/index.ts";
import { formatCount } from "../plan/quantities.ts";
import type { NatLimits } from "../results/index.ts";
import type { SaidFigure, Say } from "./said-figure.ts";

/** Parts are separated by commas, at which a table may break. */
export function describeNat(limits: NatLimits, say: Say): string {
  const { connectionRate, concurrentFlows, idleTimeout, behaviour } = limits;
  return [
    ...(connectionRate === null ? [] : rate(connectionRate, say("newConnections"))),
    ...(concurrentFlows === null ? [] : flows(concurrentFlows, say("concurrentFlows"))),
    ...(idleTimeout === null ? [] : [`idle time-out ${silence(idleTimeout, say("idleTimeout"))}`]),
    ...(behaviour === null ? [] : words(behaviour)),
  ].join(", ");
}

function rate({ failed }: NonNullable<NatLimits["connectionRate"]>, { value, behind }: SaidFigure): string[] {
  const figure = `${value === null ? "?" : formatCount(value)} connections/s${behind}`;
  return [figure, ...(failed > 0 ? [`${failed} failed`] : [])];
}

function flows(
  { opened, limitReached, error }: NonNullable<NatLimits["concurrentFlows"]>,
  { value, behind }: SaidFigure,
): string[] {
  const figure = `${figures.concurrentFlows.format(value ?? opened)} flows${behind}`;
  if (limitReached) {
    return [figure, `then ${error ?? "no more"}`];
  }
  return [`at least ${figure}`, ...(error === null ? [] : [`limited by the hosts (${error})`])];
}

function silence(found: NonNullable<NatLimits["idleTimeout"]>, { estimate, behind }: SaidFigure): string {
  return estimate === null || estimate.min === estimate.max
    ? `${silenceOfOne(found)}${behind}`
    : `${figures.idleTimeout.format(estimate.value)}${behind}`;
}

function silenceOfOne({
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
