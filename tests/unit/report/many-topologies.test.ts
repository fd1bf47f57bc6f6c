/** A report of more topologies than a chart can show. */
import { describe, expect, it } from "vitest";
import { type Answer, pricedIn } from "../../../report/choice/answer.ts";
import { withoutTwins } from "../../../report/choice/twins.ts";
import { readInput } from "../../../report/inputs.ts";
import { dataOf, inputsOf, moved, packData } from "../../../report/page/live.ts";
import { toHtml } from "../../../report/page/page.ts";
import { drawnOf, leftOut } from "../../../report/page/pictures.ts";
import { makeReport } from "../../../report/report.ts";
import { costTable } from "../../../report/tables/answer-tables.ts";
import { casesTable } from "../../../report/tables/tables.ts";
import { largeResults } from "../../fixtures/results/large.ts";

const TOPOLOGIES = 60;
const report = makeReport(readInput("large.json", JSON.stringify(largeResults(TOPOLOGIES, 4))), {
  madeAt: "2026-11-22T09:00:00Z",
});
const html = toHtml(report);
const [data] = report.answerData;
const [answer] = report.answers;
if (data === undefined || answer === undefined) throw new Error("the large report has no answer");

/** The needs with other traffic in the same proportion. */
function at(gb: number, { needs }: Answer) {
  const share = needs.gbOut / (needs.gbIn + needs.gbOut);
  return { ...needs, gbIn: gb * (1 - share), gbOut: gb * share };
}

describe("a report of many topologies", () => {
  it("finds the same turns as over all ways out, although it examines one of each set of twins", () => {
    expect(withoutTwins(data, answer.needs).ways.length).toBeLessThan(data.ways.length / 2);
    expect(answer.pick?.id).toBe(pricedIn(data, answer.needs).pick?.id);
    const turns = answer.turns.filter(({ what }) => what.startsWith("gb-"));
    expect(turns).not.toEqual([]);
    for (const { at: gb, pick } of turns) {
      expect(pricedIn(data, at(gb ?? 0, answer)).pick?.id).toBe(pick?.id);
    }
  });

  it("keeps every way out that some need picks", () => {
    const single = withoutTwins(data, answer.needs);
    for (const gbIn of [1, 1000, 20_000, 400_000]) {
      for (const peakGbit of [null, 1, 9.6, 11, 30]) {
        for (const noSinglePoint of [false, true]) {
          const needs = {
            ...{ ...answer.needs, gbIn, noSinglePoint },
            peakBitsPerSecond: peakGbit === null ? null : peakGbit * 1e9,
          };
          expect(pricedIn(single, needs).pick?.id).toBe(pricedIn(data, needs).pick?.id);
        }
      }
    }
  });

  it("shows the leading ways out, and makes the others when the reader opens them", () => {
    const page = { made: report.needs, answers: report.answerData };
    const rows = (html = "") => html.match(/<tr/g)?.length ?? 0;
    const closed = moved(page, inputsOf(page, ""), (id) => !id.startsWith("others-")).parts;
    const open = moved(page, inputsOf(page, "")).parts;
    expect(rows(closed["ways-azure"])).toBe(1 + 24);
    expect(Object.keys(closed)).not.toContain("others-azure");
    expect(rows(open["others-azure"])).toBe(1 + answer.assessed.length - 24);
    expect(html).toContain(
      `<summary>The other ways out</summary><div id="others-azure">${open["others-azure"]}`,
    );
    for (const { id } of answer.assessed) {
      expect(html).toContain(`${id}</span>`);
    }
  });

  it("names each command once, with all its topologies", () => {
    // Each option is a span, so that it does not break.
    const conditions = html.slice(html.indexOf('<section id="conditions">')).replaceAll(/<\/?span>/g, "");
    const commands = conditions.match(/iperf3 --client \S+ --case tcp-egress \[/g);
    expect(commands).toHaveLength(1);
    for (const { name } of report.comparison.columns.map(({ topology }) => topology)) {
      expect(conditions).toContain(name);
    }
  });

  it("draws the baseline and the leaders, and says that the tables have all", () => {
    const drawn = drawnOf(report.comparison).columns;
    expect(drawn).toHaveLength(24);
    expect(drawn.map(({ topology }) => topology.topology ?? topology.name)).toContain("direct");
    expect(leftOut(report.comparison)).toMatchObject([
      { text: expect.stringContaining(`show 24 of ${TOPOLOGIES} topologies`) },
    ]);
    expect(casesTable(report).head.filter(({ column }) => column !== null)).toHaveLength(TOPOLOGIES);
  });

  it("has one row per bill, with the number of ways that share it", () => {
    const { rows } = costTable(answer);
    const shared = rows.reduce((sum, [first]) => {
      const note = first?.notes.find((text) => text.endsWith("of the same bill"));
      return sum + 1 + Number(/\d+/.exec(note ?? "0")?.[0]);
    }, 0);
    expect(rows.length).toBeLessThan(answer.assessed.length / 2);
    expect(shared).toBe(answer.assessed.length);
  });

  it("contains each way's prices once", () => {
    const packed = packData({ made: report.needs, answers: report.answerData });
    expect(dataOf(packed)).toEqual(
      JSON.parse(JSON.stringify({ made: report.needs, answers: report.answerData })),
    );
    expect(packed.length).toBeLessThan(JSON.stringify(report.answerData).length / 4);
  });
});
