/** The report on failures of NAT instances, from recorded output. */
import { describe, expect, it } from "vitest";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { parsePlan } from "../../../bench/index.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { CaseResult, Results } from "../../../bench/results/index.ts";
import { failoverChart } from "../../../report/charts/failover.ts";
import { toHtml, toMarkdown } from "../../../report/index.ts";
import { failoverTable } from "../../../report/tables/failover.ts";
import { verdictTables } from "../../../report/tables/tables.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { fixture, onePair, silentReport } from "../bench/fixture.ts";
import { kill, killMeasured, repeatedResults } from "./repeated.ts";

const [drain] = parsePlan({ cases: [{ tool: "failover", failure: "drain" }] }).cases as [Case];

const resultOf = (topology: string, stdout: string, one = kill): CaseResult =>
  caseResult({ topology, case: one, command: "", pairs: onePair({ ...silentReport, exitCode: 0, stdout }) });
const found = (topology: string, file: string, one = kill) => resultOf(topology, fixture(file), one);

const whole = handMadeResults();
// A page draws each case.
const plain = { ...whole, cases: whole.cases.filter(({ id }) => id === "tcp-egress" || id === "tcp-rtt") };
const results: Results = {
  ...plain,
  plan: { ...plain.plan, cases: [...plain.plan.cases, kill] },
  cases: [
    ...plain.cases,
    found("nat-instance", "failover/alone-kill.json"),
    found("nat-gateway", "failover/nothing-to-fail.json"),
  ],
};
const report = reportOf(results, { madeAt: "2026-11-21T09:00:00Z" });
const page = toHtml(report);
const column = (name: string) => report.comparison.columns.find(({ label }) => label.includes(name))?.index;

describe("a NAT instance that failed", () => {
  const rows = failoverTable(report).rows.map((row) =>
    row.map(({ text, notes }) => [text, ...notes].join(" | ")),
  );

  it("has its failure in a separate table, and gateways say that nothing can fail", () => {
    const of = (name: string) => rows.find(([label]) => label?.includes(name));
    expect(of("nat-instance")?.slice(2)).toEqual([
      "3.36 s",
      "3.36 s",
      "0 of 1,000 | reset 987 | silent 13",
      "0 of 1,000 | remapped 1,000 | silent 0",
      "not measured",
      "3.81 s",
    ]);
    expect(of("nat-gateway")?.[2]).toBe("nothing to fail");
    expect(of("direct")?.[2]).toBe("not measured");
  });

  it("has each further kind of connection that lost some", () => {
    const other = {
      ...results,
      plan: { ...plain.plan, cases: [...plain.plan.cases, drain] },
      cases: [...plain.cases, found("nat-instance", "failover/server-sends.json", drain)],
    };
    const { rows: others } = failoverTable(reportOf(other, { madeAt: "2026-11-21T09:00:00Z" }));
    const [row] = others.filter(([label]) => label?.text.includes("nat-instance"));
    expect(row?.[6]).toMatchObject({ text: "40 of 60", notes: ["only the server sends: 0 of 20"] });
  });

  it("has the repetitions that never recovered, the medians of the others, and the fewest survivors", () => {
    const never = fixture("failover/alone-kill.json").replaceAll('"ended":true', '"ended":false');
    const runs = ["pair-kill", "pair-kill", "pair-kill"].map((name) =>
      found("nat-instance", `failover/${name}.json`),
    );
    const lost = [1, 2].map(() => resultOf("nat-instance", never));
    const merged = mergeRepetitions([...lost, ...runs], { least: 5, most: 5, withinPercent: null });
    const { rows: repeated } = failoverTable(
      reportOf({ ...results, cases: [...plain.cases, merged] }, { madeAt: "2026-11-21T09:00:00Z" }),
    );
    const [row] = repeated.filter(([label]) => label?.text.includes("nat-instance"));
    const least = { text: "0 of 1,000", notes: ["the least of 5; median 1,000"] };
    expect(row?.[2]?.text).toBe("2 of 5 never recovered, 574.6 ms");
    expect(row?.slice(4, 6)).toMatchObject([least, least]);
  });

  it("has its outage in the verdict", () => {
    const table = verdictTables(report)[0]?.table as ReturnType<typeof failoverTable>;
    const at = table.head.findIndex(({ text }) => text === "NAT instance fails: kill: outage");
    const cells = table.rows.map((row) => row[at]);
    expect(cells.find((one) => one?.column === column("nat-instance"))?.text).toBe("3.36 s");
    expect(cells.find((one) => one?.column === column("nat-gateway"))).toMatchObject({
      text: "nothing to fail",
      state: "missing",
    });
  });

  it("is on the page and in the text, and does not make a gateway fail", () => {
    expect(toMarkdown(report)).toContain("## When the NAT instance fails");
    expect(page).toContain("When the NAT instance fails");
    expect(toMarkdown(report)).not.toContain("failed: nothing-to-fail");
  });
});

