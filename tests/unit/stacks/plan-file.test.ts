import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { readPlanFile } from "../../../stacks/plan-file.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();

const plan = { name: "mine", cases: [{ tool: "iperf3", durationSeconds: 5, streams: [1, 8] }] };
writeFileSync(join(directory, "plan.json"), JSON.stringify(plan));
writeFileSync(
  join(directory, "plan.yaml"),
  "name: mine\ncases:\n  - {tool: iperf3, durationSeconds: 5, streams: [1, 8]}\n",
);
writeFileSync(join(directory, "broken.json"), '{"cases": [');
writeFileSync(join(directory, "empty.yaml"), "");

test.each(["plan.json", "plan.yaml", `${directory}/plan.yaml`])("%s is the plan it holds", (name) => {
  expect(parsePlan(readPlanFile(name, directory))).toEqual(parsePlan(plan));
});

test.each(["quick", plan, undefined])("%j is no file", (input) => {
  expect(readPlanFile(input, directory)).toBe(input);
});

test.each(["missing.yml", "broken.json", "empty.yaml"])("%s is refused by its whole name", (name) => {
  expect(() => readPlanFile(name, directory)).toThrow(`expected a plan in ${directory}/${name}: `);
});
