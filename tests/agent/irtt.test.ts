/** The real irtt on loopback; `tests/lab/probes/faults.test.ts` has it behind faults. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caseHash, type Measurement, parsePlan, toolOf } from "../../bench/index.ts";
import { type IrttCase, irtt } from "../../bench/tools/irtt/index.ts";
import { type AgentHost, agentHost } from "../helpers/agent-host.ts";
import { CLOSED_PORT, freePort } from "../helpers/ports.ts";
import { failureOf } from "../helpers/tool-failure.ts";

const cases = (entry: object) => parsePlan({ cases: [{ tool: "irtt", durationSeconds: 2, ...entry }] }).cases;
const one = (entry: object = {}) => cases(entry)[0] as IrttCase;

const context = (changes: object = {}) => ({
  ...{ case: one(), exitCode: 0, timedOut: false, stderr: "" },
  ...changes,
});

const failure = (stdout: string, changes: object = {}) =>
  failureOf(() => irtt.parse(stdout, context(changes)));

describe("a plan's entry", () => {
  it("makes a case a length, at rest or under load", () => {
    const made = cases({ datagramBytes: [64, 1200], load: { streams: 4 } });
    expect(made.map(({ id }) => id)).toEqual([
      "udp-round-trips-64B-under-tcp-egress-p4",
      "udp-round-trips-1200B-under-tcp-egress-p4",
    ]);
    expect(new Set(made.map(caseHash)).size).toBe(2);
    expect(one().id).toBe("udp-round-trips");
    expect(toolOf(made[0] as IrttCase).command(made[0] as IrttCase, "10.0.0.1")).toMatch(
      /under_load\.py .*iperf3 .*agent\.py probe irtt --address 10\.0\.0\.1 --port 5200 --duration 2 --interval-ms 10 --bytes 64/,
    );
  });

  it("may not have more round trips than irtt stores", () => {
    expect(() => one({ durationSeconds: "1h" })).toThrow(
      "intervalMs: got 10; expected 72 or more for 3600 s",
    );
    expect(one({ durationSeconds: "1h", intervalMs: 72 }).intervalMs).toBe(72);
  });
});

describe("its figures", () => {
  let host: AgentHost;
  let port: number;
  beforeAll(async () => {
    host = await agentHost("server");
    port = await freePort();
    const [service] = irtt.services({ irtt: port });
    await host.prepare({ services: service === undefined ? [] : [service] });
  });
  afterAll(() => host.dispose());

  async function measure(to: number): Promise<Measurement> {
    const { status, stdout } = await probe(to);
    expect(status).toBe(0);
    return irtt.parse(stdout, context()).measurement;
  }
  const probe = (to: number) =>
    host.call(["probe", "irtt", "--address", "127.0.0.1", "--port", String(to), "--duration", "2"]);

  it("are round trips, and the tool's version", async () => {
    const { latencyUs, lossByDirection, packets } = await measure(port);
    expect(latencyUs?.samples).toBeGreaterThan(50);
    expect(latencyUs?.p50).toBeGreaterThan(0);
    expect(latencyUs?.max).toBeGreaterThanOrEqual(latencyUs?.p50 as number);
    expect(packets).toBeLessThanOrEqual(200);
    expect(lossByDirection).toMatchObject({ egress: { lostPackets: 0 }, ingress: { lostPackets: 0 } });
  });

  it("do not exist where nothing answers", async () => {
    const { status, stderr } = await probe(CLOSED_PORT);
    expect(status).toBe(1);
    expect(failure("", { exitCode: 1, stderr })).toMatchObject({ failureClass: "no-route" });
  });
});

const figures = {
  ...{
    version: 1,
    toolVersion: "0.9.0",
    planned: 200,
    sent: 200,
    arrived: 180,
    judged: 200,
    duplicates: 0,
    received: 170,
    durationSeconds: 2,
  },
  latencyUs: { samples: 170, mean: 2, min: 1, max: 3, stddev: 1, p50: 2, p90: 3, p99: 3, p999: null },
};

describe("other output", () => {
  it("is no measurement if nothing came back, or if the client was behind its schedule", () => {
    const lost = { ...figures, arrived: null, received: 0 };
    expect(failure(JSON.stringify(lost))).toMatchObject({ failureClass: "no-route" });
    const late = { ...figures, sent: 80, arrived: 80, received: 80 };
    expect(failure(JSON.stringify(late)).message).toContain("sent 80 of the 200 datagrams that were due");
  });

  it("keeps the other round trips where a clock's step makes some impossible, and says so where they are many", () => {
    const { latencyUs } = figures;
    const some = { ...figures, latencyUs: { ...latencyUs, samples: 169 } };
    expect(irtt.parse(JSON.stringify(some), context()).measurement).toMatchObject({
      lostPackets: 30,
      latencyUs: { samples: 169, p50: 2 },
    });
    expect(failure(JSON.stringify({ ...figures, latencyUs: { ...latencyUs, samples: 100 } }))).toMatchObject({
      failureClass: "bad-output",
      message: expect.stringContaining("70 of 170 round trips are below 0 or longer than the test"),
    });
  });

  it.each([{ arrived: 100 }, { duplicates: 3 }, { duplicates: undefined }])(
    "names no direction if the server's count may be wrong: %j",
    (changes) => {
      const { measurement } = irtt.parse(JSON.stringify({ ...figures, ...changes }), context());
      expect(measurement).toMatchObject({ lossByDirection: null, lostPackets: 30, lostPercent: 15 });
    },
  );

  it("is refused by the name of the figure that is impossible", () => {
    const wrong = { ...figures, latencyUs: { ...figures.latencyUs, min: -5 } };
    expect(failure(JSON.stringify(wrong)).message).toMatch(/latencyUs\.min: expected at least 0; got -5$/);
  });

  it.each(["", "{", '{"version":2}', JSON.stringify({ ...figures, received: 300 })])(
    "is refused: %s",
    (text) => {
      expect(failure(text, { exitCode: 3 })).toMatchObject({ failureClass: "bad-output" });
    },
  );
});
