/** The tally of failover trials: one JSON line each, in a file to which every run adds. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { KINDS, MACHINES, type Machine, type Outcome } from "../../lab/pair-trial/lab.ts";

/** A failure and the machine that is active when it happens: `one` has the lower address. */
export interface Job {
  readonly kind: string;
  readonly active: Machine;
}

export interface Tallied extends Job, Partial<Omit<Outcome, "endedAt">> {
  /** Start, ISO 8601. */
  readonly at: string;
  /** Machines that said "active" and did not carry. */
  readonly liars?: readonly Machine[];
  /** Milliseconds from the end of a fault that blocks the path to the end of the outage. */
  readonly afterMs?: number;
  /** Whether all flows survived that must survive. */
  readonly kept?: boolean;
  /** Error that stopped the trial; it counts as not recovered. */
  readonly error?: string;
}

/** The trials of the table in docs/reference/failover.md. */
export const RECORD = fileURLToPath(new URL("trials.jsonl", import.meta.url));
/** Trials that began later are of the present code; the page names what changed since. */
export const PRESENT_SINCE = "2026-11-28T13:30";
const FILE =
  process.env.EGRESS_BENCH_TALLY ??
  fileURLToPath(new URL("../../../out/failover-trials.jsonl", import.meta.url));

export function addToTally(found: Tallied): void {
  append(FILE, JSON.stringify(found));
}

/** Writes the programs' output of a trial that was not clean to a file beside the tally. */
export function addToLog(trial: Job & Pick<Tallied, "at">, logs: string): void {
  append(`${FILE}.log`, `== ${JSON.stringify(trial)}\n${logs}`);
}

/** A fresh clone has no directory for these files. */
function append(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${text}\n`);
}

/** All trials of a file, in their order. */
export function tallied(file = FILE): Tallied[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Tallied);
}

/**
 * A Markdown table: for each failure, how many trials recovered and kept their sessions, and the outages of either order.
 */
export function tallyTable(trials: readonly Tallied[]): string[] {
  const kinds = [...new Set(trials.map(({ kind }) => kind))];
  return [
    `| failure | trials | back | kept | outage in ms, lower address active: median, p95, most | higher | after the fault's end | survived at least: ${KINDS.join(", ")} |`,
    "|---|---|---|---|---|---|---|---|",
    ...kinds.map((kind) => {
      const of = trials.filter((one) => one.kind === kind);
      const count = (test: (one: Tallied) => boolean | undefined) => of.filter((one) => test(one)).length;
      const outages = MACHINES.map((active) =>
        outagesOf(of.filter((one) => one.active === active).flatMap(({ outageMs }) => outageMs ?? [])),
      );
      const after = of.flatMap(({ afterMs }) => afterMs ?? []);
      const least = KINDS.map((flows) => Math.min(...of.flatMap(({ survived }) => survived?.[flows] ?? [])));
      return `| ${kind} | ${of.length} | ${count(({ back }) => back)} | ${count(({ kept }) => kept)} | ${outages.join(" | ")} | ${after.length === 0 ? "" : outagesOf(after)} | ${least.join(", ")} |`;
    }),
  ];
}

function outagesOf(found: readonly number[]): string {
  const outages = found.toSorted((a, b) => a - b);
  const rank = (share: number) => outages[Math.max(0, Math.ceil(share * outages.length) - 1)] ?? "";
  return [0.5, 0.95, 1].map(rank).join(", ");
}
