/**
 * What `pulumi up` runs: read the stack's configuration, deploy, export.
 *
 * @module
 */
import { readStackConfig } from "./stacks/config.ts";
import { deploy } from "./stacks/deploy.ts";

// Node strips types in place, so stack traces are right as they are; Pulumi's mapping of each promise's is a
// quarter of a start.
delete (Error as { prepareStackTrace?: unknown }).prepareStackTrace;

/** `results` for machines (schema: bench/results/); `summary` for people. */
export const { results, summary } = await deploy(readStackConfig());
