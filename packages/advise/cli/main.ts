/** `npm run advise`: advice from your own flow logs. */

import { ownStackFiles } from "../../../cli/pulumi/workspace.ts";
import { INTERRUPTED, onInterrupt } from "../../../cli/terminal/interrupt.ts";
import { processOutput } from "../../../cli/terminal/process-output.ts";
import { adviseCommand } from "./command.ts";

const io = processOutput();
const signal = onInterrupt(() => io.stderr.write("\nStopping ...\n"));
const options = { ...io, stackFiles: ownStackFiles, signal, now: new Date() };
const status = await adviseCommand(process.argv.slice(2), options);
process.exitCode = signal.aborted ? INTERRUPTED : status;
