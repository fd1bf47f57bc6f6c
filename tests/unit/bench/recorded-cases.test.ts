/**
 * State of deployed stacks must not change with the program: names of resources, hashes, and the agents' input; otherwise
 * cases would be measured again. `recorded.json` is the program's output for `plans.json` on 2026-11-22: every preset of that
 * day, and a plan with every key of every tool. Exceptions: searches for a rate have the output since a stray loss no longer ends
 * them, and are measured again; UDP egress with a warm-up has the command since it asks for the server's output, under the same
 * key, so that an agent returns its report.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CaseRecord, recordPlan } from "../../helpers/case-record.ts";

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/cases/${name}`, import.meta.url), "utf8"));
const plans: Record<string, unknown> = read("plans.json");
const recorded: Record<string, CaseRecord[]> = read("recorded.json");

describe("a stack that is up measures nothing again", () => {
  it.each(Object.entries(plans))("%s", async (name, plan) => {
    expect(await recordPlan(plan)).toEqual(recorded[name]);
  });
});
