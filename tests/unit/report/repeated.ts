/** Hand-made results of one case on `direct`, measured several times. */
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { CaseResult, Measurement, Results } from "../../../bench/results/index.ts";
import { toolOf } from "../../../bench/tools/index.ts";
import { baselineVerdict } from "../../../report/comparison/baseline.ts";
import { compare } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { ended, fixture } from "../bench/fixture.ts";

const whole = handMadeResults();
export const template = whole.cases.find(({ id, topology }) => id === "tcp-egress" && topology === "direct")!;

/** @param measurements One for each repetition; a single one is not merged. @param plan Changes of the plan. */
export function repeatedResults(
  one: Case,
  measurements: readonly Measurement[],
  plan: Partial<Results["plan"]> = {},
): Results {
  const repeat = { least: measurements.length, most: measurements.length, withinPercent: null };
  const { id, tool } = one;
  const runs = measurements.map(
    (measurement): CaseResult => ({ ...template, id, tool, limits: [], measurement }),
  );
  return {
    ...whole,
    plan: { ...whole.plan, cases: [one], repeat, ...plan },
    cases: runs.length === 1 ? runs : [mergeRepetitions(runs, repeat)],
    topologies: whole.topologies.filter(({ name }) => name === "direct"),
  };
}

/** Results with one TCP case on `direct` and `nat-instance`, one repetition per rate. */
export function ratesOf(directRates: number[], natRates: number[], change: Partial<Results> = {}): Results {
  const runs = (topology: string, rates: number[]) =>
    rates.map((bitsPerSecond): CaseResult => {
      const measurement = template.measurement && { ...template.measurement, bitsPerSecond };
      return { ...template, topology, measurement };
    });
  const topologies = whole.topologies.filter(({ name }) => name === "direct" || name === "nat-instance");
  return {
    ...whole,
    topologies,
    cases: [...runs("direct", directRates), ...runs("nat-instance", natRates)],
    ...change,
  };
}

/** The gate's verdict on the later results. */
export const gateOf = (before: Results, after: Results) =>
  baselineVerdict(compare([{ source: "", results: after }]), {
    read: { inputs: [{ source: "", results: before }], problems: [] },
    ...{ source: "before.json", tolerancePercent: 5 },
  });

/** A recorded case that kills a pair's active machine. */
export const [kill] = parsePlan({ cases: [{ tool: "failover", failure: "kill" }] }).cases as [Case];
export const killMeasured = toolOf(kill).parse(fixture("failover/pair-kill.json"), ended(kill)).measurement;
