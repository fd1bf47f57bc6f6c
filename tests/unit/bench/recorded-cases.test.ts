/**
 * What is in the state of stacks that are up must not change with the program: names of resources, hashes, and what the
 * agents read; else cases would be measured again. `recorded.json` is what the program made of `plans.json` on
 * 2026-11-22: every preset of that day, and a plan that has every key of every tool. Of searches for a rate what it made
 * once a stray loss did not end them any more: those are measured again. Of UDP egress with a warm-up the command of the day that
 * asked for the server's output: the key is the same, so that an agent returns the report it has.
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
