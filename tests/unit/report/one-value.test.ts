/**
 * A figure has one value in summary, tables, CSV and gate: tried with every figure of the registry. That the page has the tables of
 * the Markdown: tests/unit/report/rendering.test.ts.
 */
import { describe, expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { comparedIds, type FigureId, figures } from "../../../bench/figures/index.ts";
import { parsePlan, toolOf } from "../../../bench/index.ts";
import {
  type CaseResult,
  type Measurement,
  measurementSchema,
  type Results,
} from "../../../bench/results/index.ts";
import { mean, median } from "../../../bench/statistics/sample.ts";
import { summarize } from "../../../bench/summary/summary.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { compare, judge, toCsv, toMarkdown } from "../../../report/index.ts";
import { natLimitsTable } from "../../../report/tables/nat-limits.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { fixture } from "../bench/fixture.ts";

const whole = handMadeResults();
const [provoked] = parsePlan({ cases: [{ tool: "failover", failure: "drain" }] }).cases;
const { failover } = toolOf(provoked!).parse(fixture("failover/server-sends.json"), {
  ...{ case: provoked!, exitCode: 0, timedOut: false, stderr: "" },
}).measurement;
const goal = {
  goal: "ndr",
  found: null,
  lossBoundPercent: 0,
  limitedBy: "path",
  confirmed: true,
  trialSeconds: 1,
};
const goals = Array.from({ length: 6 }, () => ({ ...goal, conditionalBitsPerSecond: null }));
const search = { ...goal, goals, trials: [] };

const numbers = ["samples", "mean", "min", "max", "stddev", "p50", "p90", "p99", "p999"];
const noLatency = { kind: "round-trip", ...Object.fromEntries(numbers.map((name) => [name, null])), p50: 1 };

const ends = { sender: 1, senderDrops: 0, receiver: 1, receiverDrops: 0 };

/** The section of a measurement with a figure. */
const parts: Record<string, object> = {
  search: { search },
  latencyUs: {
    latencyUs: noLatency,
  },
  bothWays: { bitsPerSecond: 1e9, bothWays: { egressBitsPerSecond: null, ingressBitsPerSecond: null } },
  lostPercent: { bitsPerSecond: 1e9 },
  probeLoss: {
    latencyUs: noLatency,
    probeLoss: { packets: 1e6, lostPackets: 0, lostPercent: null },
  },
  connections: { connections: { attempted: 1e6, failed: 0, perSecond: null } },
  requests: {
    latencyUs: noLatency,
    requests: { attempted: 1e6, failed: 0, perSecond: 1, notSent: 0, connections: 1, lateMs: 0 },
  },
  natLimits: {
    natLimits: {
      connectionRate: { attempted: 1e6, failed: 0, perSecond: null, errors: {} },
      concurrentFlows: { protocol: "udp", opened: 1, bound: 1e6, limitReached: true, error: null },
      idleTimeout: { protocol: "udp", survivedSeconds: 1, diedSeconds: 1e4, boundSeconds: 1e4 },
      behaviour: null,
    },
  },
  packetRates: {
    packetRates: { ...ends, nat: 1, natDrops: 0, bothWays: { egress: ends, ingress: ends } },
  },
  failover: { failover },
};
const scales = { "bit/s": 1e9, byte: 1e9, "1": 100, "%": 1, us: 100, ms: 100, s: 10, "1/s": 1000 };
/** Mean 11, median 9. */
const VALUES = [8, 16, 9];

function measured(id: FigureId, value: number): Measurement {
  const [first = "", ...steps] = (id === "partialDropRate" ? "search.goals.1.found" : figures[id].path).split(
    ".",
  );
  const measurement = structuredClone({ ...nothingMeasured, ...parts[first] }) as Measurement;
  if (id === "partialDropRate") {
    Object.assign(measurement.search!.goals![1]!, { goal: "pdr", lossBoundPercent: 0.5 });
  }
  const path = [first, ...steps];
  const last = path.pop()!;
  const holder = path.reduce(
    (at, step) => at[step] as Record<string, unknown>,
    measurement as unknown as Record<string, unknown>,
  );
  holder[last] = value;
  if (id === "failoverNeverRecovered") {
    measurement.failover!.outages.new.ended = value !== 16 * scales["1"];
  }
  return measurement;
}

function run(id: FigureId, times: number): Results {
  const template = whole.cases.find((one) => one.id === "tcp-egress" && one.topology === "direct")!;
  const scale = times * scales[figures[id].unit];
  const runs = VALUES.map((value, index): CaseResult => {
    const measurement = measured(id, value * scale);
    expect(measurementSchema.safeParse(measurement).error, id).toBeUndefined();
    return { ...template, ...{ round: index + 1, limits: [], measurement } };
  });
  const merged = mergeRepetitions(runs, { least: 3, most: 3, withinPercent: null });
  const topologies = whole.topologies.filter(({ name }) => name === "direct");
  return {
    ...whole,
    plan: { ...whole.plan, cases: whole.plan.cases.filter((one) => one.id === "tcp-egress") },
    topologies,
    cases: [merged],
  };
}

const isSaid = (id: FigureId) =>
  figures[id].answers.length > 0 || figures[id].inSummary !== null || /^(searched|partial)/.test(id);

/** Figures with special wording. */
const inSummary: Partial<Record<FigureId, string>> = {
  failoverNeverRecovered: "1 of 3 never recovered",
  newConnections: "11.0k connections/s",
};

describe("each figure's value", () => {
  it.each(comparedIds.map((id) => [id]))("%s is the same everywhere", (id) => {
    const results = run(id, 1);
    const { format, centre, unit } = figures[id];
    const values = id === "failoverNeverRecovered" ? [0, 1, 0] : VALUES.map((value) => value * scales[unit]);
    const value = (centre === "mean" ? mean : median)(values);
    const report = reportOf(results);
    expect(toMarkdown(report)).toContain(format(value));
    expect(toCsv(report)).toContain(`,${id},${unit},${value},`);
    if (figures[id].path.startsWith("natLimits")) {
      const texts = natLimitsTable(report).rows.flatMap((row) => row.map(({ text }) => text));
      expect(texts).toContain(format(value));
    }
    if (isSaid(id)) {
      const said = summarize(results).rows[0]!.direct;
      expect(said).toContain(inSummary[id] ?? format(value));
    }
    const rows = judge(compare([{ source: "", results }]), compare([{ source: "", results: run(id, 2) }]), 5);
    expect(rows.find(({ metric }) => metric === id)?.before).toBe(format(value));
  });

  it("is in the summary for most figures", () => {
    expect(comparedIds.filter(isSaid).length).toBeGreaterThan(15);
  });
});
