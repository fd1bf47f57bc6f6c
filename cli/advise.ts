/** `npm run advise`: advice from your own flow logs. */
import { adviseCommand } from "./advise/command.ts";
import { ownStackFiles } from "./run/workspace.ts";
import { ignoreClosedPipes } from "./terminal/closed-pipe.ts";
import { INTERRUPTED, onInterrupt } from "./terminal/interrupt.ts";

ignoreClosedPipes();

const { stdout, stderr } = process;
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
