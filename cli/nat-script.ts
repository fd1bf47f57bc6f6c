/** `npm run nat-script`: a NAT instance's user data, for use without Pulumi. */
import { natScript } from "./nat-script/command.ts";
import { processOutput } from "./terminal/process-output.ts";

const { stdout, stderr } = processOutput();
process.exitCode = natScript(process.argv.slice(2), {
  // The script must be written exactly.
  stdout: { write: (text) => stdout.writeExactly(text) },
  stderr,
  directory: process.cwd(),
});
