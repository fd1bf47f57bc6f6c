/** The report's display of searches, NAT limits, repetitions, pairs, network counters and conditions. */
import { describe, expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { seriesCharts } from "../../../report/charts/series.ts";
import { streamCharts } from "../../../report/charts/streams.ts";
import type { ReportTable } from "../../../report/document/table.ts";
import { toCsv, toHtml, toMarkdown } from "../../../report/index.ts";
import { hostsTable, runsTable } from "../../../report/tables/condition-tables.ts";
import { natLimitsTable } from "../../../report/tables/nat-limits.ts";
import { casesTable, verdictTables } from "../../../report/tables/tables.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { richResults } from "../../fixtures/results/hand-made-rich.ts";
import { reportOf } from "../../helpers/report-of.ts";

const results = richResults();
const report = reportOf(results, { madeAt: "2026-11-21T09:00:00Z" });
const { comparison } = report;

/** Rows as objects: each cell with its notes, by heading. */
function read({ head, rows }: ReportTable): Record<string, string>[] {
  return rows.map((row) =>
    Object.fromEntries(
      row.map(({ text, notes, folded }, at) => [
        head[at]?.text,
        [text, ...notes, ...(folded ? [`folded: ${folded.text}`] : [])].join(" | "),
      ]),
    ),
  );
}
const verdict = read(verdictTables(report)[0]!.table);

describe("the verdict", () => {
  it("ranks by the rate without loss, and names searches that found none", () => {
    const rates = verdict.map((row) => row["UDP egress, 4 streams, search for no loss in trials of 10 s"]);
    expect(rates[0]).toMatch(/^6\.20 Gbit\/s/);
    expect(rates[1]).toMatch(/^4\.10 Gbit\/s \| ×0\.66/);
    expect(rates[2]).toBe("found no rate");
    expect(toMarkdown(report)).toContain(
      "UDP egress, 4 streams, search for no loss in trials of 10 s (one run: no ranking): direct 6.20 Gbit/s, nat-gateway 4.10 Gbit/s.",
    );
  });

  it("has loss bound and trial length of a searched rate in tables, page and CSV", () => {
    const words = "search for no loss in trials of 10 s";
    expect(toMarkdown(report)).toContain(words);
    expect(toHtml(report)).toContain(words);
    expect(toCsv(report)).toMatch(/udp-ndr,.*noDropRate,.*search for no loss in trials of 10 s/);
  });

  it("shows every goal of a search, of all repetitions, in tables, page and CSV", () => {
    const goal = (found: number, seconds: number, name: "ndr" | "pdr" = "ndr") => ({
      ...{ goal: name, found, lossBoundPercent: name === "ndr" ? 0 : 0.5, limitedBy: "path" as const },
      ...{ confirmed: true, conditionalBitsPerSecond: null, trialSeconds: seconds },
    });
    const own = richResults();
    const plain = own.cases.find(({ id, topology }) => id === "udp-ndr" && topology === "direct")!;
    const goals = [goal(6.2e9, 10), goal(6.6e9, 10, "pdr"), goal(5.3e9, 30), goal(4.7e9, 60)];
    const search = { ...plain.measurement!.search!, goals };
    const cases = own.cases.map((one) =>
      one === plain ? { ...plain, measurement: { ...plain.measurement!, search } } : one,
    );
    const made = reportOf({ ...own, cases }, { madeAt: "2026-11-21T09:00:00Z" });
    for (const text of [toMarkdown(made), toHtml(made).replaceAll("\u00a0", " ")]) {
      for (const rate of ["6.20 Gbit/s", "6.60 Gbit/s", "5.30 Gbit/s", "4.70 Gbit/s"]) {
        expect(text).toContain(rate);
      }
      expect(text).toContain("goal 4");
    }
    const csv = toCsv(made);
    expect(csv).toContain("direct,udp-ndr,search,udp,egress,ok,,searchedRate3,bit/s,5300000000,");
    expect(csv).toContain("searchedRate4,bit/s,4700000000,");
    expect(csv).toContain("partialDropRate,bit/s,6600000000,");
    expect(csv).not.toContain("searchedRate2,");
  });

  it("shows connections per second", () => {
    const rates = verdict.map((row) => row["nat-limits: connections a second"]);
    expect(rates).toEqual(["not measured", "4,210/s", "9,350/s"]);
  });

  it("has the interval of the results' values", () => {
    expect(verdict[0]?.["TCP egress"]).toContain("10.9 Gbit/s to 12.1 Gbit/s (95 %, n = 3)");
    const row = toCsv(report)
      .split("\r\n")
      .find((line) => line.includes(",direct,tcp-egress,"));
    expect(row).toContain("throughput,bit/s,11500000000,10928648326.387337,12071351673.612663,3,");
  });

  it("has the limit, and the NAT instance's packet loss", () => {
    expect(verdict[0]?.["At its limit"]).toBe("server packet handling on one CPU in 1 of 7 cases");
    expect(verdict[2]?.["At its limit"]).toContain("NAT instance loss in 1 of 8 cases");
    const cases = read(casesTable(report));
    const ingress = cases.find((row) => row.Case?.startsWith("TCP ingress"));
    expect(ingress?.direct).toContain(
      "at its limit: the server spent 99 % of one CPU in softirq, about all that a single flow can use",
    );
    const udp = cases.find((row) => row.Case?.startsWith("UDP egress, 1.00 Gbit/s"));
    expect(udp?.["nat-instance"]).toContain("the NAT instance did not pass on 12.4 % of the packets");
    expect(udp?.direct).toContain("sum of 2 pairs: 600 Mbit/s, 400 Mbit/s");
  });
});

it("counts a limit once per case, however many repetitions and hosts have it", () => {
  const twice = results.cases.flatMap((one) => {
    const limits = [...(one.limits ?? []), ...(one.limits ?? []).map((limit) => ({ ...limit, host: "b" }))];
    return [one, { ...one, limits }];
  });
  const doubled = reportOf({ ...results, cases: twice }, { madeAt: "2026-11-21T09:00:00Z" });
  const shown = read(verdictTables(doubled)[0]!.table).map((row) => row["At its limit"]);
  expect(shown).toEqual(verdict.map((row) => row["At its limit"]));
});

it("names the load of a latency measurement", () => {
  const titles = comparison.rows.map(({ info }) => info.title);
  expect(titles).toContain("TCP round trips");
  expect(titles).toContain("TCP round trips, under 8 streams of TCP egress");
});

describe("pictures", () => {
  const seconds = seriesCharts(comparison, comparison.rows);

  it("have packets and drops of interfaces beneath CPU", () => {
    const [first] = seconds;
    const names = [...new Set(first?.table.rows.map(([, name]) => name))];
    const cpu = names.findLastIndex((name) => name?.startsWith("CPU"));
    expect(names.indexOf("Packets a second of NAT instance, in and out")).toBeGreaterThan(cpu);
    const drops = first?.table.rows.find(
      ([, name]) => name === "Drops a second at interfaces of NAT instance",
    );
    expect(drops).toEqual(["nat-instance", expect.any(String), "0", expect.any(String), "1,200", "30"]);
    expect(names).not.toContain("Drops a second at interfaces of client");
  });

  it("name interfaces that dropped nothing", () => {
    const without = { ...results, topologies: results.topologies.slice(0, 1) };
    const alone = reportOf(without, { madeAt: report.madeAt });
    const [chart] = seriesCharts(alone.comparison, alone.comparison.rows);
    expect(chart?.description).toContain("No interface dropped a packet.");
    expect(seconds[0]?.description).not.toContain("No interface dropped a packet.");
  });

  it("have the trials of a search for the peak as a curve", () => {
    const chart = streamCharts(comparison, null).find(({ title }) => title.includes("peak search"));
    expect(chart?.description).toContain("nat-gateway peaks at 10.9 Gbit/s with 16 streams");
    expect(chart?.table.rows).toEqual([
      ["1", "9.10 Gbit/s", "5.20 Gbit/s", "4.40 Gbit/s"],
      ["8", "11.2 Gbit/s", "8.80 Gbit/s", "6.80 Gbit/s (peak)"],
      ["16", "11.6 Gbit/s (peak)", "10.9 Gbit/s (peak)", "6.10 Gbit/s"],
      ["32", "11.4 Gbit/s", "10.1 Gbit/s", "5.20 Gbit/s"],
    ]);
  });
});

it("has a table of NAT limits that distinguishes a limit from the end of the trials", () => {
  const [gateway, instance] = read(natLimitsTable(report));
  expect(gateway).toMatchObject({
    Topology: "nat-gateway",
    "New connections": "4,210/s | 120 of 20,000 failed: ETIMEDOUT 119, ECONNRESET 1",
    "Flows at once": "at least 20,000 UDP | no more than 20,000 were tried",
    "Idle time-out": "TCP: 230 to 240 s",
    Behaviour:
      "mapping: address-and-port-dependent | filtering: address-and-port-dependent | client's port: changed",
  });
  expect(instance).toMatchObject({
    "Flows at once": "16,384 UDP | then: no answer: table full",
    "Idle time-out": "UDP: over 120 s | longer silences were not tried",
    Behaviour: "not measured",
  });
});

it("has no section without results for it", () => {
  const plain = reportOf(handMadeResults(), { madeAt: report.madeAt });
  expect(natLimitsTable(plain).rows).toEqual([]);
  expect(
    verdictTables(plain)[0]!
      .table.head.map(({ text }) => text)
      .join(),
  ).not.toMatch(/search|connections a second/);
  expect(read(runsTable(plain))[0]?.Order).toBe("interleaved");
});

it("has the conditions: order, seed, repetitions, sizes, bursts, tuning, offloads", () => {
  expect(read(runsTable(report))[0]?.Order).toBe(
    "shuffled | seed 4711 | pause of 5 s before each | 3 to 9 times each, until within 2.5 %",
  );
  const client = read(hostsTable(report))[0];
  expect(client?.Machine).toMatch(/Standard_D8ls_v5 \| japaneast \| zone 2$/);
  expect(read(hostsTable(report)).find(({ Host }) => Host?.includes("nat-instance-box"))?.Machine).toMatch(
    /earns 24 CPU credits an hour \(standard\) \| holds 64\.0 Mbit\/s, bursts to 5\.00 Gbit\/s$/,
  );
  expect(client?.System).toContain("tuning: throughput");
  expect(client?.Network).toBe("eth0: MTU 1500, hv_netvsc, mq | folded: eth0: on: gro, tso; off: lro");
});

it("shows an outage of any repetition beside the case's first figure: a delayed sender may catch up", () => {
  const whole = handMadeResults();
  const markdown = (...rounds: { startSeconds: number; seconds: number }[][]) => {
    const cases = whole.cases.map((one) =>
      one.id === "tcp-egress" && one.topology === "nat-gateway"
        ? mergeRepetitions(
            rounds.map((outages) => ({ ...one, measurement: { ...one.measurement!, outages } })),
            { least: 3, most: 3, withinPercent: null },
          )
        : one,
    );
    return toMarkdown(reportOf({ ...whole, cases }));
  };
  expect(markdown([], [{ startSeconds: 1.9, seconds: 6.1 }], [])).toContain(
    "outage of 6.1 s at 1.9 s in round 2",
  );
  expect(markdown([], [], [])).not.toContain("outage of");
});
