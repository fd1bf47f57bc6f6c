/**
 * `npm run local`: deploys the lab on this machine, measures, prints a table, writes results, and takes the lab down again.
 */
import { local } from "./run/local-command.ts";
import { processIo } from "./run/process-io.ts";

process.exitCode = await local(process.argv.slice(2), processIo());
