/** Arguments of the results document's assembly. */
import type { Plan } from "../plan/plan.ts";
import type { HostFacts, Results } from "../results/index.ts";
import type { CaseRun } from "./case-result.ts";
import type { TopologyRun } from "./topology-result.ts";

/** Everything that goes into a results document. */
export interface AssembleArgs {
  readonly stack: string;
  readonly cloud: Results["cloud"];
  readonly runId: string;
  readonly plan: Plan;
  readonly server: HostFacts | null;
  readonly topologies: readonly TopologyRun[];
  /** In the order they ran. */
  readonly runs: readonly CaseRun[];
  readonly notes: readonly string[];
}
