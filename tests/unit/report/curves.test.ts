/** Positions of a curve's points, and published figures beside ours. Judged by the pictures' own coordinates. */
import { describe, expect, it } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import type { Chart } from "../../../report/charts/chart.ts";
import { seriesCharts } from "../../../report/charts/series.ts";
import { streamCharts } from "../../../report/charts/streams.ts";
import { compare } from "../../../report/index.ts";
import { publishedFigures } from "../../../report/published/published.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();
const comparisonOf = (results: Results) => compare([{ source: "hand-made.json", results }]);

/** The x coordinates of a column's line, in drawing order. */
function line({ drawn }: Chart, column: number): number[] {
  const svg = drawn.find(({ narrow, scale }) => !narrow && scale === "linear")!.svg;
  const found = [...svg.matchAll(/<path d="M([^"]+)" fill="none"[^>]*data-column="(\d+)"/g)];
  const path = found.find(([, , at]) => at === String(column))![1]!;
  return path.split("L").map((point) => Number(point.split(" ")[0]));
}

/** Positions and texts of a column's marks. */
function marks({ drawn }: Chart, column: number): { x: number; words: string }[] {
  const svg = drawn.find(({ narrow, scale }) => !narrow && scale === "linear")!.svg;
  const found = svg.matchAll(
    /transform="matrix\([\d.]+,0,0,[\d.]+,([\d.]+),[\d.]+\)"[^>]*data-column="(\d+)"><title>([^<]*)</g,
  );
  return [...found].flatMap(([, x, at, words]) =>
    at === String(column) ? [{ x: Number(x), words: String(words) }] : [],
  );
}

describe("throughput against streams", () => {
  it("goes from few streams to many, whatever the plan's order", () => {
    const turned = { ...whole, plan: { ...whole.plan, cases: whole.plan.cases.toReversed() } };
    for (const results of [whole, turned]) {
      const [chart] = streamCharts(comparisonOf(results), null);
      for (const column of chart!.columns) {
        const xs = line(chart!, column);
        expect(xs.length).toBeGreaterThan(3);
        expect(xs).toEqual(xs.toSorted((a, b) => a - b));
        const streams = marks(chart!, column).map(({ words }) => Number(/(\d+) streams/.exec(words)?.[1]));
        expect(streams).toEqual(streams.toSorted((a, b) => a - b));
      }
    }
  });

  it("has its numbers in order if the columns have different ones", () => {
    const [first] = whole.topologies;
    const fewer = whole.cases.filter(
      ({ id, topology }) => topology !== first!.name || id !== "tcp-egress-p8",
    );
    expect(fewer.length).toBeLessThan(whole.cases.length);
    const [chart] = streamCharts(comparisonOf({ ...whole, cases: fewer }), null);
    const counts = chart!.table.rows.map(([count]) => Number(count));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  });
});

describe("the search for the fastest number of streams", () => {
  it("has its trials from few streams to many, whatever their order", () => {
    const trial = (streams: number, receivedBitsPerSecond: number) => ({
      ...{ offeredBitsPerSecond: null, streams, durationSeconds: 5, receivedBitsPerSecond, passed: true },
      ...{ sentBitsPerSecond: null, packets: null, lostPackets: null, lostPercent: null, problem: null },
    });
    const trials = [trial(16, 4e9), trial(1, 1e9), trial(8, 6e9), trial(4, 3e9), trial(8, 5e9)];
    const [row] = comparisonOf(whole).rows;
    const repetition = row!.cells[0]!.repetitions[0]!;
    const search = { goal: "peak", found: 8, trials };
    const searched = { ...repetition, measurement: { ...repetition.measurement!, search } };
    const cell = { ...row!.cells[0]!, repetitions: [searched] };
    const comparison = comparisonOf(whole);
    const [chart] = streamCharts(
      {
        ...comparison,
        columns: comparison.columns.slice(0, 1),
        rows: [{ ...row!, cells: [cell] } as unknown as (typeof comparison.rows)[number]],
      },
      null,
    ).filter(({ id }) => id.startsWith("streams-search"));
    const xs = line(chart!, 0);
    expect(xs).toHaveLength(4);
    expect(xs).toEqual(xs.toSorted((a, b) => a - b));
  });
});

