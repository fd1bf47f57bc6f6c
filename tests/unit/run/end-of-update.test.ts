/** The last output of `pulumi up`. */
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, expect, it, vi } from "vitest";
import { endOfUpdate } from "../../../cli/pulumi/end-of-update.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const at = directoryOfEachTest();
afterEach(() => vi.unstubAllEnvs());

const results = handMadeResults();

it("is the table, the verdict, and the paths of results and report", () => {
  const [table, verdict, places] = endOfUpdate("mine", results, "TABLE", at()).trim().split("\n\n");
  expect(table).toBe("TABLE");
  expect(verdict).toMatch(/^TCP egress \(one run: no ranking\): direct /m);
  expect(verdict).not.toContain("USD");
  expect(places).toBe("Results: out/mine.json\nReport: npm run report -- --stack mine");
  expect(JSON.parse(readFileSync(at("out/mine.json"), "utf8"))).toEqual(results);
});

it("has no verdict if one topology leaves nothing to compare", () => {
  const alone = { ...results, topologies: results.topologies.slice(0, 1) };
  const cases = results.cases.filter(({ topology }) => topology === alone.topologies[0]?.name);
  expect(endOfUpdate("mine", { ...alone, cases }, "TABLE", at())).not.toContain("TCP egress");
});

it("leaves the file to the command that runs it", () => {
  vi.stubEnv("EGRESS_BENCH_WRITES_RESULTS", "true");
  expect(endOfUpdate("mine", results, "TABLE", at())).not.toContain("Results:");
});

it("names the results' place if no file can be written", () => {
  writeFileSync(at("out"), "in the way");
  expect(endOfUpdate("mine", results, "TABLE", at())).toMatch(
    /Results: pulumi stack output results --json \(no file: .*\)/,
  );
});
