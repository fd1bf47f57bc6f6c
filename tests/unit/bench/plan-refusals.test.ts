import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { PlanError } from "../../../bench/plan/plan.ts";
import { tools } from "../../../bench/tools/index.ts";

const tcp = { tool: "iperf3", durationSeconds: 5 };
const udp = { ...tcp, protocol: "udp", bitrate: "10M" };
const ndr = { tool: "search", goal: "ndr", durationSeconds: 5, maxBitrate: "1G" };
const peak = { tool: "search", goal: "peak", durationSeconds: 5 };

describe("refusals", () => {
  const plan = (...cases: unknown[]) => ({ cases });
  it.each<[string, unknown, string]>([
    ["an unknown preset", "fast", 'preset: got "fast"; expected quick, standard'],
    ["a preset by an inherited name", "toString", 'preset: got "toString"; expected quick, standard'],
    [
      "no plan",
      undefined,
      "got nothing; expected an object with keys name, order, seed, pauseSeconds, repeat, rateScale, cases, preset, durationSeconds",
    ],
    ["a plan without cases", plan(), "cases: got []; expected at least one case"],
    ...["often", 0, 101, 2.5, { most: 2 }, { least: 5, most: 4, withinPercent: 5 }, { most: 5 }].map(
      (repeat): [string, unknown, string] => [
        `to repeat ${JSON.stringify(repeat)}`,
        { preset: "quick", repeat },
        `repeat: got ${JSON.stringify(repeat)}; expected a whole number from 1 to 100, or an object with keys`,
      ],
    ),
    ["a scale of 0", { preset: "quick", rateScale: 0 }, "rateScale: got 0; expected a number above 0"],
    ["a pause for ever", { preset: "quick", pauseSeconds: 1e6 }, "pauseSeconds: got 1000000; expected"],
    [
      "a seed that nothing uses",
      { preset: "quick", seed: 1 },
      "seed: got 1 with order interleaved; expected with order shuffled only",
    ],
    ["neither cases nor preset", {}, "got neither of the keys cases and preset; expected one of them"],
    [
      "both",
      { preset: "quick", cases: [tcp] },
      "got both of the keys cases and preset; expected one of them",
    ],
    [
      "an unknown key",
      { preset: "quick", orders: 1 },
      'unknown key "orders"; allowed are name, order, seed, pauseSeconds',
    ],
    [
      "an unknown order",
      { preset: "quick", order: "up" },
      'order: got "up"; expected one of interleaved, sequential, shuffled',
    ],
    [
      "an absurd duration",
      { preset: "quick", durationSeconds: 1e9 },
      "durationSeconds: got 1000000000; expected whole seconds from 1 to 3600",
    ],
    [
      "an unknown tool",
      plan({ tool: "netperf" }),
      `case 1: tool: got "netperf"; expected one of ${Object.keys(tools).join(", ")}`,
    ],
    [
      "a tool by an inherited name",
      plan({ tool: "constructor" }),
      'case 1: tool: got "constructor"; expected',
    ],
    [
      "congestion control of UDP",
      plan({ ...udp, congestion: "bbr" }),
      'case 1: congestion: got "bbr" with protocol udp; expected with protocol tcp only',
    ],
    [
      "a congestion control that is none",
      plan({ ...tcp, congestion: ["bbr", "b;r"] }),
      'case 1: congestion: got "b;r"; expected a TCP congestion control',
    ],
    [
      "a load of UDP without a rate",
      plan({ tool: "connect", durationSeconds: 5, load: { protocol: "udp" } }),
      "case 1: load: bitrate: got nothing; protocol udp needs a bit rate",
    ],
    [
      "a load that is none",
      plan({ tool: "connect", durationSeconds: 5, load: 5 }),
      "case 1: load: got 5; expected an object with keys protocol",
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
    [
      "too many pairs",
      plan({ ...tcp, pairs: [1, 65] }),
      "case 1: pairs: got 65; expected a whole number of pairs from 1 to 64",
    ],
    ["no pair", plan({ ...tcp, pairs: 0 }), "case 1: pairs: got 0; expected a whole number of pairs"],
    [
      "pairs of a tool that has none",
      plan({ tool: "connect", durationSeconds: 1, pairs: 2 }),
      'case 1: unknown key "pairs"',
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
      "a second loss bound of a search for one rate",
      plan({ ...ndr, pdrLossPercent: 1 }),
      "case 1: pdrLossPercent: got a value, but goal ndr has one loss bound, lossPercent; expected with goal ndr-pdr only",
    ],
    [
      "an unknown goal",
      plan({ ...ndr, goal: "max" }),
      'goal: got "max"; expected one of ndr, pdr, ndr-pdr, peak',
    ],
    [
      "a search without its highest rate",
      plan({ ...ndr, maxBitrate: undefined }),
      "case 1: maxBitrate: got nothing; goal ndr needs a bit rate from 1K to 1T",
    ],
    [
      "a search up to any rate",
      plan({ ...ndr, maxBitrate: "unlimited" }),
      'case 1: maxBitrate: got "unlimited"; expected a bit rate from 1K to 1T, such as 500K, 10M or 2.5G (decimal)',
    ],
    [
      "a range that is none",
      plan({ ...ndr, minBitrate: "1G" }),
      "case 1: minBitrate: got 1G; expected less than maxBitrate, 1G",
    ],
    ...["datagramBytes", "streams", "minBitrate", "maxBitrate", "lossPercent"].map(
      (key): [string, unknown, string] => [
        `${key} of a peak`,
        plan({ ...peak, [key]: key.endsWith("rate") ? "1M" : 20 }),
        `case 1: ${key}: got a value, but goal peak searches for a number of TCP streams, which go at their own pace`,
      ],
    ),
    [
      "streams to search for with a rate",
      plan({ ...ndr, goal: "pdr", maxStreams: 8 }),
      "case 1: maxStreams: got a value, but goal pdr searches for a rate; expected with goal peak only",
    ],
    [
      "a precision of nothing",
      plan({ ...peak, precisionPercent: 0 }),
      "case 1: precisionPercent: got 0; expected a percentage from 0.1 to 50, of 6 decimals at most",
    ],
    [
      "a loss too small to write",
      plan({ ...ndr, lossPercent: 1e-7 }),
      "case 1: lossPercent: got 1e-7; expected a percentage from 0 to 50, of 6 decimals at most",
    ],
    [
      "too many trials",
      plan({ ...peak, maxTrials: 121 }),
      "case 1: maxTrials: got 121; expected a whole number of trials from 1 to 120",
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

  it("reports all mistakes of a case at once", () => {
    expect(() => parsePlan(plan({ ...tcp, streams: 0, bitrate: "x" }))).toThrow(
      /streams: got 0.*\n.*bitrate: got "x"/,
    );
  });

  it("throws only a PlanError for any input", () => {
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
          value.map((one) => plan({ ...ndr, ...(one as object) })),
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
