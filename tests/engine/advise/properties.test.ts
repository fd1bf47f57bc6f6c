/** Properties of any log: nothing is lost or counted twice, however the log is split; masking changes only names. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advise } from "../../../packages/advise/src/advice.ts";
import { maskTraffic } from "../../../packages/advise/src/mask.ts";
import type { Traffic } from "../../../packages/advise/src/traffic.ts";
import {
  type AwsRecord,
  adviceOptions,
  awsLine,
  awsLog,
  azureLog,
  someRanges,
  trafficOf,
} from "../../helpers/flow-logs.ts";

const T = 1_790_000_000;
const client = fc.constantFrom("10.0.0.1", "10.0.0.2", "192.168.7.7");
const server = fc.constantFrom("52.216.0.9", "3.1.2.3", "192.0.2.1", "192.0.2.2", "198.51.100.7");

/** A record of a flow that the private side opened, in one direction. */
const record: fc.Arbitrary<AwsRecord> = fc
  .record({
    client,
    server,
    port: fc.integer({ min: 33_000, max: 33_005 }),
    bytes: fc.integer({ min: 0, max: 1e9 }),
    start: fc.integer({ min: T, max: T + 7200 }),
    seconds: fc.integer({ min: 0, max: 600 }),
    outward: fc.boolean(),
  })
  .map(({ client: from, server: to, port, bytes, start, seconds, outward }) => ({
    source: outward ? from : to,
    destination: outward ? to : from,
    sourcePort: outward ? port : 443,
    destinationPort: outward ? 443 : port,
    bytes,
    start,
    end: start + seconds,
  }));
const records = fc.uniqueArray(record, { minLength: 1, maxLength: 40, selector: awsLine });

/** Everything but the files' names. */
function figures({ logs: { files, bytes, lines, ...logs }, ...rest }: Traffic) {
  return { ...rest, logs };
}

/**
 * Equality to nine digits: sums of shares differ in their last digits by the order of addition. Rounding both first would
 * fail for values on either side of a rounding boundary.
 */
function expectSame(actual: unknown, expected: unknown, path = "traffic"): void {
  if (typeof actual === "number" && typeof expected === "number") {
    const apart = Math.abs(actual - expected);
    expect(apart, `${path}: ${actual}, ${expected}`).toBeLessThanOrEqual(1e-9 * Math.abs(expected) + 1e-9);
  } else if (isRecord(actual) && isRecord(expected)) {
    expect(Object.keys(actual).sort(), path).toEqual(Object.keys(expected).sort());
    for (const key of Object.keys(expected)) expectSame(actual[key], expected[key], `${path}.${key}`);
  } else {
    expect(actual, path).toEqual(expected);
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Each run reads whole logs: a failure names its seed, and is not shrunk. */
const runs = (numRuns: number) => ({ numRuns, endOnFailure: true });

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Bytes in every breakdown are those of the records. */
function expectConserved(traffic: Traffic, all: readonly AwsRecord[]): void {
  const out = sum(all.filter(({ source }) => /^(10|192\.168)\./.test(source)).map(({ bytes }) => bytes));
  const back = sum(all.map(({ bytes }) => bytes)) - out;
  expect(traffic.total).toMatchObject({ outBytes: out, inBytes: back });
  for (const parts of [traffic.services, traffic.destinations, traffic.prefixes, traffic.byHour]) {
    expect(sum(parts.map(({ outBytes }) => outBytes))).toBeCloseTo(out, 3);
    expect(sum(parts.map(({ inBytes }) => inBytes))).toBeCloseTo(back, 3);
  }
}

function expectBounded({ peak, flows }: Traffic): void {
  for (const { least, estimate, most } of [peak!.out, peak!.in, peak!.both]) {
    expect(least).toBeLessThanOrEqual(estimate + 1e-6);
    expect(estimate).toBeLessThanOrEqual(most! + 1e-6);
  }
  for (const { low, high } of [flows!.concurrent, flows!.busiest!.concurrent, flows!.perClient]) {
    expect(low).toBeLessThanOrEqual(high);
  }
}

/** Masked and unmasked logs give the same advice, and masked ones name nobody. */
function expectMaskable(traffic: Traffic): void {
  const { traffic: _, ...rest } = advise(traffic, adviceOptions);
  const masked = advise(maskTraffic(traffic), adviceOptions);
  const { traffic: hidden, ...agreed } = masked;
  expect(agreed).toEqual(rest);
  expect(hidden.total).toEqual(traffic.total);
  expect(JSON.stringify(masked)).not.toMatch(/\b(10|192|198|52|3)\.\d+\.\d+\.\d+|secret|eni-/);
}

describe("any log", () => {
  // One reading of each log for all checks, because reading takes long.
  it("conserves bytes, bounds estimates, can be masked, and is independent of the split and order of its files", async () => {
    await fc.assert(
      fc.asyncProperty(records, fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }), async (all, parts) => {
        const broken = "10.9.9.9 broken\n";
        const one = await trafficOf({ "secret.log": `${awsLog(all)}${broken}` }, { ranges: someRanges });
        expectConserved(one, all);
        expectBounded(one);
        expectMaskable(one);
        const split = Map.groupBy(all, (record) => parts[all.indexOf(record)]);
        const files = [...split.entries()].map(([part, some], index) => [
          `${part}.log`,
          `${awsLog(some.toReversed())}${index === 0 ? broken : ""}`,
        ]);
        const other = await trafficOf(Object.fromEntries(files), { ranges: someRanges });
        expectSame(figures(other), figures(one));
      }),
      runs(12),
    );
  });

  it("has the same volumes and flows from both clouds' logs of the same flows", async () => {
    const flow = fc.record({
      client,
      server,
      bytes: fc.nat(1e9),
      back: fc.nat(1e9),
      start: fc.integer({ min: T, max: T + 7200 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(flow, { minLength: 1, maxLength: 20, selector: JSON.stringify }),
        async (all) => {
          const aws = all.flatMap(({ client: from, server: to, bytes, back, start }, index): AwsRecord[] => [
            { source: from, destination: to, sourcePort: 40_000 + index, bytes, start, end: start + 30 },
            {
              source: to,
              destination: from,
              sourcePort: 443,
              destinationPort: 40_000 + index,
              bytes: back,
              start,
              end: start + 30,
            },
          ]);
          const azure = all.flatMap(({ client: from, server: to, bytes, back, start }, index) => [
            `${start}000,${from},${to},${40_000 + index},443,6,O,B,NX,0,0,0,0`,
            `${start + 30}000,${from},${to},${40_000 + index},443,6,O,E,NX,1,${bytes},1,${back}`,
          ]);
          const one = await trafficOf({ "a.log": awsLog(aws) }, { nats: ["none"] });
          const other = await trafficOf({ "a.json": azureLog({ A: azure }) }, { nats: ["none"] });
          expect({ ...other.total, outPackets: 0, inPackets: 0 }).toEqual({
            ...one.total,
            outPackets: 0,
            inPackets: 0,
          });
          expectSame(other.peak, one.peak);
          expect(other.flows?.opened).toBe(one.flows?.opened);
          expect(other.flows?.concurrent.low).toBe(one.flows?.concurrent.low);
        },
      ),
      runs(6),
    );
  });
});
