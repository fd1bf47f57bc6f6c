/** `npm run report`: one report of any number of results, and the regression gate. */
import { report } from "./report/command.ts";
import { processOutput } from "./terminal/process-output.ts";

process.exitCode = await report(process.argv.slice(2), processOutput());
