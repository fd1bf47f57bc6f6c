/** A recorded case that kills a pair's active machine. */
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import { toolOf } from "../../bench/tools/index.ts";
import { fixture } from "../unit/bench/fixture.ts";

const [planned] = parsePlan({ cases: [{ tool: "failover", failure: "kill" }] }).cases;
if (planned === undefined) throw new Error("a plan without its case");

export const kill = planned;

const context = { case: kill, exitCode: 0, timedOut: false, stderr: "" };
export const killMeasured = toolOf(kill).parse(fixture("failover/pair-kill.json"), context).measurement;
