/** `npm run advise`: advice from your own flow logs. */
import { adviseCommand } from "./advise/command.ts";
import { ownStackFiles } from "./run/workspace.ts";
import { INTERRUPTED, onInterrupt } from "./terminal/interrupt.ts";
import { processOutput } from "./terminal/process-output.ts";

const { stdout, stderr } = processOutput();
const signal = onInterrupt(() => stderr.write("\nStopping ...\n"));
const status = await adviseCommand(process.argv.slice(2), {
  stdout,
  stderr,
  directory: process.cwd(),
  stackFiles: ownStackFiles,
  signal,
  now: new Date(),
});
process.exitCode = signal.aborted ? INTERRUPTED : status;
