/** The gate's messages about a baseline: the same run, a newer one, one without a case, an unreadable one. */
import { expect, it } from "vitest";
import { briefResults } from "../../fixtures/results/brief.ts";
import { reportCommand } from "../../helpers/report-command.ts";

/** One case, since each adds several pictures to the page. */
const few = briefResults("tcp-egress");
const { file, run } = reportCommand();

it("says that a baseline is the run itself, newer, or without a case", async () => {
  const later = { ...few, runId: "later", startedAt: "2027-01-01T00:00:00.000Z" };
  const said = async (before: object, now: object) => {
    file("old.json", before);
    file("out/new.json", now);
    return (await run("--baseline", "old.json", "--allow-not-judged")).stdout;
  };
  expect(await said(few, few)).toContain("The baseline is the same run as the results.");
  expect(await said(later, few)).toContain("The baseline is newer than the results");
  const less = { ...few, cases: few.cases.filter(({ topology }) => topology === "direct") };
  const lacking = await said(less, later);
  expect(lacking).toMatch(/^Not in the baseline, so not compared: nat-\S+ \S+/m);
  expect(lacking).not.toContain("The baseline is");
});

it.each([["--allow-not-judged"], ["--annotate"], ["--tolerance", "5"]])(
  "refuses %s without a baseline, instead of ending with 0",
  async (...options) => {
    file("out/new.json", few);
    const message = `egress-bench report: ${options[0]}: also expected --baseline FILE; without a baseline nothing is judged\n`;
    expect(await run(...options)).toMatchObject({ status: 2, stdout: "", stderr: message });
  },
);

it("reports only an unreadable baseline's reading error", async () => {
  file("out/new.json", few);
  const { status, stderr } = await run("--baseline", "missing.json");
  expect(status).toBe(1);
  expect(stderr).toContain("missing.json: cannot be read: no such file or directory");
  expect(stderr).not.toContain("nothing was compared");
});
