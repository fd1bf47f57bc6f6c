/** The TCP-connect prober and its sink. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentHost, agentHost, evaluate } from "../helpers/agent-host.ts";
import { CLOSED_PORT } from "../helpers/ports.ts";

let server: AgentHost;
beforeAll(async () => {
  server = await agentHost("server");
  expect(await server.prepare()).toMatchObject({ status: 0, stderr: "" });
});
afterAll(() => server.dispose());

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

  it.each([
    [["--port", "1", "--duration", "1"], "--address: expected a value, got nothing"],
    [
      ["--address", "127.0.0.1", "--port", "0", "--duration", "1"],
      "--port: expected a number from 1 to 65535, got 0",
    ],
    [
      ["--address", "127.0.0.1", "--port", "1", "--duration", "-1"],
      "--duration: expected a number from 0.001",
    ],
    [["--address", "127.0.0.1", "--port", "1", "--duration"], "--duration: expected a value, got nothing"],
    [
      ["--address", "127.0.0.1", "--port", "1", "--duration", "1", "--interval-ms", "1e9"],
      "--interval-ms: expected a number",
    ],
    [["--speed", "9"], "--speed: unknown option, expected --address, --port"],
    [
      ["--address", "not an address", "--port", "1", "--duration", "1"],
      "--address: expected an IP address, got not an address",
    ],
  ])("refuses %j", async (options, message) => {
    const outcome = await server.call(["connect", ...options]);
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toMatch(/^agent\.py connect: .*\n$/);
    expect(outcome.stderr).toContain(message);
  });
});

describe("a path that is dead for 0.9 s in every 3", () => {
  // A clock of its own: an attempt takes 100 us, or 1 s more where its first SYN is lost.
  const simulation = `
clock = [0.0]
def attempt():
    took = 0.0001 + (1 if clock[0] % 3 < 0.9 else 0)
    clock[0] += took
    return took * 1e6
def sleep(seconds):
    clock[0] += seconds
result = on_schedule(attempt, 0.01, 60, lambda: clock[0], sleep)`;
  const run = (program: string) =>
    evaluate(
      "(lambda scope: [exec(data, scope), scope['result']][1])({'on_schedule': connect.on_schedule})",
      program,
    ) as [number[], Record<string, number>, number];

  it("shows as long as it lasted, and not as one slow connection each time", () => {
    const [latencies, errors] = run(simulation);
    expect(errors).toEqual({});
    expect(latencies).toHaveLength(6000);
    const slow = latencies.filter((latency) => latency > 100_000).length / latencies.length;
    // Due in the 0.9 s, or up to when the first SYN that was sent again has come through.
    expect(slow).toBeGreaterThan(0.28);
    expect(slow).toBeLessThan(0.36);
    // What each attempt itself took, which is what was published: one in hundreds is slow.
    const [own] = run(
      simulation.replace("0.01, 60", "0, 60").replace("return took", "sleep(0.01); return took"),
    );
    expect(own.filter((latency) => latency > 100_000).length / own.length).toBeLessThan(0.01);
  });

  it("counts what could not be sent at all", () => {
    const dead = simulation.replace("clock[0] % 3 < 0.9", "clock[0] > 59");
    const [latencies, , notSent] = run(dead.replace("1 if", "5 if"));
    expect(notSent).toBeGreaterThan(90);
    expect(latencies.length + notSent).toBe(6000);
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
      // Another way of saying it: the smallest sample that so large a share of all does not exceed.
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

/** Rounded to a tenth of a microsecond. */
function expectClose(value: number | null | undefined, expected: number | null): void {
  if (expected === null || value === null || value === undefined) expect(value).toBe(expected);
  else expect(Math.abs(value - expected)).toBeLessThan(0.051);
}