describe("the picture of outages", () => {
  const twice = [
    found("nat-instance", "failover/alone-kill.json"),
    found("nat-instance", "failover/pair-kill.json"),
  ];
  const repeated = {
    ...results,
    cases: [...plain.cases, mergeRepetitions(twice, { least: 2, most: 2, withinPercent: null })],
  };
  const { comparison } = reportOf(repeated, { madeAt: "2026-11-21T09:00:00Z" });
  const chart = failoverChart(comparison);

  it("has a labelled dot for each repetition", () => {
    expect(chart?.table.rows).toEqual([
      [
        expect.stringContaining("nat-instance"),
        "NAT instance fails: kill",
        "3.36 s, 574.6 ms",
        expect.anything(),
      ],
    ]);
    for (const { svg } of chart?.drawn ?? []) {
      expect(svg.match(/<title>[^<]*nat-instance[^<]*: (3\.36 s|574\.6 ms)<\/title>/g)).toHaveLength(2);
    }
  });

  it("has the fewest surviving flows, also if the median repetition lost none", () => {
    expect(chart?.table.rows[0]?.[3]).toBe("TCP 0 of 1,000, UDP 0 of 1,000");
  });

  it("is on the page, and not drawn for gateways", () => {
    expect(page).toContain('<figure id="chart-failover">');
    expect(failoverChart(report.comparison)?.columns).toEqual([column("nat-instance")]);
  });
});

it("without such a case there is no table", () => {
  const without = reportOf(plain, { madeAt: "2026-11-21T09:00:00Z" });
  expect(failoverTable(without).rows).toEqual([]);
  expect(failoverChart(without.comparison)).toBeNull();
  expect(toMarkdown(without)).not.toContain("When the NAT instance fails");
});

/** Survivors of each further kind of TCP connection, compared with the number that their own repetition opened. */
function otherTcp(held: readonly (readonly [opened: number, survived: number])[]): string | undefined {
  const measurements = held.map(([opened, survived], index) => {
    const measurement = structuredClone(killMeasured);
    const kind = {
      opened,
      survived,
      silent: opened - survived,
      reset: 0,
      stallMs: { p50: 1, p95: 1, max: 1 },
    };
    Object.assign(measurement.failover!.outages.new, { ms: 500 + index, ended: true });
    measurement.failover!.kinds = { sending: kind, receiving: kind, idle: kind };
    return measurement;
  });
  const results = repeatedResults(kill, measurements);
  return failoverTable(reportOf(results)).rows[0]?.[6]?.text;
}

it.each<[string, ...(readonly [opened: number, survived: number])[]]>([
  ["270 of 270", [90, 90], [100, 100], [90, 90]],
  ["270 of 300", [100, 90], [90, 90], [100, 100]],
])("%s further connections survived", (text, ...held) => {
  expect(otherTcp(held)).toBe(text);
});
