/**
 * What `pulumi up` runs: read the stack's configuration, deploy, export.
 *
 * @module
 */
import { readStackConfig } from "./stacks/config.ts";
import { deploy } from "./stacks/deploy.ts";

/** `results` for machines (schema: bench/results.ts); `summary` for people. */
export const { results, summary } = await deploy(readStackConfig());
