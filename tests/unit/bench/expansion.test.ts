import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { caseHash } from "../../../bench/plan/plan.ts";
import { bitRateText } from "../../../bench/plan/quantities.ts";
import { caseSchema } from "../../../bench/tools/index.ts";

const ids = (input: unknown) => parsePlan(input).cases.map((one) => one.id);
const tcp = { tool: "iperf3", durationSeconds: 5 };
const udp = { ...tcp, protocol: "udp", bitrate: "10M" };
const ndr = { tool: "search", goal: "ndr", durationSeconds: 5, maxBitrate: "2.5G" };

describe("expansion", () => {
  it.each<[string, object, string[]]>([
    ["a plain case", tcp, ["tcp-egress"]],
    ["a UDP case's single rate tells nothing", udp, ["udp-egress"]],
    ["what is not usual is named", { ...tcp, streams: 4, bitrate: "1G" }, ["tcp-egress-p4-1G"]],
    ["a default in a list is named", { ...tcp, streams: [1, 8] }, ["tcp-egress-p1", "tcp-egress-p8"]],
    ["a list of one is named", { ...udp, bitrate: ["5M"] }, ["udp-egress-5M"]],
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
    ["several pairs", { ...tcp, streams: 4, pairs: 8 }, ["tcp-egress-p4-x8"]],
    [
      "pairs swept before rates",
      { ...udp, pairs: [1, 4], bitrate: ["1G", "2G"] },
      ["udp-egress-x1-1G", "udp-egress-x1-2G", "udp-egress-x4-1G", "udp-egress-x4-2G"],
    ],
    ["one pair tells nothing", { ...tcp, pairs: 1 }, ["tcp-egress"]],
    ["an id of its own", { ...udp, id: "voice", datagramBytes: 200 }, ["voice"]],
    ["an id of its own for a sweep", { ...udp, id: "voice", streams: [1, 2] }, ["voice-p1", "voice-p2"]],
    ["sockperf", { tool: "sockperf", durationSeconds: 5 }, ["tcp-ping-pong"]],
    [
      "a sockperf sweep",
      { tool: "sockperf", durationSeconds: 5, protocol: ["tcp", "udp"], messageBytes: [64, 350] },
      ["tcp-ping-pong-64B", "tcp-ping-pong-350B", "udp-ping-pong-64B", "udp-ping-pong-350B"],
    ],
    ["connect", { tool: "connect", durationSeconds: 5 }, ["tcp-connect"]],
    ["congestion control", { ...tcp, congestion: ["cubic", "bbr"] }, ["tcp-egress-cubic", "tcp-egress-bbr"]],
    ["one congestion control", { ...tcp, congestion: "bbr" }, ["tcp-egress-bbr"]],
    [
      "connect under load",
      { tool: "connect", durationSeconds: 5, load: {} },
      ["tcp-connect-under-tcp-egress"],
    ],
    [
      "sockperf under load",
      {
        tool: "sockperf",
        durationSeconds: 5,
        messageBytes: [64, 350],
        load: { protocol: "udp", direction: "ingress", streams: 20, bitrate: "5M" },
      },
      ["tcp-ping-pong-64B-under-udp-ingress-p20-5M", "tcp-ping-pong-350B-under-udp-ingress-p20-5M"],
    ],
    ["a search for a rate", ndr, ["udp-egress-ndr"]],
    [
      "a sweep of searches",
      { ...ndr, goal: "pdr", direction: ["egress", "ingress"], datagramBytes: [64, 1400] },
      ["udp-egress-64B-pdr", "udp-egress-1400B-pdr", "udp-ingress-64B-pdr", "udp-ingress-1400B-pdr"],
    ],
    ["a search with several streams", { ...ndr, datagramBytes: 64, streams: 4 }, ["udp-egress-64B-p4-ndr"]],
    ["a search for streams", { tool: "search", goal: "peak", durationSeconds: 5 }, ["tcp-egress-peak"]],
    ["a search's own id", { ...ndr, id: "rate", direction: ["ingress"] }, ["rate-ingress"]],
  ])("%s", (_, input, expected) => {
    expect(ids({ cases: [input] })).toEqual(expected);
  });

  it("fills in every field", () => {
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
        pairs: null,
        bitsPerSecond: 10e6,
        congestion: null,
        durationSeconds: 300,
        omitSeconds: 2,
      },
    ]);
  });

  it("fills in every field of a search that its goal uses", () => {
    const peak = { ...ndr, goal: "peak", maxBitrate: undefined };
    const { cases } = parsePlan({ cases: [ndr, { ...ndr, goal: "pdr", minBitrate: "1M" }, peak] });
    const any = {
      ...{ tool: "search", direction: "egress", durationSeconds: 5, omitSeconds: 0, precisionPercent: 1 },
      ...{ datagramBytes: null, pdrLossPercent: null, moreGoals: null },
    };
    const rate = {
      ...{ ...any, protocol: "udp", streams: 1, durationSumSeconds: 21, maxBitsPerSecond: 2.5e9 },
      ...{ exceedPercent: 50, maxTrials: 44, confirmations: null, maxStreams: null },
    };
    const ofStreams = { confirmations: 1, maxTrials: 24, maxStreams: 128 };
    expect(cases).toEqual([
      { ...rate, id: "udp-egress-ndr", goal: "ndr", lossPercent: 0, minBitsPerSecond: 2.5e6 },
      { ...rate, id: "udp-egress-pdr", goal: "pdr", lossPercent: 0.5, minBitsPerSecond: 1e6 },
      {
        ...{ ...any, ...ofStreams, id: "tcp-egress-peak", goal: "peak", protocol: "tcp" },
        ...{ streams: null, minBitsPerSecond: null, maxBitsPerSecond: null },
        ...{ lossPercent: null, durationSumSeconds: null, exceedPercent: null },
      },
    ]);
  });

  it("accepts a preset with other durations", () => {
    const plan = parsePlan({ preset: "standard", durationSeconds: "5s", name: "try", order: "sequential" });
    expect(plan).toMatchObject({ name: "try", order: "sequential" });
    expect(plan.cases.map((one) => one.durationSeconds)).toEqual(Array(8).fill(5));
    expect(plan.cases.map((one) => one.id)).toEqual(ids("standard"));
  });

  it("scales rates, and puts the scaled ones into ids", () => {
    const load = { protocol: "udp", bitrate: "10M" };
    const cases = [
      { ...udp, bitrate: ["5M", "unlimited"] },
      tcp,
      { tool: "connect", durationSeconds: 5, load },
    ];
    expect(ids({ cases, rateScale: 0.1 })).toEqual([
      "udp-egress-500K",
      "udp-egress-unlimited",
      "tcp-egress",
      "tcp-connect-under-udp-egress-1M",
    ]);
  });

  it("accepts a preset with repetitions, pauses and a seed", () => {
    const change = { order: "shuffled", seed: 7, pauseSeconds: 5, repeat: { most: 10, withinPercent: 2 } };
    expect(parsePlan({ preset: "quick", ...change })).toMatchObject({
      ...change,
      repeat: { least: 3, most: 10, withinPercent: 2 },
    });
    expect(parsePlan({ preset: "quick", repeat: 4 }).repeat).toEqual({
      least: 4,
      most: 4,
      withinPercent: null,
    });
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
