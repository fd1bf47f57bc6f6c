/** Report, gate, history and advice say "1 case", not "1 cases": each is made from a minimum of everything. */
import { expect, it } from "vitest";
import { advise } from "../../../packages/advise/src/advice.ts";
import { toMarkdown as adviceMarkdown } from "../../../packages/advise/src/page.ts";
import { historyMarkdown } from "../../../packages/history/src/page.ts";
import { seriesOf } from "../../../packages/history/src/series.ts";
import { baselineVerdict } from "../../../report/comparison/baseline.ts";
import { compare, makeReport, priceSnapshots, toMarkdown } from "../../../report/index.ts";
import { counted } from "../../../report/text/format.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { handMadeTraffic } from "../advise/hand-made.ts";
import { stored } from "../history/fixture.ts";

const madeAt = "2026-11-23T00:00:00.000Z";
const [topology] = handMadeResults().topologies;
const cases = handMadeResults().cases.filter(
  ({ id, topology: own }) => id === "tcp-egress" && own === topology?.name,
);
const results = handMadeResults({ topologies: [topology!], cases });
const small = { ...results, plan: { ...results.plan, cases: results.plan.cases.slice(0, 1) } };
const read = { inputs: [{ source: "one", results: small }], problems: [] };

/** A count of one followed by a plural: `1 cases`, but no unit, decimal, range or ratio. */
function pluralsOfOne(text: string): string[] {
  return (
    text.match(/(?<![\d.,×:/-])(?<!(?:to|of) )\b1 (?:other |rejected |public )?[a-z]{3,}(?<!s)s\b/g) ?? []
  );
}

const texts = {
  report: () => toMarkdown(makeReport(read, { madeAt })),
  gate: () =>
    baselineVerdict(compare(read.inputs), { read, source: "before", tolerancePercent: 5 }).sentences.join(
      " ",
    ),
  history: () =>
    historyMarkdown({
      ...{ series: seriesOf(stored({ levels: [1e9] }), 5), tolerancePercent: 5 },
      ...{ store: "history", madeAt, otava: null },
    }),
  advice: () => {
    const own = handMadeTraffic();
    const logs = { ...own.logs, files: 1, lines: 1, noData: 1 };
    const traffic = { ...own, logs, other: { ...own.other, rejectedRecords: 1 } };
    const options = {
      now: "nat-gateway",
      region: "us-east-1",
      regionFrom: "log",
      book: priceSnapshots.aws,
    } as const;
    return adviceMarkdown(advise(traffic, { ...options, results: [], ranges: "lists", madeAt }));
  },
};

it.each(Object.entries(texts))("%s", (_, text) => {
  expect(pluralsOfOne(text())).toEqual([]);
});

it("finds a plural of one", () => {
  expect(pluralsOfOne("1 cases, 21 cases, 0.1 cases, 1 pass, 1 case, 1 of 1 cases, 1 other cases")).toEqual([
    "1 cases",
    "1 other cases",
  ]);
  expect([0, 1, 2].map((value) => counted(value, "case"))).toEqual(["0 cases", "1 case", "2 cases"]);
});
