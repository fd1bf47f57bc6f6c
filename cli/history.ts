/** `npm run history`: trends of the figures over stored runs. */
import { history } from "./history/command.ts";
import { ignoreClosedPipes } from "./terminal/closed-pipe.ts";

ignoreClosedPipes();

const { stdout, stderr } = process;
process.exitCode = await history(process.argv.slice(2), { stdout, stderr, directory: process.cwd() });
