/** `npm run report`: one report of any number of results, and the regression gate. */
import { report } from "./report/command.ts";
import { ignoreClosedPipes } from "./terminal/closed-pipe.ts";

ignoreClosedPipes();

const { stdout, stderr } = process;
process.exitCode = await report(process.argv.slice(2), {
  stdout,
  stderr,
  directory: process.cwd(),
});
