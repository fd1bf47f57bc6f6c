/** The tally of failover trials: a JSON line each, in a file to which every run adds. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { KINDS, type Machine, type Outcome } from "../../helpers/pair-trial/lab.ts";

/** A failure and the machine that is active as it happens: `one` has the lower address. */
export interface Job {
  readonly kind: string;
  readonly active: Machine;
}

/** One trial. */
export interface Tallied extends Job, Partial<Outcome> {
  /** Its beginning, ISO 8601. */
  readonly at: string;
  /** Whether all flows survived that have to. */
  readonly kept?: boolean;
  /** What kept the trial from its end; it counts as not back. */
  readonly error?: string;
}

const FILE =
  process.env.EGRESS_BENCH_TALLY ??
  fileURLToPath(new URL("../../../out/failover-trials.jsonl", import.meta.url));

export function addToTally(found: Tallied): void {
  mkdirSync(dirname(FILE), { recursive: true });
  appendFileSync(FILE, `${JSON.stringify(found)}\n`);
}

/** All trials of the file, in their order. */
export function tallied(): Tallied[] {
  const lines = existsSync(FILE) ? readFileSync(FILE, "utf8").split("\n") : [];
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Tallied);
}

/** Each failure and order: runs, how many came back and kept their sessions, outages in milliseconds, and the least that survived. */
export function tallyLines(trials: readonly Tallied[]): string[] {
  const groups = new Map<string, Tallied[]>();
  for (const one of trials) {
    const group = `${one.kind} ${one.active}`;
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  return [...groups.values()].map((of) => {
    const ended = of.filter(({ error }) => error === undefined);
    const outages = ended.map(({ outageMs = Number.NaN }) => outageMs).sort((a, b) => a - b);
    const rank = (share: number) => outages[Math.max(0, Math.ceil(share * outages.length) - 1)];
    const count = (test: (one: Tallied) => boolean | undefined) => ended.filter((one) => test(one)).length;
    const least = KINDS.map((kind) => Math.min(...ended.map(({ survived }) => survived?.[kind] ?? 0)));
    const { kind, active } = of[0] as Tallied;
    return `| ${kind} | ${active === "one" ? "lower" : "higher"} | ${of.length} | ${count(({ back }) => back)} | ${count(({ kept }) => kept)} | ${rank(0.5)} | ${rank(0.95)} | ${rank(1)} | ${least.join(", ")} of ${of[0]?.of} |`;
  });
}
