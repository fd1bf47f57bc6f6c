/** Texts about a month name the hours that its cost is computed with. */
import { afterAll, expect, it, vi } from "vitest";
import { handMadeResults } from "../fixtures/results/hand-made.ts";
import { handMadeTraffic } from "./advise/hand-made.ts";

const HOURS = 700;

afterAll(() => {
  vi.doUnmock("../../report/cost/bill.ts");
  vi.resetModules(); // files of one process share their modules
});

it("texts of report and advice follow the constant", async () => {
  vi.resetModules();
  vi.doMock("../../report/cost/bill.ts", async (original) => ({
    ...(await original<typeof import("../../report/cost/bill.ts")>()),
    HOURS_PER_MONTH: HOURS,
  }));
  const { makeReport, priceSnapshots, toHtml, toMarkdown } = await import("../../report/index.ts");
  const { advise } = await import("../../packages/advise/src/advice.ts");
  const advicePages = await import("../../packages/advise/src/page.ts");
  const read = { inputs: [{ source: "a.json", results: handMadeResults() }], problems: [] };
  const report = makeReport(read, { madeAt: "2026-11-23T00:00:00Z" });
  const advice = advise(handMadeTraffic(), {
    ...{ results: [], book: priceSnapshots.aws, now: "nat-gateway", ranges: "", madeAt: "" },
    ...{ region: "us-east-1", regionFrom: "option" },
  });

  // The page's own script is bundled before.
  const page = toHtml(report).replace(/<script[\s\S]*?<\/script>/g, "");
  expect(toMarkdown(report)).toContain(`A month of ${HOURS} hours`);
  expect(page).toContain(`Cost of ${HOURS} hours`);
  expect(advicePages.toMarkdown(advice)).toContain(`in a month of ${HOURS} hours`);
}, 60_000);
