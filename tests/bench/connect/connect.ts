/**
 * The connect probe's percentiles and outages beside those of independent clients that suffer the same losses.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectOutputSchema } from "../../../bench/tools/connect/index.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const agent = fileURLToPath(new URL("../../../agent", import.meta.url));

const LOST_PER_MILLE = [0, 2, 10, 50];
const OUTAGES = [0.3, 1.2, 2.2];
const SECONDS = 15;
/** Seconds of a trial beside its outage. */
const AROUND_OUTAGE = 5;
const INTERVAL_MS = 10;
/** A SYN that was lost is sent again after a second. */
const LOST_MS = 900;
const MOST_APART = 0.05;
const GOAL = "5 %, 10 ms, what the clients differ among themselves, or their 95 % intervals";

const shares = { p50: 0.5, p90: 0.9, p99: 0.99, "p99.9": 0.999 } as const;
const names = Object.keys(shares) as (keyof typeof shares)[];

/** What one client saw; times in milliseconds. */
interface Seen {
  readonly percentiles: Readonly<Record<keyof typeof shares, number>>;
  /** 95 % intervals of the percentiles. Absent for the probe, which does not report its samples. */
  readonly intervals?: Readonly<Record<keyof typeof shares, readonly [number, number]>>;
  readonly outageMs: number;
}

/** A line each of what was asked, what each client saw, and how far they are apart. */
export async function connectBeside(): Promise<string[]> {
  const losses = LOST_PER_MILLE.flatMap((lost) => {
    const { probe, clients } = trial(lost, 0, SECONDS);
    const apart = names.filter((name) => !isNear(probe, clients, name));
    return [
      `${lost / 10} % of SYNs lost: ${apart.length === 0 ? `all within ${GOAL}` : `${apart.join(", ")} further apart`}`,
      ...[["probe", probe] as const, ...Object.entries(clients)].map(
        ([name, seen]) =>
          `  ${name.padEnd(8)}${names.map((at) => `${at} ${seen.percentiles[at].toFixed(2)} ms`).join(", ")}`,
      ),
    ];
  });
  const outages = OUTAGES.map((seconds) => {
    const { probe, clients, outageMs } = trial(0, seconds, seconds + AROUND_OUTAGE);
    const said = Object.entries({ probe, ...clients }).map(
      ([name, seen]) => `${name} ${seen.outageMs.toFixed(0)}`,
    );
    const isSame = [outageMs, ...Object.values(clients).map((seen) => seen.outageMs)].some(
      (truth) => Math.abs(probe.outageMs - truth) <= apartAtMost(truth),
    );
    const verdict = isSame ? "within 5 % or 10 ms" : "further apart";
    return `outage of ${seconds} s, ${outageMs} ms by the rule's own clock: ${said.join(", ")} ms, ${verdict}`;
  });
  return [...losses, ...outages];
}

/** Whether the probe's percentile is as near to the clients' as the goal has it, or between them. */
function isNear(probe: Seen, clients: Readonly<Record<string, Seen>>, name: keyof typeof shares): boolean {
  const bounds = Object.values(clients).flatMap(({ percentiles, intervals }) => {
    const { [name]: at } = percentiles;
    return [at - apartAtMost(at), at + apartAtMost(at), ...(intervals?.[name] ?? [])];
  });
  const found = probe.percentiles[name];
  return Math.min(...bounds) <= found && found <= Math.max(...bounds);
}

/** Milliseconds. */
const apartAtMost = (milliseconds: number) => Math.max(INTERVAL_MS, MOST_APART * milliseconds);

/**
 * The 95 % interval of a percentile, by the ranks that chance may give it (the binomial distribution's normal approximation).
 * Where a share of SYNs is lost that is the percentile's own, it reaches from the answers at once to those after a second.
 */
function intervalOf(sorted: readonly number[], share: number): readonly [number, number] {
  const half = 1.96 * Math.sqrt(sorted.length * share * (1 - share));
  const at = (rank: number) => sorted[Math.min(sorted.length, Math.max(1, rank)) - 1] ?? Number.NaN;
  return [at(Math.floor(sorted.length * share - half)), at(Math.ceil(sorted.length * share + half))];
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
    intervals: Object.fromEntries(
      names.map((name) => [name, intervalOf(sorted, shares[name])]),
    ) as Seen["intervals"] & object,
    outageMs: longestLoss(samples),
  };
}

/** Milliseconds from the first of successive lost SYNs to the next that was answered, at most. */
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
