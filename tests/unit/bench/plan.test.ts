import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/parse-plan.ts";
import { caseHash, caseSchema, orderCases, PlanError } from "../../../bench/plan.ts";
import { presets } from "../../../bench/presets/index.ts";
import { bitRateText } from "../../../bench/quantities.ts";
import { timeoutSeconds, toolOf } from "../../../bench/tools/index.ts";
import { connectCase, iperf3Case, sockperfCase } from "./fixture.ts";

const ids = (input: unknown) => parsePlan(input).cases.map((one) => one.id);
const tcp = { tool: "iperf3", durationSeconds: 5 };
const udp = { ...tcp, protocol: "udp", bitrate: "10M" };

describe("presets", () => {
  it.each(Object.entries(presets))("%s is a plan of that name", (name, preset) => {
    expect(preset.name).toBe(name);
    const plan = parsePlan(name);
    expect(plan.name).toBe(name);
    expect(plan.order).toBe("interleaved");
    for (const one of plan.cases) {
      expect(caseSchema.parse(one)).toEqual(one);
    }
  });

  it("quick measures everything once, in a minute a topology", () => {
    const { cases } = parsePlan("quick");
    expect(cases.map((one) => one.id)).toEqual([
      "tcp-egress",
      "tcp-ingress",
      "udp-egress",
      "udp-ingress",
      "udp-egress-64B",
      "tcp-ping-pong",
      "tcp-connect",
    ]);
    const overhead = 0.5;
    const seconds = cases.map((one) => one.omitSeconds + one.durationSeconds + overhead);
    expect(seconds.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(60);
  });

  it("standard is azure-nat-2025-11: 30 s each, UDP flooded", () => {
    const { cases } = parsePlan("standard");
    expect(cases.map((one) => one.id)).toEqual([
      "tcp-egress",
      "tcp-ingress",
      "udp-egress",
      "udp-ingress",
      "udp-egress-64B",
      "udp-ingress-64B",
      "tcp-connect",
    ]);
    expect(cases.every((one) => one.durationSeconds === 30)).toBe(true);
    const floods = cases.filter((one) => one.tool === "iperf3" && one.protocol === "udp");
    expect(floods.map((one) => toolOf(one).command(one, "10.0.0.1").includes(" -b 0"))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});

describe("expansion", () => {
  it.each<[string, object, string[]]>([
    ["a plain case", tcp, ["tcp-egress"]],
    ["a UDP case's single rate tells nothing", udp, ["udp-egress"]],
    ["what is not usual is told", { ...tcp, streams: 4, bitrate: "1G" }, ["tcp-egress-p4-1G"]],
    ["a default in a list is told", { ...tcp, streams: [1, 8] }, ["tcp-egress-p1", "tcp-egress-p8"]],
    ["a list of one is told", { ...udp, bitrate: ["5M"] }, ["udp-egress-5M"]],
    ["both directions", { ...udp, direction: ["egress", "ingress"] }, ["udp-egress", "udp-ingress"]],
    [
      "a cross product, rates fastest",
      { ...udp, datagramBytes: 64, streams: [10, 20], bitrate: ["5M", "10M"] },
      ["udp-egress-64B-p10-5M", "udp-egress-64B-p10-10M", "udp-egress-64B-p20-5M", "udp-egress-64B-p20-10M"],
    ],
    [
      "protocols at one rate",
      { ...tcp, protocol: ["tcp", "udp"], bitrate: "10M" },
      ["tcp-egress-10M", "udp-egress"],
    ],
    ["an id of its own", { ...udp, id: "voice", datagramBytes: 200 }, ["voice"]],
    ["an id of its own for a sweep", { ...udp, id: "voice", streams: [1, 2] }, ["voice-p1", "voice-p2"]],
    ["sockperf", { tool: "sockperf", durationSeconds: 5 }, ["tcp-ping-pong"]],
    [
      "a sockperf sweep",
      { tool: "sockperf", durationSeconds: 5, protocol: ["tcp", "udp"], messageBytes: [64, 350] },
      ["tcp-ping-pong-64B", "tcp-ping-pong-350B", "udp-ping-pong-64B", "udp-ping-pong-350B"],
    ],
    ["connect", { tool: "connect", durationSeconds: 5 }, ["tcp-connect"]],
  ])("%s", (_, input, expected) => {
    expect(ids({ cases: [input] })).toEqual(expected);
  });

  it("decides everything", () => {
    expect(
      parsePlan({ cases: [{ ...udp, durationSeconds: "5m", omitSeconds: 2, datagramBytes: 64 }] }).cases,
    ).toEqual([
      {
        id: "udp-egress-64B",
        tool: "iperf3",
        protocol: "udp",
        direction: "egress",
        datagramBytes: 64,
        streams: 1,
        bitsPerSecond: 10e6,
        durationSeconds: 300,
        omitSeconds: 2,
      },
    ]);
  });

  it("takes a preset with other durations", () => {
    const plan = parsePlan({ preset: "standard", durationSeconds: "5s", name: "try", order: "sequential" });
    expect(plan).toMatchObject({ name: "try", order: "sequential" });
    expect(plan.cases.map((one) => one.durationSeconds)).toEqual(Array(7).fill(5));
    expect(plan.cases.map((one) => one.id)).toEqual(ids("standard"));
  });

  const some = <T>(values: T[]) =>
    fc.oneof(fc.constantFrom(...values), fc.subarray(values, { minLength: 1 }));
  const sweeps = fc.record({
    tool: fc.constant("iperf3"),
    protocol: fc.constant("udp"),
    direction: some(["egress", "ingress"]),
    streams: some([1, 2, 10, 128]),
    datagramBytes: some([16, 64, 1400, 65_507]),
    bitrate: some(["unlimited", ...[1e3, 5e6, 10e6, 1_500_000, 2e9].map(bitRateText)]),
    durationSeconds: fc.integer({ min: 1, max: 3600 }),
  });

  it("is deterministic, complete, and gives every case an id of its own", () => {
    fc.assert(
      fc.property(sweeps, (sweep) => {
        const { cases } = parsePlan({ cases: [sweep] });
        expect(parsePlan({ cases: [structuredClone(sweep)] }).cases).toEqual(cases);
        const lists = [sweep.direction, sweep.streams, sweep.datagramBytes, sweep.bitrate];
        const expected = lists.reduce<number>((n, list) => n * (Array.isArray(list) ? list.length : 1), 1);
        expect(cases).toHaveLength(expected);
        expect(new Set(cases.map((one) => one.id)).size).toBe(expected);
        expect(new Set(cases.map(caseHash)).size).toBe(expected);
        for (const one of cases) {
          expect(one.id).toMatch(/^[A-Za-z0-9.-]+$/);
          expect(caseSchema.parse(one)).toEqual(one);
        }
      }),
    );
  });
});

describe("refusals", () => {
  const plan = (...cases: unknown[]) => ({ cases });
  it.each<[string, unknown, string]>([
    ["an unknown preset", "fast", 'preset: got "fast"; expected one of quick, standard'],
    ["a preset by an inherited name", "toString", 'preset: got "toString"; expected one of quick, standard'],
    [
      "no plan",
      undefined,
      "got nothing; expected an object with keys name, order, cases, preset, durationSeconds",
    ],
    ["a plan without cases", plan(), "cases: got []; expected at least one case"],
    ["neither cases nor preset", {}, "got neither of the keys cases and preset; expected one of them"],
    [
      "both",
      { preset: "quick", cases: [tcp] },
      "got both of the keys cases and preset; expected one of them",
    ],
    [
      "an unknown key",
      { preset: "quick", orders: 1 },
      'unknown key "orders"; allowed are name, order, cases',
    ],
    [
      "an unknown order",
      { preset: "quick", order: "up" },
      'order: got "up"; expected one of interleaved, sequential',
    ],
    [
      "an absurd duration",
      { preset: "quick", durationSeconds: 1e9 },
      "durationSeconds: got 1000000000; expected whole seconds from 1 to 3600",
    ],
    [
      "an unknown tool",
      plan({ tool: "netperf" }),
      'case 1: tool: got "netperf"; expected one of iperf3, sockperf, connect',
    ],
    [
      "a tool by an inherited name",
      plan({ tool: "constructor" }),
      'case 1: tool: got "constructor"; expected',
    ],
    ["a case that is none", plan(tcp, null), "case 2: tool: got nothing; expected one of"],
    [
      "an unknown case key",
      plan({ ...tcp, rate: "1G" }),
      'case 1: unknown key "rate"; allowed are id, durationSeconds',
    ],
    [
      "a case's id",
      plan(tcp, { ...udp, id: "voice", streams: 0 }),
      "case 2 (voice): streams: got 0; expected a whole number of streams from 1 to 128",
    ],
    [
      "10X",
      plan({ ...udp, bitrate: "10X" }),
      'case 1: bitrate: got "10X"; expected a bit rate from 1K to 1T, such as 500K, 10M, 2.5G (decimal) or "unlimited"',
    ],
    [
      "one of a list",
      plan({ ...udp, bitrate: ["5M", "10X"] }),
      'case 1: bitrate: got "10X"; expected a bit rate',
    ],
    [
      "an empty list",
      plan({ ...tcp, streams: [] }),
      "case 1: streams: got []; expected a value or a list of at least one",
    ],
    [
      "too many streams",
      plan({ ...tcp, streams: [1, 129] }),
      "case 1: streams: got 129; expected a whole number of streams from 1 to 128",
    ],
    ["half a stream", plan({ ...tcp, streams: 1.5 }), "case 1: streams: got 1.5; expected a whole number"],
    [
      "a negative duration",
      plan({ ...tcp, durationSeconds: -5 }),
      "case 1: durationSeconds: got -5; expected whole seconds from 1 to 3600, as a number or such as 30s or 5m",
    ],
    [
      "no duration",
      plan({ tool: "connect" }),
      "case 1: durationSeconds: got nothing; expected whole seconds",
    ],
    [
      "a long warm-up",
      plan({ ...tcp, omitSeconds: 61 }),
      "case 1: omitSeconds: got 61; expected a whole number of seconds from 0 to 60",
    ],
    [
      "small datagrams",
      plan({ ...udp, datagramBytes: 15 }),
      "case 1: datagramBytes: got 15; expected a whole number of bytes from 16 to 65507",
    ],
    [
      "large datagrams",
      plan({ ...udp, datagramBytes: 65_508 }),
      "case 1: datagramBytes: got 65508; expected a whole number of bytes from 16 to 65507",
    ],
    [
      "datagrams of TCP",
      plan({ ...tcp, datagramBytes: 64 }),
      "case 1: datagramBytes: got 64 with protocol tcp; expected with protocol udp only",
    ],
    [
      "UDP without a rate",
      plan({ ...tcp, protocol: "udp" }),
      "case 1: bitrate: got nothing; protocol udp needs a bit rate",
    ],
    [
      "an unknown protocol",
      plan({ ...tcp, protocol: "sctp" }),
      'case 1: protocol: got "sctp"; expected one of tcp, udp',
    ],
    [
      "an unknown direction",
      plan({ ...tcp, direction: "up" }),
      'case 1: direction: got "up"; expected one of egress, ingress',
    ],
    [
      "a small message",
      plan({ tool: "sockperf", durationSeconds: 5, messageBytes: 13 }),
      "case 1: messageBytes: got 13; expected a whole number of bytes from 14 to 65506",
    ],
    [
      "a pause of nothing",
      plan({ tool: "connect", durationSeconds: 5, intervalMs: 0 }),
      "case 1: intervalMs: got 0; expected a whole number of milliseconds from 1 to 10000",
    ],
    [
      "an id with a slash",
      plan({ ...tcp, id: "a/b" }),
      'case 1 (a/b): id: got "a/b"; expected 1 to 60 letters',
    ],
    [
      "two of the same",
      plan(tcp, tcp),
      'cases: got two cases with id "tcp-egress"; expected ids to be unique',
    ],
    [
      "the same value twice",
      plan({ ...tcp, streams: [2, 2] }),
      'cases: got two cases with id "tcp-egress-p2"',
    ],
  ])("%s", (_, input, message) => {
    expect(() => parsePlan(input)).toThrow(PlanError);
    expect(() => parsePlan(input)).toThrow(message);
  });

  it("tells everything that is wrong with a case at once", () => {
    expect(() => parsePlan(plan({ ...tcp, streams: 0, bitrate: "x" }))).toThrow(
      /streams: got 0.*\n.*bitrate: got "x"/,
    );
  });

  it("throws nothing but a PlanError, whatever it is given", () => {
    const anything = fc.anything({ maxDepth: 1 });
    const key = fc.constantFrom(
      "tool",
      "cases",
      "streams",
      "bitrate",
      "protocol",
      "durationSeconds",
      "id",
      "preset",
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(anything, fc.constantFrom("iperf3", "udp", "10M", 5), tie("list"), tie("object")),
      list: fc.array(tie("any"), { maxLength: 3 }),
      object: fc.dictionary(key, tie("any"), { maxKeys: 4 }),
    })).object;
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          value.map((one) => plan({ ...tcp, ...(one as object) })),
          anything,
        ),
        (input) => {
          try {
            parsePlan(input);
          } catch (error) {
            expect(error).toBeInstanceOf(PlanError);
          }
        },
      ),
    );
  });
});

