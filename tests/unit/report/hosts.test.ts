/** A report of existing hosts shows their figures and their owner's price, and they do not affect a cloud's pick. */
import { expect, test } from "vitest";
import { makeReport, toCsv, toHtml, toMarkdown } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();
const existing = (name: string, ownPrice: (typeof whole.topologies)[0]["ownPrice"]) => ({
  ...whole.topologies[0]!,
  ...{ name, topology: "existing", ownPrice },
});
const results = {
  ...whole,
  ...{ stack: "office", cloud: "hosts" as const },
  topologies: [existing("line", { usdPerHour: 0.1, usdPerGbSent: 0.01 }), existing("other", null)],
  cases: whole.cases
    .filter(({ topology }) => topology === whole.topologies[0]!.name)
    .flatMap((one) => [
      { ...one, topology: "line" },
      { ...one, topology: "other" },
    ]),
};
const inputs = [{ source: "office.json", results }];
const options = { madeAt: "2026-11-23T09:00:00Z", needs: { gbOut: 200 } };
const report = makeReport({ inputs, problems: [] }, options);

test("prices them by their own entry, or says that there is none", () => {
  // 730 hours at 0.1 and 200 GB at 0.01.
  const said = report.priceNotes.filter((note) => note.includes("hosts that exist"));
  expect(said).toEqual([
    "office line, hosts that exist: 75.00 USD a month of 730 hours and 200 GB sent, at its owner's price.",
    "office other, hosts that exist: no price is known.",
  ]);
});

test("has no cloud's answer, and shows the measurements", () => {
  expect(report.answers).toEqual([]);
  expect(report.comparison.columns.map(({ topology }) => topology.name)).toEqual(["line", "other"]);
  expect(toHtml(report)).toContain("75.00 USD a month");
  expect(toMarkdown(report)).toContain("75.00 USD a month");
  expect(toMarkdown(report)).not.toMatch(/undefined|NaN/);
  expect(toCsv(report).split("\n").length).toBeGreaterThan(2);
});

test("leaves a cloud's answer unchanged beside its run", () => {
  const cloud = [{ source: "a.json", results: whole }];
  const alone = makeReport({ inputs: cloud, problems: [] }, options);
  const both = makeReport({ inputs: [...cloud, ...inputs], problems: [] }, options);
  expect(both.answers.map(({ cloud, pick }) => [cloud, pick?.way.topology])).toEqual(
    alone.answers.map(({ cloud, pick }) => [cloud, pick?.way.topology]),
  );
});
