/** The program of `pulumi up`: reads the stack's configuration, deploys, exports. */
import * as pulumi from "@pulumi/pulumi";
import { endHostOfKilledEngine } from "./cli/pulumi/killed-engine.ts";
import { readStackConfig } from "./stacks/config.ts";
import { deploy } from "./stacks/deploy.ts";

endHostOfKilledEngine();
const config = readStackConfig();

/** Outputs: `results` for machines (schema: bench/results/), `summary` for people. */
export const { results, summary } = await deploy(config);

if (!pulumi.runtime.isDryRun()) {
  const { endOfUpdate } = await import("./cli/pulumi/end-of-update.ts");
  pulumi.all([results, summary]).apply((outputs) => pulumi.log.info(endOfUpdate(config.stack, ...outputs)));
} else if (config.cloud !== "local") {
  // Loaded here only: prices take a while to load.
  const { previewCost } = await import("./cli/run/cost.ts");
  const cost = previewCost(config);
  if (cost !== null) {
    pulumi.log.info(cost);
  }
}
