/** `npm run compare`: all stacks of a cloud's comparison, from up to down. */
import { compare } from "./compare/command.ts";
import { ignoreClosedPipes } from "./terminal/closed-pipe.ts";
import { processIo } from "./terminal/process-io.ts";

ignoreClosedPipes();

process.exitCode = await compare(process.argv.slice(2), processIo());
