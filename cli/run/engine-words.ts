/** The engine's own error message, out of all that a failed `pulumi` has printed. */
import { plainOutput } from "../../bench/index.ts";

/** Lines of a message that a person is shown. */
const MOST_LINES = 12;

/** @param error As the Automation API throws it; another's message stays as it is. */
export function engineWords({ message }: Error): string {
  if (message.includes("spawn pulumi ENOENT")) {
    return "there is no pulumi on PATH; run: npm run setup";
  }
  const diagnostics = /Diagnostics:\n([\s\S]*?)(?:\n(?:Outputs|Resources|Duration):|$)/.exec(message)?.[1];
  // The rest of the message says it again.
  const stderr = /^ stderr: ([\s\S]*?)^ err\?: /m.exec(message)?.[1];
  const lines = linesOf(diagnostics ?? stderr ?? message).filter(
    (line) => !/^Command failed with /.test(line),
  );
  const shown = lines.length > 0 ? lines : linesOf(message);
  return shown
    .slice(0, MOST_LINES)
    .join("\n  ")
    .replace(/^error: /, "");
}

function linesOf(text: string): string[] {
  return plainOutput(text)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
