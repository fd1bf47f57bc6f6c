/**
 * The largest case of a plan, 128 streams for 300 s: its report's size in the state, and the cost of reading it. The
 * document is a recorded one stretched to that size; no traffic.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parsePlan, toolOf } from "../../bench/index.ts";
import { median } from "../../bench/statistics/sample.ts";

const STREAMS = 128;
const SECONDS = 300;
const ROUNDS = 20;

const inCheckout = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export async function largeCase(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-large-"));
  try {
    const file = join(directory, "stdout");
    writeFileSync(file, JSON.stringify(stretched()));
    const { reduced, seconds } = reduce(file);
    const { cases } = parsePlan({
      cases: [{ tool: "iperf3", streams: STREAMS, durationSeconds: SECONDS }],
    });
    const [benchCase] = cases;
    if (benchCase === undefined) {
      throw new Error("the plan has no case");
    }
    const times = Array.from({ length: ROUNDS }, () => {
      const since = performance.now();
      toolOf(benchCase).parse(reduced, { case: benchCase, exitCode: 0, timedOut: false, stderr: "" });
      return performance.now() - since;
    });
    const raw = statSync(file).size / 1e6;
    const kilobytes = (Buffer.byteLength(reduced) / 1024).toFixed(1);
    return [
      `${STREAMS} streams, ${SECONDS} s: ${raw.toFixed(1)} MB of iperf3's JSON are reduced to ${kilobytes} KB in ${seconds.toFixed(1)} s on the client; bound 64 KB with all else of a report`,
      `reading that takes ${median(times).toFixed(1)} ms (median of ${ROUNDS}, worst ${Math.max(...times).toFixed(1)} ms); bound 200 ms`,
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A recorded document of 4 streams and 3 s, its streams and seconds repeated. */
function stretched(): unknown {
  const file = inCheckout("tests/fixtures/iperf3/3.12-tcp-parallel-4.json");
  const recorded = JSON.parse(readFileSync(file, "utf8"));
  const repeat = <T>(values: readonly T[], count: number): T[] =>
    Array.from({ length: count }, (_, index) => values[index % values.length] as T);
  const intervals = repeat<{ streams: unknown[]; sum: object }>(recorded.intervals, SECONDS);
  return {
    ...recorded,
    intervals: intervals.map(({ streams, sum }, second) => ({
      streams: repeat(streams, STREAMS),
      sum: { ...sum, start: second, end: second + 1 },
    })),
    end: { ...recorded.end, streams: repeat(recorded.end.streams, STREAMS) },
  };
}

/** Reduced by the host agent's own code, as on a client. */
function reduce(file: string): { reduced: string; seconds: number } {
  const program = [
    "import sys, time",
    `sys.path.insert(0, ${JSON.stringify(inCheckout("agent"))})`,
    "from runner import reducing",
    "since = time.monotonic()",
    `text, problem = reducing.reduce_output(${JSON.stringify(file)}, "iperf3")`,
    "assert problem is None, problem",
    "print(time.monotonic() - since)",
    "print(text)",
  ].join("\n");
  const output = execFileSync("python3", ["-B", "-c", program], { encoding: "utf8" });
  const [seconds = "", ...text] = output.split("\n");
  return { reduced: text.join("\n"), seconds: Number(seconds) };
}
