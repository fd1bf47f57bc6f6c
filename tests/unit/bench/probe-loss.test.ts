/** Loss of irtt's own packets, at rest and under a load with its own loss. */
import { expect, test } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { CaseResult } from "../../../bench/results/index.ts";
import { describeCase } from "../../../bench/summary/case-words.ts";
import { parseOutput } from "../../../bench/tools/index.ts";
import { toCsv, toHtml, toMarkdown } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { fixture } from "./fixture.ts";

const ended = { stderr: "", exitCode: 0 };
/** 100 of 1,000 datagrams did not come back. */
const probe = JSON.stringify({
  ...{ version: 1, toolVersion: "0.9", planned: 1000, sent: 1000, arrived: 900, judged: 1000, received: 900 },
  duplicates: 0,
  durationSeconds: 10,
  latencyUs: {
    ...{ samples: 900, mean: 500, min: 400, max: 900, stddev: 20, p50: 495, p90: 520, p99: 600, p999: null },
  },
});

function measured(load?: { readonly plan: object; readonly file: string }) {
  const [benchCase] = parsePlan({
    cases: [{ tool: "irtt", durationSeconds: 10, ...(load && { load: load.plan }) }],
  }).cases;
  const both = load && {
    version: 1,
    probe: { ...ended, stdout: probe },
    load: { ...ended, stdout: fixture(`iperf3/${load.file}.json`) },
    covered: true,
  };
  const { measurement } = parseOutput(both ? JSON.stringify(both) : probe, {
    ...{ case: benchCase!, timedOut: false, lostBetweenHosts: null, ...ended },
  });
  const whole = handMadeResults();
  const one: CaseResult = {
    ...whole.cases.find(({ status, topology }) => status === "ok" && topology === "direct")!,
    ...{ id: benchCase!.id, tool: "irtt", limits: [], hosts: [], measurement, repetitions: null },
  };
  const topologies = whole.topologies.filter(({ name }) => name === "direct");
  const results = {
    ...whole,
    plan: { ...whole.plan, cases: [benchCase!] },
    topologies,
    cases: [one],
    notes: [],
  };
  const report = reportOf(results);
  return {
    measurement,
    words: describeCase(one),
    csv: toCsv(report),
    all: [toMarkdown(report), toHtml(report)],
  };
}

test("loss at rest is shown beside the latency", () => {
  const { measurement, words, csv } = measured();
  expect(words).toBe("p50 495 µs, p99 600 µs, 10.0 % lost");
  expect(csv).toMatch(/,lostPercent|,loss,/);
  expect(measurement).not.toHaveProperty("probeLoss");
});

test.each([
  ["TCP", { plan: {}, file: "3.12-tcp-omit" }, null],
  ["UDP", { plan: { protocol: "udp", bitrate: "100M" }, file: "3.12-udp" }, 0.08774386259684495],
])("loss under %s is the probe's, and the load has its own", (_, load, ofLoad) => {
  const { measurement, words, csv, all } = measured(load);
  expect(measurement).toMatchObject({
    probeLoss: { packets: 1000, lostPackets: 100, lostPercent: 10 },
    lostPercent: ofLoad,
  });
  expect(words).toBe("p50 495 µs, p99 600 µs, 10.0 % lost");
  expect(csv).toMatch(/,probeLoss,.*10/);
  for (const text of all) {
    expect(text).toContain("Loss of the probe's packets".replace("'", text.startsWith("<") ? "&#39;" : "'"));
    expect(text).toMatch(/10\.0(\s|&nbsp;)%/);
  }
});
