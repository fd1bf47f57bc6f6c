/** Whatever a tool prints is read as figures that a machine can have, or is the tool's failure; nothing else is thrown. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Case } from "../../../bench/plan/plan.ts";
import { measurementSchema } from "../../../bench/results/index.ts";
import { parseOutput, toolOf } from "../../../bench/tools/index.ts";
import { ToolFailure } from "../../../bench/tools/tool.ts";
import { anyText } from "../../helpers/any-text.ts";
import { samples } from "../../helpers/samples.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { connectCase, connectOutput, ended } from "./fixture.ts";
import { edited, udpCase } from "./iperf3-case.ts";
import { fourStreams, printed } from "./printed.ts";

/** The text with another part somewhere, such as nothing from there on. */
const damaged = (text: string) =>
  fc
    .tuple(fc.nat(text.length), fc.oneof(fc.nat(60), fc.constant(text.length)), anyText({ maxLength: 20 }))
    .map(([from, length, patch]) => text.slice(0, from) + patch + text.slice(from + length));

/** The text with one of its numbers multiplied. */
const scaled = (text: string) => {
  const numbers = [...text.matchAll(/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g)];
  return fc
    .tuple(fc.constantFrom(...numbers), fc.constantFrom(-1, 0, 1e3, 1e6, 1e9))
    .map(
      ([{ 0: number, index }, factor]) =>
        text.slice(0, index) + String(Number(number) * factor) + text.slice(index + number.length),
    );
};

/** The JSON with another value under one of its keys. */
const replaced = (text: string) => {
  const places = text.startsWith("{") ? (text.match(/"\w+":/g)?.length ?? 1) : 1;
  const value = fc.oneof(fc.constantFrom(null, -1, 0, 2 ** 64, "x", [], {}), fc.jsonValue({ maxDepth: 1 }));
  return fc.tuple(fc.nat(places - 1), value).map(([place, put]) => {
    let seen = 0;
    return text.startsWith("{")
      ? JSON.stringify(JSON.parse(text, (_, old) => (seen++ === place ? put : old)))
      : JSON.stringify(put);
  });
};

it.each(printed.map(([benchCase, text]) => ({ id: benchCase.id, benchCase, text })))(
  "$id",
  ({ benchCase, text }) => {
    const how = fc.record({
      exitCode: fc.constantFrom(0, 1, 143, null),
      timedOut: fc.boolean(),
      stderr: fc.string(),
    });
    const longest = 1e6 * (toolOf(benchCase).expectedSeconds(benchCase) + 60);
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json({ maxDepth: 2 }), damaged(text), scaled(text), replaced(text)),
        fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: how }),
        (stdout, how) => {
          try {
            const { measurement } = parseOutput(stdout, ended(benchCase, how));
            expect(measurementSchema.parse(measurement)).toEqual(measurement);
            const { jitterMs, tcpRttUs, latencyUs } = measurement;
            const { kind: _, samples: __, histogram: ___, ...latencies } = latencyUs ?? { kind: "request" };
            for (const us of [1000 * (jitterMs ?? 0), tcpRttUs ?? 0, ...Object.values(latencies)]) {
              expect(us ?? 0).toBeGreaterThanOrEqual(0);
              expect(us ?? 0).toBeLessThan(longest);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(ToolFailure);
          }
        },
      ),
      { numRuns: samples(100) },
    );
  },
);

/** A recording of iperf3 with another received rate, or more datagrams lost than sent. */
const received = (bitsPerSecond: number) =>
  edited("iperf3/3.12-tcp-parallel-4.json", ({ end }) => {
    for (const one of [
      end.sum_received,
      ...end.streams.map(({ receiver }: { receiver: object }) => receiver),
    ])
      one.bits_per_second = bitsPerSecond;
  });
const lost = edited("iperf3/3.12-udp-64B.json", ({ end }) => {
  for (const one of [end.sum, end.sum_received, end.streams[0].udp]) one.lost_packets = 1e12;
});
const negative = JSON.stringify({ ...connectOutput, latencyUs: { ...connectOutput.latencyUs, p50: -4 } });

it.each<[string, Case, string]>([
  ...[9e17, 1.1e15].map((rate): [string, Case, string] => [`${rate} bit/s`, fourStreams, received(rate)]),
  ["-1 bit/s", fourStreams, received(-1)],
  ["a loss of more than 100 %", udpCase, lost],
  ["a connection in less than no time", connectCase, negative],
])("%s fails the case instead of being published", (_, benchCase, stdout) => {
  expect(() => parseOutput(stdout, ended(benchCase))).toThrow(toolFailure("bad-output", ""));
});
