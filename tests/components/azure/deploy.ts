/** Azure stacks against mocks. */
import { parsePlan } from "../../../bench/index.ts";
import type { Deployment } from "../../../components/shared/egress.ts";
import { SshKeyPair } from "../../../components/shared/ssh-key-pair.ts";
import { azure } from "../../../stacks/azure.ts";
import { check, operatorCidrs, readTopologies } from "../../../stacks/config.ts";
import { type Mocked, mocked } from "../../helpers/azure-mocks.ts";
import { deployedOnce, type StackOptions, usual } from "../deployed-once.ts";

/** Deploys the topologies of an Azure stack, without a benchmark. */
export const deployMocked = deployedOnce<Mocked<Deployment>>((topologies, options) =>
  deployMockedWith(topologies, options, () => {}),
);

/** Deploys with a further step. @param then Makes something from the deployment. */
export function deployMockedWith(
  topologies: readonly Record<string, unknown>[],
  options: StackOptions,
  then: (deployment: Deployment) => void,
): Promise<Mocked<Deployment>> {
  const { settings, allowedCidrs, allowAnywhere, pairs } = { ...usual, ...options };
  return mocked(async () => {
    const deployment = azure.deploy({
      stack: "test",
      topologies: readTopologies({ topologies, cloud: "azure" } as never, azure),
      settings: check(azure.settings, settings, "egress-bench:azure"),
      pairs,
      plan: parsePlan("quick"),
      allowedCidrs: await operatorCidrs({ allowedCidrs, allowAnywhere }),
      operatorKey: new SshKeyPair("operator-key"),
    });
    then(deployment);
    return deployment;
  });
}
