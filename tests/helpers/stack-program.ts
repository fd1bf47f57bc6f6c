/** The program of engine tests: what a stack file's topologies deploy, without a benchmark. */
import { SshKeyPair } from "../../components/shared/ssh-key-pair.ts";
import type { Cloud } from "../../stacks/cloud.ts";
import { check, readStackConfig, readTopologies } from "../../stacks/config.ts";

export function deployTopologies<S>(name: string, cloud: Cloud<S>): void {
  const config = readStackConfig();
  const { stack, pairs, plan, ssh } = config;
  cloud.deploy({
    ...{ stack, pairs, plan, allowedCidrs: ssh.allowedCidrs ?? [] },
    topologies: readTopologies(config, cloud),
    settings: check(cloud.settings, config.settings, `egress-bench:${name}`),
    operatorKey: new SshKeyPair("operator-key"),
  });
}