describe("second by second", () => {
  const comparison = comparisonOf(whole);
  const [chart] = seriesCharts(comparison, comparison.rows.slice(0, 1));
  const first = comparison.rows[0]!.cells[0]!.repetitions[0]!;

  it("has each interval at its start", () => {
    const found = marks(chart!, 0).filter(({ words }) => words.includes("Throughput"));
    const starts = first.measurement!.series.map(({ startSeconds }) => startSeconds);
    const drawn = [...new Set(found.map(({ words }) => Number(/at (\d+) s/.exec(words)?.[1])))];
    expect(drawn).toEqual(starts);
    // The axis begins at 0: a point at twice the seconds is twice as far from the first.
    const at = (second: number) => found.find(({ words }) => words.includes(`at ${second} s`))!.x;
    expect((at(4) - at(0)) / (at(2) - at(0))).toBeCloseTo(2, 1);
  });

  /** The same with packets per second, at the clock times of the CPU's samples. */
  const withPackets: Results = {
    ...whole,
    cases: whole.cases.map((one) => ({
      ...one,
      hosts: one.hosts.map((host) => ({
        ...host,
        network: {
          interfaces: [],
          tcpRetransmits: null,
          conntrack: null,
          series: (host.cpu?.series ?? []).map(({ at }) => ({
            ...{ at, receivedBitsPerSecond: 1, sentBitsPerSecond: 1, drops: 0, tcpRetransmits: 0 },
            ...{ receivedPacketsPerSecond: 100, sentPacketsPerSecond: 100, conntrack: null },
          })),
        },
      })),
    })) as unknown as Results["cases"],
  };

  it.each([
    ["the CPU's samples", whole, /CPU of server/],
    ["packets", withPackets, /Packets a second of server/],
  ])("has %s by their clocks, from the case's start", (_, results, lastPanel) => {
    const late = new Date(Date.parse(first.startedAt!) - 3000).toISOString();
    const given = comparisonOf(results);
    const [chart] = seriesCharts(given, given.rows.slice(0, 1));
    expect(chart!.table.rows.at(-1)?.[1]).toMatch(lastPanel);
    const cases = results.cases.map((one) =>
      one.id === first.id && one.topology === first.topology ? { ...one, startedAt: late } : one,
    );
    const moved = comparisonOf({ ...results, cases });
    const [after] = seriesCharts(moved, moved.rows.slice(0, 1));
    const cpuLine = (one: Chart) => {
      const svg = one.drawn[0]!.svg;
      const lines = [...svg.matchAll(/<path d="M([^"]+)" fill="none"[^>]*data-column="0"/g)].map(([, d]) =>
        d!.split("L").map((point) => Number(point.split(" ")[0])),
      );
      // The first panel is throughput, whose seconds are the tool's own.
      return { throughput: lines[0]![0]!, cpu: lines.at(-1)![0]! };
    };
    const [before, shifted] = [cpuLine(chart!), cpuLine(after!)];
    expect(shifted.throughput).toBeCloseTo(before.throughput, 0);
    expect(shifted.cpu).toBeGreaterThan(before.cpu + 20);
    const secondOf = (one: Chart, x: number) => {
      const found = marks(one, 0).filter(({ words }) => words.includes("Throughput"));
      const at = (second: number) => found.find(({ words }) => words.includes(`at ${second} s`))!.x;
      return (2 * (x - at(0))) / (at(2) - at(0));
    };
    expect(secondOf(after!, shifted.cpu) - secondOf(chart!, before.cpu)).toBeCloseTo(3, 1);
  });

  it("starts every panel's axis at 0 s, however late the first sample is", () => {
    const later = comparisonOf({
      ...whole,
      cases: whole.cases.map((one) => ({
        ...one,
        measurement: one.measurement && {
          ...one.measurement,
          series: one.measurement.series.filter(({ startSeconds }) => startSeconds >= 10),
        },
      })),
    });
    const [cut] = seriesCharts(later, later.rows.slice(0, 1));
    const lineAt = (one: Chart, second: number) =>
      marks(one, 0).find(({ words }) => words.includes("Throughput") && words.includes(`at ${second} s`))!.x;
    expect(lineAt(cut!, 10)).toBeCloseTo(lineAt(chart!, 10), 0);
    // It ends with the case, whose line fills the width.
    const ends = line(chart!, 0);
    expect(ends.at(-1)! - ends[0]!).toBeGreaterThan(500);
  });
});

