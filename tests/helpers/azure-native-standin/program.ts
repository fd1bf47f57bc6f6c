/** The program of engine tests: what a stack file's topologies deploy, without a benchmark. */
import { SshKeyPair } from "../../../components/shared/ssh-key-pair.ts";
import { azure } from "../../../stacks/azure.ts";
import { check, readStackConfig, readTopologies } from "../../../stacks/config.ts";

export function deployTopologies(): void {
  const config = readStackConfig();
  azure.deploy({
    stack: config.stack,
    topologies: readTopologies(config, azure),
    pairs: config.pairs,
    plan: config.plan,
    settings: check(azure.settings, config.settings, "egress-bench:azure"),
    allowedCidrs: config.ssh.allowedCidrs,
    allowAnywhere: config.ssh.allowAnywhere,
    operatorKey: new SshKeyPair("operator-key"),
  });
}
