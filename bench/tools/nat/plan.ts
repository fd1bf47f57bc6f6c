/** The plan's section for the NAT probes, and the cases that it makes. */
import { z } from "zod";
import { caseOf, inputOf } from "../../plan/case.ts";
import {
  duration,
  oneOf,
  optional,
  optionalWhole,
  type ProgramOption,
  protocol,
  sweep,
} from "../../plan/fields.ts";
import { PlanError, show } from "../../plan/plan-error.ts";
import { wholeOrNull } from "../../schema.ts";
import { PORTS_PER_ADDRESS } from "../../topologies/limits.ts";

export const natOptions = {
  "max-flows": { default: 70_000, min: 1, max: 1_000_000 },
  "step-seconds": { default: 1, min: 1, max: 3600 },
  concurrency: { default: 128, min: 1, max: 4096 },
} as const satisfies Record<string, ProgramOption>;

const DEFAULT_OPENING_SECONDS = 60;
const DEFAULT_MAX_SECONDS = 300;
/** Longest duration of the behaviour probe: three tries of a second for each request that may get no answer. */
const BEHAVIOUR_SECONDS = 30;

export const caseSchema = caseOf("nat", ["tcp", "udp"], {
  probe: z
    .enum(["connection-rate", "concurrent-flows", "idle-timeout", "behaviour"])
    .describe("What is probed; see [nat-limits](nat-limits.md)."),
  maxFlows: wholeOrNull.describe("Most flows to open. Null: another probe."),
  stepSeconds: wholeOrNull.describe(
    "Step between two silences that are tried; the longest is `durationSeconds`. Null: another probe.",
  ),
  concurrency: wholeOrNull.describe("Flows opened at a time. Null: another probe."),
});
export type NatCase = z.infer<typeof caseSchema>;

export const input = inputOf(
  "nat",
  "Limits of a NAT: concurrent flows, new flows per second, idle time-outs, port mapping.",
  {
    probe: oneOf("connection-rate", "concurrent-flows", "idle-timeout", "behaviour").describe(
      "What is probed; see [nat-limits](nat-limits.md).",
    ),
    protocol: optional(sweep(protocol), "Protocol of the traffic.", "`tcp`"),
    durationSeconds: optional(
      duration,
      "How long to open connections (`connection-rate`), or flows at most.",
      `${DEFAULT_OPENING_SECONDS} for the latter`,
    ),
    maxFlows: optionalWhole(
      natOptions["max-flows"],
      "flows",
      `Most flows to open. More than ${PORTS_PER_ADDRESS.toLocaleString("en-US")} need a second client: an address has no more ports.`,
    ),
    maxSeconds: optional(duration, "The longest silence that is tried.", DEFAULT_MAX_SECONDS),
    stepSeconds: optionalWhole(natOptions["step-seconds"], "seconds", "Step between two silences."),
    concurrency: optionalWhole(natOptions.concurrency, "flows", "Flows opened at a time."),
  },
);
type Input = z.output<typeof input>;

type Probe = NatCase["probe"];
type Key = "protocol" | "durationSeconds" | "maxFlows" | "maxSeconds" | "stepSeconds" | "concurrency";

const keysOf: Readonly<Record<Probe, readonly Key[]>> = {
  "connection-rate": ["durationSeconds", "concurrency"],
  "concurrent-flows": ["protocol", "durationSeconds", "maxFlows", "concurrency"],
  "idle-timeout": ["protocol", "maxSeconds", "stepSeconds"],
  behaviour: [],
};

/** The cases of one entry of a plan. @throws {PlanError} naming a key that does not go with the probe. */
export function expand(input: Input, where: string): NatCase[] {
  checkKeys(input, where);
  const { probe, protocol } = input;
  const shown = protocol?.swept === true || input.id === undefined;
  const protocols = probe === "behaviour" ? ["udp" as const] : (protocol?.values ?? ["tcp"]);
  return protocols.map((one) => ({
    id: [input.id ?? `nat-${probe}`, ...(shown && keysOf[probe].includes("protocol") ? [one] : [])].join("-"),
    tool: "nat",
    probe,
    protocol: one,
    direction: "egress",
    durationSeconds: secondsOf(input),
    omitSeconds: 0,
    maxFlows: probe === "concurrent-flows" ? (input.maxFlows ?? natOptions["max-flows"].default) : null,
    stepSeconds: probe === "idle-timeout" ? (input.stepSeconds ?? natOptions["step-seconds"].default) : null,
    concurrency: keysOf[probe].includes("concurrency")
      ? (input.concurrency ?? natOptions.concurrency.default)
      : null,
  }));
}

function checkKeys(input: Input, where: string): void {
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

function secondsOf({ probe, durationSeconds, maxSeconds }: Input): number {
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
 * A case with the plan's common duration: the time to connect or open flows, or the longest silence. The behaviour
 * probe keeps its own.
 */
export function withDuration(one: NatCase, durationSeconds: number): NatCase {
  switch (one.probe) {
    case "behaviour":
      return one;
    case "idle-timeout":
      return { ...one, durationSeconds: Math.min(one.durationSeconds, durationSeconds) };
    default:
      return { ...one, durationSeconds };
  }
}
