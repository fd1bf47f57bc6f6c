/** HTTP's plan, and refused output. `tests/agent/http.test.ts` runs the real programs. */
import { describe, expect, it } from "vitest";
import { buildsOf, caseHash, extraPackagesOf, parsePlan, servicesOf } from "../../../bench/index.ts";
import { type HttpCase, http } from "../../../bench/tools/http/index.ts";
import { toolOf } from "../../../bench/tools/index.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { failureOf } from "../../helpers/tool-failure.ts";
import { ended, fixture } from "./fixture.ts";

const cases = (entry: object = {}) =>
  parsePlan({ cases: [{ tool: "http", durationSeconds: 5, ...entry }] }).cases;
const one = cases()[0] as HttpCase;
/** Output of `probes/http.py` with vegeta 12.13.0 against nginx 1.22.1. */
const recorded = fixture("http/kept-http2.json");
const figures = JSON.parse(recorded);

const parse = (stdout: string, changes: object = {}) => http.parse(stdout, ended(one, changes));
const failure = (stdout: string, changes: object = {}) => failureOf(() => parse(stdout, changes));

describe("a plan's entry", () => {
  it("makes one case per version, kind of connection, rate and size", () => {
    const entry = { httpVersion: ["1.1", "2"], connections: ["kept", "new"], requestsPerSecond: [100, 1000] };
    const made = cases(entry);
    expect(made.map(({ id }) => id)).toEqual([
      ...["http1.1-kept-100rps", "http1.1-kept-1000rps", "http1.1-new-100rps", "http1.1-new-1000rps"],
      ...["http2-kept-100rps", "http2-kept-1000rps", "http2-new-100rps", "http2-new-1000rps"],
    ]);
    expect(new Set(made.map(caseHash)).size).toBe(8);
    expect(one.id).toBe("http2-kept");
    expect(toolOf(one).command(one, "10.0.0.1")).toBe(
      "python3 .egress-bench/agent.py probe http --address 10.0.0.1 --port 5205 --duration 5 --omit 1 --rate 100 --version 2 --connections kept --bytes 1000",
    );
    expect(http.title({ ...one, connections: "new", responseBytes: 10_000 })).toBe(
      "HTTP/2 over TLS, a new connection each, 100 requests a second of 10 kB",
    );
  });

  it("runs over a load, whose throughput stands beside the requests", () => {
    const [loaded] = cases({ load: { streams: 4 } }) as [HttpCase];
    expect(loaded.id).toBe("http2-kept-under-tcp-egress-p4");
    expect(one).not.toHaveProperty("load");
    const tool = toolOf(loaded);
    expect(tool.command(loaded, "10.0.0.1")).toMatch(/under_load\.py.* -t 25 .*-P 4.* probe http /);
    expect([tool.executables, tool.clientBuilds]).toEqual([["python3", "iperf3"], http.clientBuilds]);
    const well = { exitCode: 0, stderr: "" };
    const stdout = JSON.stringify({
      ...{ version: 1, covered: true, probe: { ...well, stdout: recorded } },
      load: { ...well, stdout: fixture("iperf3/3.12-tcp-parallel-4.json") },
    });
    const { measurement } = tool.parse(stdout, ended(loaded));
    const rest = parse(recorded).measurement;
    expect(measurement).toMatchObject({ requests: rest.requests, latencyUs: rest.latencyUs });
    expect(measurement.bitsPerSecond).toBeGreaterThan(1e9);
  });

  it("refuses more requests than the agent can hold", () => {
    expect(() => cases({ requestsPerSecond: 10_000, durationSeconds: "5m" })).toThrow(
      "requestsPerSecond: got 10000 for 300 s; expected 1000000 requests a case at most",
    );
  });

  it("brings a server to one end and the load generator to the other, only in plans that use it", () => {
    expect(extraPackagesOf(cases(), "server")).toEqual(["nginx", "openssl"]);
    expect(extraPackagesOf(cases(), "client")).toEqual([]);
    expect(buildsOf(cases(), "client")).toEqual({ vegeta: "github.com/tsenart/vegeta/v12@v12.13.0" });
    expect(buildsOf(cases(), "server")).toEqual({});
    expect(buildsOf(parsePlan("quick").cases, "client")).toEqual({});
    expect(servicesOf(cases(), "server").map(({ name }) => name)).toContain("HTTPS");
    expect(servicesOf(parsePlan("quick").cases, "server").map(({ name }) => name)).not.toContain("HTTPS");
  });
});

