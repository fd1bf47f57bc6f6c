/** `npm run nat-script`: a NAT instance's user data, for those who do not use Pulumi. */
import { natScript } from "./nat-script/command.ts";
import { ignoreClosedPipes } from "./terminal/closed-pipe.ts";

ignoreClosedPipes();

const { stdout, stderr } = process;
process.exitCode = natScript(process.argv.slice(2), { stdout, stderr, directory: process.cwd() });
