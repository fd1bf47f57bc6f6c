/** `npm run nat-script`: a NAT instance's user data, for use without Pulumi. */
import { natScript } from "./nat-script/command.ts";
import { processOutput } from "./terminal/process-output.ts";

const { stdout, ...io } = processOutput();
// The script must be written exactly.
const exact = { write: (text: string) => stdout.writeExactly(text) };
process.exitCode = natScript(process.argv.slice(2), { ...io, stdout: exact });
