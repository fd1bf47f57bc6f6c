/** Looks up cases of a results document. */
import type { CaseResult, Results } from "../../bench/results/index.ts";

/** A case that must be there. */
export function findCase(results: Results, topology: string, id: string): CaseResult {
  return results.cases.find((one) => one.topology === topology && one.id === id)!;
}

/** Topology, id and outcome of cases whose id matches: a failure's class, or `ok`. */
export function outcomes(results: Results, id: RegExp): [topology: string, id: string, outcome: string][] {
  return results.cases
    .filter((one) => id.test(one.id))
    .map((one) => [one.topology, one.id, one.failure?.class ?? "ok"]);
}
