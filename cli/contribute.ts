/** `npm run contribute`: puts a run into the library of results, without what tells whose it was. */
import { contribute } from "./contribute/command.ts";
import { processOutput } from "./terminal/process-output.ts";

const { stdout, stderr } = processOutput();
process.exitCode = contribute(process.argv.slice(2), { stdout, stderr, directory: process.cwd() });
