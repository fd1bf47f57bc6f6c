/** `npm run contribute`: adds a run to the library of results, without anything that identifies its owner. */
import { contribute } from "./contribute/command.ts";
import { processOutput } from "./terminal/process-output.ts";

process.exitCode = contribute(process.argv.slice(2), processOutput());
