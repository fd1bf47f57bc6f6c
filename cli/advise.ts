/** `npm run advise`: advice from your own flow logs. */
import { adviseCommand } from "./advise/command.ts";
import { ownStackFiles } from "./run/workspace.ts";
import { INTERRUPTED, onInterrupt } from "./terminal/interrupt.ts";
import { processOutput } from "./terminal/process-output.ts";

const io = processOutput();
const signal = onInterrupt(() => io.stderr.write("\nStopping ...\n"));
const options = { ...io, stackFiles: ownStackFiles, signal, now: new Date() };
const status = await adviseCommand(process.argv.slice(2), options);
process.exitCode = signal.aborted ? INTERRUPTED : status;
