/**
 * An engine's table of logs gives the same records as the files that this machine reads; all that follows is one reduction.
 * Shown by DuckDB, which speaks the same SQL but for a few words; Spark and Trino give its aggregates byte for byte
 * (`npm run bench -- advise-engines`).
 */
import { describe, expect, it } from "vitest";
import { restOf } from "../../../packages/advise/src/month.ts";
import type { BoundedRate, Traffic } from "../../../packages/advise/src/traffic.ts";
import { type LogKind, logOfAllKinds } from "../../fixtures/logs-of-all-kinds.ts";
import { someRanges, trafficOf } from "../../helpers/flow-logs.ts";
import { reduceByDuckDb, trafficOfAggregates } from "../../helpers/reduction.ts";

const kinds: readonly (LogKind & { readonly name: string; readonly named?: readonly string[] })[] = [
  { name: "clients' own interfaces only", nats: [], records: 200, seconds: 7200 },
  { name: "two NATs", nats: ["eni-nat-1", "nat-2"], records: 400, seconds: 7200 },
  {
    name: "two NATs, one of them named",
    nats: ["eni-nat-1", "nat-2"],
    named: ["nat-2"],
    records: 300,
    seconds: 7200,
  },
  { name: "a machine that is no NAT", nats: ["eni-nat-1"], named: ["none"], records: 200, seconds: 7200 },
  { name: "a day with gaps", nats: ["nat-2"], records: 40, seconds: 90_000 },
  { name: "few records", nats: [], records: 3, seconds: 60 },
];

/** Bytes of the busiest minute are whole in each record, so they may differ by a byte for each record in it. */
function apart(traffic: Traffic): { exact: unknown; rates: number[]; hours: number[] } {
  const { logs, rest, ...exact } = { ...traffic, peak: null, byHour: null, byGateway: null };
  const { files, bytes, bad, ...counts } = logs;
  const reasons = bad
    .map(({ reason, count }) => ({ reason, count }))
    .toSorted((a, b) => a.reason.localeCompare(b.reason));
  const all = [traffic, ...rest];
  return {
    exact: {
      ...exact,
      counts,
      reasons,
      without: rest.map((one) => ({ ...one, peak: null, byHour: null, byGateway: null })),
    },
    rates: all.flatMap(({ peak }) =>
      [peak?.out, peak?.in, peak?.both].flatMap((one?: BoundedRate) => [
        one?.least ?? 0,
        one?.estimate ?? 0,
        one?.most ?? 0,
      ]),
    ),
    hours: all.flatMap(({ byHour }) => byHour.flatMap(({ outBytes, inBytes }) => [outBytes, inBytes])),
  };
}

describe("reduced logs give the same figures as the logs", () => {
  it.each(kinds)("of $name", async ({ name: _, named = [], ...kind }) => {
    for (const seed of [1, 2]) {
      const log = logOfAllKinds(seed, kind);
      const direct = apart(await trafficOf({ "a.log": log }, { ranges: someRanges, nats: named }));
      const traffic = await trafficOfAggregates({ "a.csv": await reduceByDuckDb(log, named) }, someRanges);
      const got = apart(traffic);
      expect(got.exact, `seed ${seed}`).toEqual(direct.exact);
      got.hours.forEach((bytes, at) => {
        expect(Math.abs(bytes - direct.hours[at]!)).toBeLessThanOrEqual(kind.records);
      });
      got.rates.forEach((rate, at) => {
        expect(Math.abs(rate - direct.rates[at]!)).toBeLessThanOrEqual(kind.records);
      });
    }
  });
});

describe("the rate, flows and packets that a gateway endpoint of the region leaves", () => {
  const minute = 1_790_000_040;
  const record = (destination: string, bytes: number, at: number, port = 40_000) =>
    `eni-1 10.0.0.1 ${destination} ${port} 443 6 3 ${bytes} ${minute + at} ${minute + at + 59} ACCEPT OK`;
  const header =
    "interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status";
  const log = `${[header, record("52.217.3.4", 6e9, 0), record("192.0.2.1", 3e8, 0), record("192.0.2.1", 6e8, 60), record("52.217.3.4", 0, 0, 40_001)].join("\n")}\n`;

  it.each([
    ["read here", () => trafficOf({ "a.log": log }, { ranges: someRanges })],
    [
      "reduced by an engine",
      async () => trafficOfAggregates({ "a.csv": await reduceByDuckDb(log) }, someRanges),
    ],
  ])("are those of another minute and destination, %s", async (_, read) => {
    const traffic = await read();
    expect(traffic.peak?.both.estimate).toBe((6.3e9 * 8) / 60);
    const left = restOf(traffic, "us-east-1");
    expect([left.peak?.both.estimate, left.peak?.at]).toEqual([8e7, "2026-09-21T14:15:00.000Z"]);
    expect(left.byHour.reduce((sum, { outBytes }) => sum + outBytes, 0)).toBe(9e8);
    expect([traffic, left].map(({ flows }) => flows)).toMatchObject([
      { opened: 3, busiest: { address: "52.217.3.4", concurrent: { high: 2 } } },
      { opened: 1, busiest: { address: "192.0.2.1", concurrent: { high: 1 } }, perClient: { high: 1 } },
    ]);
    expect(left.total).toEqual({ outBytes: 9e8, inBytes: 0, outPackets: 6, inPackets: 0 });
    expect(restOf(traffic, "eu-west-1")).toEqual(traffic);
  });
});

describe("an impossible line does not count, as in the logs", () => {
  const good = "10.0.0.1 93.184.216.34 40000 443 6 3 1000 1760000000 1760000059 ACCEPT OK";
  it.each([
    ["a port out of range", "10.0.0.1 93.184.216.34 99999 443 6 3 1000 1760000000 1760000059 ACCEPT OK"],
    [
      "a protocol out of range",
      "10.0.0.1 93.184.216.34 40000 443 300 3 1000 1760000000 1760000059 ACCEPT OK",
    ],
    ["negative bytes", "10.0.0.1 93.184.216.34 40000 443 6 3 -5 1760000000 1760000059 ACCEPT OK"],
    ["negative packets", "10.0.0.1 93.184.216.34 40000 443 6 -3 1000 1760000000 1760000059 ACCEPT OK"],
    [
      "a time out of range",
      `10.0.0.1 93.184.216.34 40000 443 6 3 1000 ${2n ** 63n - 1n} 1760000059 ACCEPT OK`,
    ],
  ])("with %s", async (_, line) => {
    const header =
      "interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status";
    const log = `${header}\neni-1 ${good}\neni-1 ${line}\n`;
    const direct = apart(await trafficOf({ "a.log": log }, { ranges: someRanges, nats: [] }));
    const traffic = await trafficOfAggregates({ "a.csv": await reduceByDuckDb(log) }, someRanges);
    expect(apart(traffic).exact).toEqual(direct.exact);
    expect(traffic.total.outBytes).toBe(1000);
  });
});