describe("orderCases", () => {
  const plan = { name: "p", cases: [iperf3Case, connectCase] };
  const order = (kind: "interleaved" | "sequential") =>
    orderCases({ ...plan, order: kind }, ["direct", "nat"]).map((one) => `${one.topology} ${one.case.id}`);

  it("interleaves topologies case by case", () => {
    expect(order("interleaved")).toEqual([
      "direct tcp-egress",
      "nat tcp-egress",
      "direct tcp-connect",
      "nat tcp-connect",
    ]);
  });

  it("takes one topology after the other when sequential", () => {
    expect(order("sequential")).toEqual([
      "direct tcp-egress",
      "direct tcp-connect",
      "nat tcp-egress",
      "nat tcp-connect",
    ]);
  });
});

describe("caseHash", () => {
  it("stays what it was, so that an upgrade measures nothing anew", () => {
    expect([iperf3Case, sockperfCase, connectCase].map(caseHash)).toMatchInlineSnapshot(`
      [
        "9fd6fee4fc4a20b7",
        "e1ecc76e26d7f878",
        "86011a8b7935ed66",
      ]
    `);
  });

  it("does not depend on the id or the order of keys", () => {
    const reversed = Object.fromEntries(Object.entries({ ...iperf3Case, id: "other" }).reverse());
    expect(caseHash(caseSchema.parse(reversed))).toBe(caseHash(iperf3Case));
    expect(caseHash(reversed as typeof iperf3Case)).toBe(caseHash(iperf3Case));
  });

  it.each([{ streams: 2 }, { durationSeconds: 4 }, { bitsPerSecond: 0 }, { direction: "ingress" as const }])(
    "changes with %j",
    (change) => {
      expect(caseHash({ ...iperf3Case, ...change })).not.toBe(caseHash(iperf3Case));
    },
  );
});

describe("timeoutSeconds", () => {
  it("is well above what a case takes", () => {
    expect(timeoutSeconds({ ...iperf3Case, omitSeconds: 1 })).toBe(21);
    expect(timeoutSeconds({ ...iperf3Case, durationSeconds: 3600 })).toBe(3977);
    for (const one of [iperf3Case, sockperfCase, connectCase]) {
      expect(timeoutSeconds(one)).toBeGreaterThan(toolOf(one).expectedSeconds(one) + 10);
    }
  });
});
