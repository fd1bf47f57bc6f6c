/** From a stack's configuration to its outputs: topologies, benchmark, results. */
import * as pulumi from "@pulumi/pulumi";
import { type CloudName, isPriced } from "../bench/index.ts";
import { BenchmarkRun } from "../components/benchmark/benchmark-run.ts";
import { SshKeyPair } from "../components/shared/ssh-key-pair.ts";
import type { Cloud } from "./cloud.ts";
import { check, operatorCidrs, readTopologies, type StackConfig } from "./config.ts";

/** Modules of the clouds; only the stack's own is loaded. */
const clouds: Record<CloudName, () => Promise<Cloud>> = {
  azure: async () => (await import("./azure.ts")).azure,
  aws: async () => (await import("./aws.ts")).aws,
  local: async () => (await import("./local.ts")).local,
  hosts: async () => (await import("./hosts.ts")).hosts,
};

export async function deploy(config: StackConfig): Promise<Pick<BenchmarkRun, "results" | "summary">> {
  const cloud = await clouds[config.cloud]();
  const topologies = readTopologies(config, cloud);
  const settings = check(cloud.settings, config.settings, `egress-bench:${config.cloud}`);
  if (cloud.transformation !== undefined) {
    pulumi.runtime.registerStackTransformation(cloud.transformation);
  }
  const operatorKey = new SshKeyPair("operator-key");
  const { stack, pairs, plan } = config;
  const allowedCidrs = isPriced(config.cloud) ? await operatorCidrs(config.ssh) : [];
  const contents = { topologies, settings, pairs, plan };
  const deployment = cloud.deploy({ stack, ...contents, allowedCidrs, operatorKey });
  // Only a preview checks quotas, so that its warnings come before anything is made.
  if (pulumi.runtime.isDryRun() && isPriced(config.cloud) && cloud.inventory !== undefined) {
    const { checkQuotas } = await import("./quota/check.ts");
    checkQuotas(config.cloud, cloud.inventory(contents));
  }
  const { results, summary } = new BenchmarkRun("benchmark", {
    ...{ stack, plan, deployment },
    cloud: config.cloud,
    runId: config.runId,
    tuning: config.tuning,
    secret: operatorKey.privateKey,
  });
  return { results, summary };
}
