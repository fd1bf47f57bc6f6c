/** The TCP-connect prober and its sink. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";
import { CLOSED_PORT } from "../helpers/ports.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const server = preparedHost();

const connect = (port: number, options: readonly string[]) =>
  server.call(["connect", "--address", "127.0.0.1", "--port", String(port), ...options]);

describe("connect", () => {
  it("times connections to the sink", async () => {
    const { status, stdout } = await connect(server.ports.connect, ["--duration", "1", "--interval-ms", "5"]);
    expect(status).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ version: 1, failed: 0, errors: {} });
    expect(result.attempted).toBeGreaterThan(20);
    expect(result.attempted).toBeLessThanOrEqual(200);
    expect(result.durationSeconds).toBeGreaterThan(0.5);
    const { samples, min, p50, p90, p99, p999, max, mean } = result.latencyUs;
    expect(samples).toBe(result.attempted);
    expect([min, p50, p90, p99, p999, max]).toEqual(
      [min, p50, p90, p99, p999, max].toSorted((a, b) => a - b),
    );
    expect(min).toBeGreaterThan(0);
    expect(mean).toBeGreaterThan(min);
  });

  it("keeps up without a pause", async () => {
    const { stdout } = await connect(server.ports.connect, ["--duration", "1", "--interval-ms", "0"]);
    const { attempted, failed } = JSON.parse(stdout);
    expect(failed).toBe(0);
    expect(attempted).toBeGreaterThan(1000);
  });

  it("reports how late it was where it got no processor", () => {
    const stalled = `
import socket, time
sink = socket.create_server(("127.0.0.1", 0), backlog=200)
prober = connect.Prober(socket.AF_INET, sink.getsockname(), 3.0, 1000)
usual = prober._start
def start():
    time.sleep(data if len(prober._begun) == 20 else 0)
    usual()
prober._start = start`;
    expect(evaluate("prober.on_schedule(0.01, 1.0)[2]", 0.5, stalled)).toBeGreaterThan(0.45);
  });

  it("decides by an answer's own time whether it came within the time-out, not by when it is heard", () => {
    const heard = `
import socket
sink = socket.create_server(("127.0.0.1", 0), backlog=200)
def heard(took, syns_again, since=0.0):
    connect.syns_sent_again, connect.up_for = lambda _: syns_again, lambda _: since
    prober = connect.Prober(socket.AF_INET, sink.getsockname(), 3.0, 1000)
    prober._begun, prober._answered = [0.0], bytearray(1)
    prober._pending[0] = connect.Connecting(socket.create_connection(sink.getsockname()), 0, 0.0)
    prober._end(0, None, took)
    return [len(prober.latencies), prober.errors]`;
    const each = "[heard(2.98, 2), heard(3.02, 2), heard(5.0, 2, 3.9), heard(5.0, 2, 1.9), heard(5.0, 0)]";
    const [answered, failed] = [
      [1, {}],
      [0, { ETIMEDOUT: 1 }],
    ];
    // A SYN sent again was answered after 1.1 and 3.1 s, and a first one at once; the probe looked after 5 s.
    expect(evaluate(each, null, heard)).toEqual([answered, failed, answered, failed, answered]);
  });

  it("counts failures by name", async () => {
    const { status, stdout } = await connect(CLOSED_PORT, ["--duration", "0.2", "--interval-ms", "10"]);
    expect(status).toBe(0);
    const { attempted, failed, errors, latencyUs } = JSON.parse(stdout);
    expect(failed).toBe(attempted);
    expect(errors).toEqual({ ECONNREFUSED: attempted });
    expect(latencyUs).toEqual({
      samples: 0,
      mean: null,
      min: null,
      max: null,
      stddev: null,
      p50: null,
      p90: null,
      p99: null,
      p999: null,
      histogram: [],
    });
  });
});

describe("outages", () => {
  // One sample each 10 ms: its time, and whether it was answered.
  const outages = (answered: readonly boolean[], interval = 0.01) =>
    evaluate(
      "connect.outages_of(misses.misses([(at, ok) for at, ok in data['samples']], data['interval']))",
      { samples: answered.map((ok, turn) => [turn * interval, ok]), interval },
    );
  const times = (count: number, ok: boolean) => new Array<boolean>(count).fill(ok);

  it("last from the first unanswered SYN to the next answered one", () => {
    const samples = [...times(100, true), ...times(30, false), ...times(70, true)];
    expect(outages(samples)).toEqual([{ startSeconds: 1, seconds: 0.3 }]);
  });

  it("last to the end if no answer came any more", () => {
    expect(outages([...times(100, true), ...times(100, false)])).toEqual([{ startSeconds: 1, seconds: 1 }]);
  });

  it("are not made of single lost SYNs, however long the interval", () => {
    expect(outages(times(100, true).map((_, turn) => turn % 10 !== 0))).toEqual([]);
    expect(
      outages(
        times(100, true).map((_, turn) => turn % 10 > 1),
        1,
      ),
    ).toEqual([]);
  });

  it("are limited to the longest ones, in order", () => {
    const one = (length: number) => [...times(length, false), ...times(5, true)];
    const found = outages(Array.from({ length: 25 }, (_, turn) => one(turn + 11)).flat()) as {
      seconds: number;
      startSeconds: number;
    }[];
    expect(found).toHaveLength(20);
    expect(found.map(({ seconds }) => seconds)).toEqual(found.map((_, turn) => (turn + 16) / 100));
  });
});

describe("latency statistics", () => {
  it("are nearest-rank percentiles and the sample standard deviation", () => {
    const lists = fc.sample(fc.array(fc.double({ min: 1, max: 1e6, noNaN: true }), { maxLength: 300 }), 200);
    lists.push(Array.from({ length: 1000 }, (_, index) => index + 1));
    const results = evaluate("[latency.latency_statistics(list) for list in data]", lists) as Record<
      string,
      number
    >[];
    for (const [index, list] of lists.entries()) {
      const sorted = list.toSorted((a, b) => a - b);
      // The same in another way: the smallest sample that this share of all does not exceed.
      const nearest = (share: number) =>
        sorted.find(
          (sample) => sorted.filter((other) => other <= sample).length * 1000 >= share * sorted.length,
        ) ?? null;
      const result = results[index] as Record<string, number | null>;
      expect(result.samples).toBe(list.length);
      for (const [name, share] of Object.entries({ p50: 500, p90: 900, p99: 990, p999: 999 })) {
        expectClose(result[name], nearest(share));
      }
      expectClose(result.min, sorted[0] ?? null);
      expectClose(result.max, sorted.at(-1) ?? null);
      const mean = list.reduce((sum, sample) => sum + sample, 0) / list.length;
      expectClose(result.mean, list.length > 0 ? mean : null);
      const squares = list.reduce((sum, sample) => sum + (sample - mean) ** 2, 0);
      expectClose(result.stddev, list.length > 1 ? Math.sqrt(squares / (list.length - 1)) : null);
    }
  });
});

it("a late probe counts only connections whose first SYN or its answer was lost as missed", () => {
  const [helper, agent] = ["late-probe.py", "../../agent/"].map((path) =>
    fileURLToPath(new URL(`../helpers/${path}`, import.meta.url)),
  ) as [string, string];
  // The connect probe's latency is the kernel's, not the probe's own delay.
  const late = { connectLost: false, connectHeardLate: [true, true], connectAnswerLost: false };
  const { stdout, stderr } = spawnSync("python3", ["-B", helper, agent], { encoding: "utf8" });
  expect([stderr, JSON.parse(stdout)]).toEqual([
    "",
    { lost: false, heardLate: true, answerLost: false, ...late },
  ]);
});

/** Rounded to a tenth of a microsecond. */
function expectClose(value: number | null | undefined, expected: number | null): void {
  if (expected === null || value === null || value === undefined) expect(value).toBe(expected);
  else expect(Math.abs(value - expected)).toBeLessThan(0.051);
}
