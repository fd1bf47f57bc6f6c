/** Recalculation in the page: equal to the printed page, by its own script. Browsers: `tests/browser/`. */
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  defaultNeeds,
  fragmentOf,
  type Needs,
  needsOfFragment,
  presentWays,
} from "../../../report/choice/needs.ts";
import { priceSnapshots } from "../../../report/cost/prices.ts";
import { makeReport, toHtml } from "../../../report/index.ts";
import { inputsOf, type Moved, moved, type PageData, problemOf } from "../../../report/page/live.ts";
import { pageTexts } from "../../../report/page/texts/texts.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const read = { inputs: [{ source: "a.json", results: handMadeResults() }], problems: [] };
const madeWith = (needs: Partial<Needs>) => makeReport(read, { madeAt: "2026-11-21T09:00:00Z", needs });
const { answerData, needs: made } = madeWith({});
const data: PageData = { made, answers: answerData };

describe("moving an input", () => {
  const wanted = { gbIn: 20_000, peakBitsPerSecond: 5e9, noSinglePoint: true, connections: 123_456 };
  const inputs = inputsOf(data, fragmentOf({ ...made, ...wanted }, made));

  it("gives the same page as the command line", () => {
    const page = toHtml(madeWith(wanted));
    const { parts, problem } = moved(data, inputs);
    expect(problem).toBe("");
    for (const html of Object.values(parts)) {
      expect(page).toContain(html);
    }
    expect(parts["answer-azure"]).toMatch(/take a NAT gateway, .*9.61 Gbit\/s measured/);
  });

  it("gives the same from the script in the page", () => {
    const found = runInNewContext(`${pageTexts().liveScript}; egressAnswer.moved(data, inputs)`, {
      ...{ data, inputs, URLSearchParams },
    }) as Moved;
    expect({ ...found.parts }).toEqual(moved(data, inputs).parts);
    expect(found.fragment).toBe("gb-in=20000&peak-gbit=5&connections=123456&no-single-point=yes");
  });

  it.each(["lots", "-5", "5,00", "1,2,3", "5.000,5"])(
    "to %s, which is no number, keeps the last answer",
    (text) => {
      const found = moved(data, { ...inputsOf(data, "gb-in=7"), "gb-in": text });
      expect(found).toEqual({
        parts: {},
        fragment: null,
        problem: expect.stringMatching(
          /^Received: expected a number from 0 to 1,000,000,000 \(GB a month\)\. .*last valid input\.$/,
        ),
        wrong: ["gb-in"],
      });
    },
  );

  it.each(["5,000", "5 000", "5_000", " 5000 "])("reads %j as 5000", (text) => {
    const { fragment, wrong } = moved(data, { ...inputsOf(data, ""), "gb-in": text });
    expect({ fragment, wrong }).toEqual({ fragment: "gb-in=5000", wrong: [] });
  });

  it.each([
    [".5", "gb-in=0.5"],
    ["5.", "gb-in=5"],
  ])("reads %j, a number that begins or ends with its point", (text, expected) => {
    const { fragment, wrong } = moved(data, { ...inputsOf(data, ""), "gb-in": text });
    expect({ fragment, wrong }).toEqual({ fragment: expected, wrong: [] });
  });

  it("says that machines are counted in whole numbers", () => {
    const { problem } = moved(data, { ...inputsOf(data, ""), machines: "1.5" });
    expect(problem).toMatch(/^Machines that connect: expected a whole number from 1 to 1,000,000\. /);
  });

  it("offers the prices of every region that ships", () => {
    const shipped = new Set(priceSnapshots.azure.prices.flatMap(({ region }) => region ?? []));
    const azure = answerData.find(({ cloud }) => cloud === "azure");
    expect(azure?.regions).toEqual(expect.arrayContaining([...shipped]));
  });
});

describe("the page's address", () => {
  const whole: fc.Arbitrary<Needs> = fc.record({
    gbIn: fc.nat(1e9),
    gbOut: fc.nat(1e9),
    peakBitsPerSecond: fc.option(
      fc.nat(100_000).map((mbit) => mbit * 1e6),
      { nil: null },
    ),
    newConnectionsPerSecond: fc.option(fc.nat(1e6), { nil: null }),
    connections: fc.option(fc.nat(1e6), { nil: null }),
    machines: fc.integer({ min: 1, max: 1e6 }),
    zones: fc.integer({ min: 1, max: 6 }),
    idleSeconds: fc.option(fc.nat(1e6), { nil: null }),
    fixedAddress: fc.boolean(),
    noSinglePoint: fc.boolean(),
    region: fc.option(fc.constantFrom("eastus", "us-east-1"), { nil: null }),
    now: fc.option(fc.constantFrom(...presentWays), { nil: null }),
  });

  it("keeps every need", () => {
    fc.assert(
      fc.property(whole, whole, (needs, page) => {
        const { peakBitsPerSecond, ...rest } = needsOfFragment(`#${fragmentOf(needs, page)}`, page);
        const { peakBitsPerSecond: peak, ...others } = needs;
        expect(rest).toEqual(others);
        expect(peakBitsPerSecond ?? -1).toBeCloseTo(peak ?? -1, 3);
      }),
    );
  });

  it.each(["#", "#gb-in=lots", "#<script>", "#verdict", "#gb-in=-1&peak-gbit=1e99"])(
    "%s changes nothing",
    (hash) => {
      expect(needsOfFragment(hash, defaultNeeds)).toEqual(defaultNeeds);
    },
  );

  it.each([
    ["#gb_in=5&peak-gbit=2", "", "gb_in=5."],
    ["#peak-gbit=x&no-single-point=true", "", "peak-gbit=x; no-single-point=true."],
    ["#region=us-esat-1&now=nat", "", "region=us-esat-1; now=nat."],
    ["#constructor=5", "?__proto__=1", "constructor=5."],
    ["", "?gb-in=5&utm_source=x", "?gb-in=5, which belongs behind a #."],
    ["#gb-in=5&region=&now=fck-nat&no-single-point=yes", "?a=b", ""],
  ])("%s%s says what of it does not count", (hash, query, said) => {
    const start = "The address has parts that do not count: ";
    expect(problemOf(data, hash, query)).toBe(said === "" ? "" : `${start}${said}`);
  });
});
