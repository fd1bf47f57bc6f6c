/** `npm run choose`: recommends a way out before anything is deployed. */
import { choose } from "./choose/command.ts";
import { processOutput } from "./terminal/process-output.ts";

process.exitCode = choose(process.argv.slice(2), processOutput());