describe("recorded output", () => {
  it("has requests, connections and latencies", () => {
    const { measurement, version } = parse(recorded);
    expect(version).toBe("12.13.0");
    expect(measurement.requests).toEqual({
      ...{ attempted: 500, failed: 0, perSecond: 100, notSent: 0 },
      ...{ connections: figures.connections, lateMs: figures.lateMs },
    });
    expect(measurement.latencyUs).toMatchObject({
      kind: "request",
      samples: 500,
      p50: figures.latencyUs.p50,
    });
  });

  it("has failed requests, and those that the client was too busy to begin", () => {
    const latencyUs = { ...figures.latencyUs, samples: 470 };
    const some = { ...figures, attempted: 480, failed: 10, problems: { timeout: 7, reset: 3 }, latencyUs };
    expect(parse(JSON.stringify(some)).measurement.requests).toMatchObject({
      ...{ attempted: 480, failed: 10, perSecond: 94, notSent: 20 },
    });
  });
});

describe("other output", () => {
  const none = Object.fromEntries(Object.keys(figures.latencyUs).map((key) => [key, null]));

  it("is no measurement if nothing was answered, or the client did not keep its schedule", () => {
    const lost = { ...figures, failed: 500, latencyUs: { ...none, samples: 0, histogram: undefined } };
    expect(failure(JSON.stringify({ ...lost, problems: { timeout: 500 } }))).toMatchObject({
      failureClass: "no-route",
      message: "none of 500 requests was answered: 500 times timeout",
    });
    expect(failure(JSON.stringify({ ...lost, problems: { refused: 500 } })).failureClass).toBe("tool-error");
    const late = { ...figures, attempted: 200, latencyUs: { ...figures.latencyUs, samples: 200 } };
    expect(failure(JSON.stringify(late)).message).toContain("began 200 of the 500 requests that were due");
  });

  it.each([
    "",
    "{",
    '{"version":2}',
    JSON.stringify({ ...figures, attempted: 400 }),
    JSON.stringify({ ...figures, failed: 1 }),
    JSON.stringify({ ...figures, problems: { timeout: 3 } }),
    JSON.stringify({ ...figures, connections: -1 }),
    JSON.stringify({ ...figures, latencyUs: { ...figures.latencyUs, p50: "1" } }),
  ])("is refused: %s", (text) => {
    expect(failure(text, { exitCode: 3 })).toMatchObject({ failureClass: "bad-output" });
  });

  it("names a missing program, and where to get it", () => {
    expect(failure("", { exitCode: 1, stderr: "agent.py probe: vegeta: not found\n" })).toMatchObject({
      failureClass: "tool-missing",
      message: expect.stringContaining("docs/results.md#http"),
    });
  });
});

describe("vegeta's rows", () => {
  const headers = (text: string) => Buffer.from(text).toString("base64");
  const ours = headers("Content-Length: 1000\r\nEgress-Bench: HTTP/2.0 7\r\n\r\n");
  /** A result of a numbered request, begun some milliseconds late. */
  const row = (number: number, late: number, changes: Record<number, string> = {}) => {
    const begun = 1_000_000_000_000 + number * 10_000_000 + late * 1_000_000;
    const cells = [String(begun), "200", "5000", "0", "0", "", "", "", String(number), "GET", "url", ours];
    return cells.map((cell, at) => changes[at] ?? cell);
  };
  const given = { rate: "100", version: "2", bytes: "1000", omit: "1", duration: "2" };
  const tally = (rows: string[][]) =>
    evaluate("(lambda one: (one.read(data[1]), one.document())[1])(http.Tally(data[0]))", [given, rows]) as {
      [key: string]: unknown;
    };

  it("are counted without warm-up, problems by their kind, and how late they were begun", () => {
    const rows = Array.from({ length: 300 }, (_, number) => row(number, number === 250 ? 40 : 0));
    rows[120] = row(120, 0, { 1: "0", 5: 'Get "https://x/": context deadline exceeded', 11: "" });
    rows[130] = row(130, 0, { 1: "503", 5: "503 Service Unavailable" });
    rows[10] = row(10, 0, { 1: "0", 5: "connection refused", 11: "" });
    expect(tally(rows)).toMatchObject({
      ...{ planned: 200, attempted: 200, failed: 2, connections: 1, lateMs: 40 },
      problems: { timeout: 1, "status 503": 1 },
      latencyUs: { samples: 198, p50: 5 },
    });
  });

  it.each([
    ["another version", { 11: headers("Content-Length: 1000\r\nEgress-Bench: HTTP/1.1 7\r\n\r\n") }],
    ["another size", { 11: headers("Content-Length: 10\r\nEgress-Bench: HTTP/2.0 7\r\n\r\n") }],
    ["another server", { 11: headers("Content-Length: 1000\r\nServer: x\r\n\r\n") }],
    ["no number", { 0: "now" }],
  ])("are no figures where an answer is of %s", (_, changes) => {
    expect(() => tally([row(150, 0, changes)])).toThrow(
      /not 1000 bytes over HTTP\/2\.0 from our own server|none of its own/,
    );
  });
});
