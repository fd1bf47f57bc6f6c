/** Paths that the agent shares with a NAT instance's set-up and with the lab are equal on both sides. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { POWER_PROGRAM } from "../../components/local/power.ts";
import { DRIFTS_FILE } from "../../components/nat-instance/drift.ts";
import { DATA_PLANE_FILE, HA_PROGRAM, NOTES_FILE } from "../../components/nat-instance/index.ts";
import { evaluate } from "../helpers/agent-host.ts";

const text = (path: string) =>
  readFileSync(new URL(`../../components/nat-instance/${path}`, import.meta.url), "utf8");
/** What follows the name in a file; a test fails where the file no longer has it. */
const after = (name: string, path: string) => text(path).match(new RegExp(`^${name} *(\\S+)$`, "m"))?.[1];

test.each([
  ["host_facts.NOTES_FILE", NOTES_FILE],
  ["host_facts.DATA_PLANE_FILE", DATA_PLANE_FILE],
  ["set_up.DRIFTS_FILE", DRIFTS_FILE],
  ["set_up.PROGRAM", after("set_up_program=", "set-up/at-each-boot.sh")],
  ["set_up.IN_FORCE_FILE", after("in_force_file=", "set-up/drift.sh")],
  ["set_up.LOCK_FILE", after("exec 9>", "set-up/main.sh")],
  ["failures.HA_PROGRAM", HA_PROGRAM],
  ["failures.POWER_PROGRAM", POWER_PROGRAM],
])("%s is the set-up's", (name, path) => {
  expect(evaluate(name)).toBe(path);
});

test("failures.ROLE_FILE is the pair's", () => {
  const run = JSON.parse(String(after("RUN =", "pair/run.py")));
  const name = /^f"\{RUN\}(.+)"$/.exec(String(after("ROLE_FILE =", "pair/run.py")))?.[1];
  expect(evaluate("failures.ROLE_FILE")).toBe(`${run}${name}`);
});
