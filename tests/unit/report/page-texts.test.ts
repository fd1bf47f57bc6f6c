/** Texts of the report's page that must stay together or below each other. The browser tests check their positions. */
import { expect, it } from "vitest";
import { makeReport, toHtml } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const command = "python3 agent.py connect --interval-ms 10";
const whole = handMadeResults();
const cases = whole.cases.slice(0, 1).map((one) => ({ ...one, command, toolVersion: null }));
const inputs = [{ source: "a.json", results: { ...whole, cases } }];
const html = toHtml(makeReport({ inputs, problems: [] }, { madeAt: "2026-11-26T09:00:00Z" }));

it("options of a command are not broken, and no version is named if there is none", () => {
  expect(html).toContain("connect <span>--interval-ms</span> 10 [iperf3]</pre>");
});

it("long cells are marked, so that a phone shows their notes below them", () => {
  expect(html).toMatch(/<td class="ok long" data-head="How">/);
});
