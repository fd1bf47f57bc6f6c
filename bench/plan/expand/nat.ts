/**
 * Cases that find what only a NAT limits: from a plan's entry to the cases that run.
 *
 * @module
 */
import { type Case, type NatCase, PlanError } from "../plan.ts";
import { type CaseInputs, show } from "../plan-input.ts";

type Probe = NatCase["probe"];
type Key = "protocol" | "durationSeconds" | "maxFlows" | "maxSeconds" | "stepSeconds" | "concurrency";

const keysOf: Readonly<Record<Probe, readonly Key[]>> = {
  "connection-rate": ["durationSeconds", "concurrency"],
  "concurrent-flows": ["protocol", "durationSeconds", "maxFlows", "concurrency"],
  "idle-timeout": ["protocol", "maxSeconds", "stepSeconds"],
  behaviour: [],
};

const DEFAULT_OPENING_SECONDS = 60;
const DEFAULT_MAX_FLOWS = 70_000;
const DEFAULT_MAX_SECONDS = 300;
const DEFAULT_CONCURRENCY = 128;
/** What the probe of behaviour takes at most: three tries of a second for each thing that may get no answer. */
const BEHAVIOUR_SECONDS = 30;

/** The cases of one entry of a plan. @throws {PlanError} naming a key that does not go with the probe. */
export function expandNat(input: CaseInputs["nat"], where: string): NatCase[] {
  checkKeys(input, where);
  const { probe, protocol } = input;
  const told = protocol?.swept === true || input.id === undefined;
  return protocolsOf(input).map((one) => ({
    id: [input.id ?? `nat-${probe}`, ...(told && keysOf[probe].includes("protocol") ? [one] : [])].join("-"),
    tool: "nat",
    probe,
    protocol: one,
    direction: "egress",
    durationSeconds: secondsOf(input),
    omitSeconds: 0,
    maxFlows: probe === "concurrent-flows" ? (input.maxFlows ?? DEFAULT_MAX_FLOWS) : null,
    stepSeconds: probe === "idle-timeout" ? (input.stepSeconds ?? 1) : null,
    concurrency: keysOf[probe].includes("concurrency") ? (input.concurrency ?? DEFAULT_CONCURRENCY) : null,
  }));
}

function checkKeys(input: CaseInputs["nat"], where: string): void {
  const { probe } = input;
  const given = { ...input, protocol: input.protocol?.values };
  for (const key of [...new Set(Object.values(keysOf).flat())]) {
    if (given[key] !== undefined && !keysOf[probe].includes(key)) {
      const fitting = (Object.keys(keysOf) as Probe[]).filter((one) => keysOf[one].includes(key));
      throw new PlanError(
        `${where}: ${key}: got ${show(given[key])} with probe ${probe}; expected with ${fitting.join(" or ")} only`,
      );
    }
  }
  if (probe === "connection-rate" && input.durationSeconds === undefined) {
    throw new PlanError(`${where}: durationSeconds: got nothing; expected with probe connection-rate`);
  }
}

function protocolsOf({ probe, protocol }: CaseInputs["nat"]): readonly ("tcp" | "udp")[] {
  return probe === "behaviour" ? ["udp"] : (protocol?.values ?? ["tcp"]);
}

function secondsOf({ probe, durationSeconds, maxSeconds }: CaseInputs["nat"]): number {
  switch (probe) {
    case "connection-rate":
      return durationSeconds as number; // checkKeys has seen to it
    case "concurrent-flows":
      return durationSeconds ?? DEFAULT_OPENING_SECONDS;
    case "idle-timeout":
      return maxSeconds ?? DEFAULT_MAX_SECONDS;
    case "behaviour":
      return BEHAVIOUR_SECONDS;
  }
}

/**
 * A case with the duration that a plan wants for all: connecting or opening for so long, trying silences of so
 * long at most. The probe of behaviour is as long as it is.
 */
export function withDuration(one: Case, durationSeconds: number): Case {
  if (one.tool === "nat" && one.probe === "behaviour") {
    return one;
  }
  if (one.tool === "nat" && one.probe === "idle-timeout") {
    return { ...one, durationSeconds: Math.min(one.durationSeconds, durationSeconds) };
  }
  return { ...one, durationSeconds };
}
