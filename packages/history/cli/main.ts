/** `npm run history`: trends of the figures over stored runs. */

import { processOutput } from "../../../cli/terminal/process-output.ts";
import { history } from "./command.ts";

process.exitCode = await history(process.argv.slice(2), processOutput());
