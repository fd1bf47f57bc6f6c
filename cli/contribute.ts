/** `npm run contribute`: puts a run into the library of results, without what tells whose it was. */
import { contribute } from "./contribute/command.ts";
import { ignoreClosedPipes } from "./terminal/closed-pipe.ts";

ignoreClosedPipes();

const { stdout, stderr } = process;
process.exitCode = contribute(process.argv.slice(2), { stdout, stderr, directory: process.cwd() });
