/** `npm run compare`: runs all stacks of a cloud's comparison, from up to down. */
import { compare } from "./run/command.ts";
import { processIo } from "./run/process-io.ts";

process.exitCode = await compare(process.argv.slice(2), processIo());
