/** A command that works until its terminal closes, or with `once` prints at once; then it cleans up. */
import { writeFileSync } from "node:fs";
import { onInterrupt } from "../../../cli/terminal/interrupt.ts";
import { processOutput } from "../../../cli/terminal/process-output.ts";

const [directory = "", once] = process.argv.slice(2);
const { stdout, stderr } = processOutput(true);

function cleanUp(): void {
  stdout.write("a table of results\n");
  stderr.write("Interrupted: ending the step under way\n");
  setTimeout(() => {
    stderr.write("STILL DEPLOYED: a stack\n");
    writeFileSync(`${directory}/cleaned-up`, "");
    process.exit();
  }, 50);
}

onInterrupt(cleanUp);
stderr.write("up\n");
if (once === undefined) {
  setTimeout(() => {}, 60_000);
} else {
  cleanUp();
}
