/** The connect probe's percentiles and outages, compared with independent clients under the same losses. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectOutputSchema } from "../../../bench/tools/connect/index.ts";
import { isNear } from "./nearness.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const agent = fileURLToPath(new URL("../../../agent", import.meta.url));

const LOST_PER_MILLE = [0, 2, 10, 50];
const OUTAGES = [0.3, 1.2, 2.2];
const SECONDS = 15;
/** Seconds of a trial around its outage. */
const AROUND_OUTAGE = 5;
/** A lost SYN is repeated after a second. */
const LOST_MS = 900;
/** Trials: a busy machine may delay one client and not the other, so a larger difference is tried again. */
const TRIALS = 3;
const GOAL = "among the clients, or within 5 % or 10 ms of their median";

const shares = { p50: 0.5, p90: 0.9, p99: 0.99, "p99.9": 0.999 } as const;
const names = Object.keys(shares) as (keyof typeof shares)[];

/** One client's observations; times in milliseconds. */
interface Seen {
  readonly percentiles: Readonly<Record<keyof typeof shares, number>>;
  readonly outageMs: number;
}

/** A line each for the conditions, each client's observations, and their differences. */
export function* connectBeside(): Generator<string> {
  for (const lost of LOST_PER_MILLE) yield* repeated(() => lossLines(lost));
  for (const seconds of OUTAGES) yield* repeated(() => outageLines(seconds));
}

/** A trial's lines; another trial's after them if the probe's difference was larger. */
function* repeated(lines: () => Verdict, trials = TRIALS): Generator<string> {
  const { isNear, said } = lines();
  yield* said;
  if (isNear || trials === 1) return;
  yield "  tried again:";
  yield* repeated(lines, trials - 1);
}

interface Verdict {
  readonly isNear: boolean;
  readonly said: string[];
}

function lossLines(lost: number): Verdict {
  const { probe, clients } = trial(lost, 0, SECONDS);
  const apart = names.filter(
    (name) =>
      !isNear(
        probe.percentiles[name],
        Object.values(clients).map(({ percentiles }) => percentiles[name]),
      ),
  );
  const said = [
    `${lost / 10} % of SYNs lost: ${apart.length === 0 ? `all ${GOAL}` : `${apart.join(", ")} further apart`}`,
    ...[["probe", probe] as const, ...Object.entries(clients)].map(
      ([name, seen]) =>
        `  ${name.padEnd(8)}${names.map((at) => `${at} ${seen.percentiles[at].toFixed(2)} ms`).join(", ")}`,
    ),
  ];
  return { isNear: apart.length === 0, said };
}

function outageLines(seconds: number): Verdict {
  const { probe, clients, outageMs } = trial(0, seconds, seconds + AROUND_OUTAGE);
  const said = Object.entries({ probe, ...clients }).map(
    ([name, seen]) => `${name} ${seen.outageMs.toFixed(0)}`,
  );
  // The rule's time by its own clock is longer than the rule was in force.
  const near = isNear(probe.outageMs, [outageMs, ...Object.values(clients).map((seen) => seen.outageMs)]);
  const verdict = near ? GOAL : "further apart";
  return {
    isNear: near,
    said: [
      `outage of ${seconds} s, ${outageMs} ms by the rule's own clock: ${said.join(", ")} ms, ${verdict}`,
    ],
  };
}

function trial(lostPerMille: number, outage: number, seconds: number) {
  const out = mkdtempSync(join(tmpdir(), "egress-bench-connect-"));
  try {
    const { status, stderr } = spawnSync("unshare", ["--net", "bash", join(here, "trial.sh")], {
      encoding: "utf8",
      env: {
        ...process.env,
        ...{ AGENT: agent, HERE: here, OUT: out, SECONDS_LONG: String(seconds) },
        ...{ LOST_PER_MILLE: String(lostPerMille), OUTAGE: String(outage) },
      },
    });
    if (status !== 0) {
      throw new Error(`the trial ended with ${status}: ${stderr}`);
    }
    const read = (name: string) => readFileSync(join(out, name), "utf8");
    return {
      probe: seenByProbe(read("probe.json")),
      clients: { node: seenByClient(read("node.txt")), threads: seenByClient(read("threads.txt")) },
      outageMs: existsSync(join(out, "outage")) ? Number(read("outage")) : 0,
    };
  } finally {
    rmSync(out, { recursive: true });
  }
}

function seenByProbe(text: string): Seen {
  const { latencyUs, outages } = connectOutputSchema.parse(JSON.parse(text));
  const { p50, p90, p99, p999 } = latencyUs;
  const percentiles = { p50, p90, p99, "p99.9": p999 };
  return {
    percentiles: Object.fromEntries(
      names.map((name) => [name, (percentiles[name] ?? Number.NaN) / 1000]),
    ) as Seen["percentiles"],
    outageMs: Math.max(0, ...outages.map((one) => 1000 * one.seconds)),
  };
}

function seenByClient(text: string): Seen {
  const samples = text
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number) as [at: number, took: number]);
  const times = samples.map(([, took]) => took / 1000).filter((took) => took >= 0);
  const sorted = times.toSorted((a, b) => a - b);
  return {
    percentiles: Object.fromEntries(
      names.map((name) => [name, sorted[Math.ceil(shares[name] * sorted.length) - 1] ?? Number.NaN]),
    ) as Seen["percentiles"],
    outageMs: longestLoss(samples),
  };
}

/** Longest time in milliseconds from the first of successive lost SYNs to the next answered one. */
function longestLoss(samples: readonly (readonly [at: number, took: number])[]): number {
  let since: number | null = null;
  let longest = 0;
  for (const [at, took] of samples) {
    if (took < 0 || took > LOST_MS * 1000) {
      since ??= at;
    } else if (since !== null) {
      longest = Math.max(longest, at - since);
      since = null;
    }
  }
  return longest;
}
