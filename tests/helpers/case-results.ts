/** Finds cases in a results document. */
import type { CaseResult, Results } from "../../bench/results/index.ts";

/** A case that must exist. */
export function findCase(results: Results, topology: string, id: string): CaseResult {
  return results.cases.find((one) => one.topology === topology && one.id === id)!;
}

/** Topology, id and outcome (`ok` or a failure's class) of cases whose id matches. */
export function outcomes(results: Results, id: RegExp): [topology: string, id: string, outcome: string][] {
  return results.cases
    .filter((one) => id.test(one.id))
    .map((one) => [one.topology, one.id, one.failure?.class ?? "ok"]);
}