type Planned = Results["plan"]["cases"][number];

/** The same figures, with some cases attributed to another tool. */
function measuredWith(results: Results, isOne: (one: Planned) => boolean, tool: Planned["tool"]): Results {
  const cases = results.plan.cases.map((one) => (isOne(one) ? ({ ...one, tool } as Planned) : one));
  return { ...results, plan: { ...results.plan, cases } };
}

describe("published figures", () => {
  const published = (results: Results) => publishedFigures(comparisonOf(results)).map(({ what }) => what);

  it("are shown only beside cases of the same tool", () => {
    const swept = published(whole).filter((what) => what.startsWith("TCP egress"));
    expect(swept.length).toBeGreaterThan(0);
    const other = published(
      measuredWith(
        whole,
        (one) => one.tool === "iperf3" && one.protocol === "tcp" && one.direction === "egress",
        "ntttcp",
      ),
    );
    expect(other.filter((what) => what.startsWith("TCP egress"))).toEqual([]);
    // The rest is as before.
    expect(other).toEqual(published(whole).filter((what) => !swept.includes(what)));
  });

  it("are shown only beside cases of one stream and of the published datagram size", () => {
    const other = (change: object) => {
      const cases = whole.plan.cases.map((one) =>
        one.tool === "iperf3" ? ({ ...one, ...change } as Planned) : one,
      );
      return published({ ...whole, plan: { ...whole.plan, cases } });
    };
    // The published floods went as fast as the sender could.
    const flood = (datagramBytes: number | null) =>
      other({ bitsPerSecond: 0, datagramBytes }).filter((what) => what.startsWith("UDP egress"));
    expect(other({ streams: 3 }).filter((what) => what.startsWith("TCP egress"))).toEqual([]);
    expect(new Set(flood(null))).toEqual(new Set(["UDP egress", "UDP egress, loss"]));
    expect(new Set(flood(64))).toEqual(new Set(["UDP egress, 64 B", "UDP egress, 64 B, loss"]));
    expect(flood(333)).toEqual([]);
  });

  it("of many streams are shown only beside iperf3's TCP egress", () => {
    const [one] = whole.topologies;
    const swept = (change: object): Results => ({
      ...whole,
      topologies: [{ ...one!, topology: "vnet-peering" }],
      plan: {
        ...whole.plan,
        cases: whole.plan.cases.map((planned) =>
          planned.id === "tcp-egress-p32" ? ({ ...planned, ...change } as Planned) : planned,
        ),
      },
    });
    const many = (change: object) =>
      [...new Set(published(swept(change)))].filter((what) => what.includes("streams"));
    expect(many({})).toEqual(["TCP egress, 32 streams"]);
    expect(many({ tool: "ntttcp" })).toEqual([]);
    expect(many({ protocol: "udp" })).toEqual([]);
    expect(many({ direction: "ingress" })).toEqual([]);
  });

  it("of connect latency are shown only beside the connect probe", () => {
    const latency = (results: Results) => [
      ...new Set(published(results).filter((what) => what.startsWith("TCP connect latency"))),
    ];
    expect(latency(whole)).toEqual(["TCP connect latency, mean", "TCP connect latency, p99"]);
    expect(latency(measuredWith(whole, ({ tool }) => tool === "connect", "sockperf"))).toEqual([]);
  });

  it("of round trips between regions are shown only beside TCP's of plan rtt", () => {
    const rtt = (name: string, protocol: string) => {
      const cases = whole.plan.cases.map((one) =>
        one.tool === "sockperf" ? ({ ...one, protocol } as Planned) : one,
      );
      const found = published({ ...whole, plan: { ...whole.plan, name, cases } });
      return [...new Set(found.filter((what) => what.startsWith("TCP round trip")))];
    };
    const all = ["mean", "p50", "p99"].map((name) => `TCP round trip between two regions, ${name}`);
    expect(rtt("rtt", "tcp")).toEqual(all);
    expect(rtt("rtt", "udp")).toEqual([]);
    expect(rtt("standard", "tcp")).toEqual([]);
  });
});
