/** AWS stacks against mocks. */
import { parsePlan } from "../../../bench/index.ts";
import type { Deployment } from "../../../components/shared/egress.ts";
import { SshKeyPair } from "../../../components/shared/ssh-key-pair.ts";
import { aws } from "../../../stacks/aws.ts";
import { check, operatorCidrs, readTopologies } from "../../../stacks/config.ts";
import { type Mocked, mocked } from "../../helpers/aws-standin/mocks.ts";
import { deployedOnce } from "../deployed-once.ts";

/** Deploys the topologies of an AWS stack, without a benchmark. */
export const deployMocked = deployedOnce<Mocked<Deployment>>((topologies, options) =>
  mocked(async () =>
    aws.deploy({
      stack: "test",
      topologies: readTopologies({ topologies, cloud: "aws" } as never, aws),
      settings: check(aws.settings, options.settings, "egress-bench:aws"),
      pairs: options.pairs,
      plan: parsePlan("quick"),
      allowedCidrs: await operatorCidrs(options),
      operatorKey: new SshKeyPair("operator-key"),
    }),
  ),
);
