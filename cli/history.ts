/** `npm run history`: trends of the figures over stored runs. */
import { history } from "./history/command.ts";
import { processOutput } from "./terminal/process-output.ts";

process.exitCode = await history(process.argv.slice(2), processOutput());
