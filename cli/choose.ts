/** `npm run choose`: the answer before anything is deployed. */
import { choose } from "./choose/command.ts";
import { ignoreClosedPipes } from "./terminal/closed-pipe.ts";

ignoreClosedPipes();

const { stdout, stderr } = process;
process.exitCode = choose(process.argv.slice(2), { stdout, stderr, directory: process.cwd() });
