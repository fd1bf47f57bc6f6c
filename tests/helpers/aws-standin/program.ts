/** The program of engine tests: what a stack file's topologies deploy, without a benchmark. */
import { SshKeyPair } from "../../../components/shared/ssh-key-pair.ts";
import { aws } from "../../../stacks/aws.ts";
import { check, readStackConfig, readTopologies } from "../../../stacks/config.ts";

export function deployTopologies(): void {
  const config = readStackConfig();
  aws.deploy({
    stack: config.stack,
    topologies: readTopologies(config, aws),
    pairs: config.pairs,
    plan: config.plan,
    settings: check(aws.settings, config.settings, "egress-bench:aws"),
    allowedCidrs: config.ssh.allowedCidrs,
    allowAnywhere: config.ssh.allowAnywhere,
    operatorKey: new SshKeyPair("operator-key"),
  });
}
