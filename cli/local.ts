/**
 * `npm run local`: the main job on this machine. Deploys the lab, measures, prints a table, writes results, and
 * takes the lab down again.
 */
import { local } from "./local/command.ts";
import { ignoreClosedPipes } from "./terminal/closed-pipe.ts";
import { processIo } from "./terminal/process-io.ts";

ignoreClosedPipes();

process.exitCode = await local(process.argv.slice(2), processIo());
