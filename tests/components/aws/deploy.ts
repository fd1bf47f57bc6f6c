/**
 * AWS stacks against mocks.
 *
 * @module
 */
import { SshKeyPair } from "../../../components/shared/ssh-key-pair.ts";
import { aws } from "../../../stacks/aws.ts";
import { check, readTopologies } from "../../../stacks/config.ts";
import { mocked } from "../../helpers/aws-standin/mocks.ts";

export interface StackOptions {
  readonly settings?: Record<string, unknown>;
  readonly allowedCidrs?: readonly string[];
  readonly allowAnywhere?: boolean;
  readonly pairs?: number;
}

/** Deploys the topologies of an AWS stack, without a benchmark. */
export function deployMocked(topologies: readonly Record<string, unknown>[], options: StackOptions = {}) {
  const { settings = {}, allowedCidrs = ["203.0.113.7/32"], allowAnywhere = false, pairs = 1 } = options;
  return mocked(() =>
    aws.deploy({
      stack: "test",
      topologies: readTopologies({ topologies, cloud: "aws" } as never, aws),
      settings: check(aws.settings, settings, "egress-bench:aws"),
      pairs,
      allowedCidrs,
      allowAnywhere,
      operatorKey: new SshKeyPair("operator-key"),
    }),
  );
}
