/** Extracts the engine's own error message from the output of a failed `pulumi`. */
import { plainOutput } from "../../bench/index.ts";

const MOST_LINES = 12;

/** @param error From the Automation API; other errors' messages stay as they are. */
export function engineWords({ message }: Error): string {
  if (message.includes("spawn pulumi ENOENT")) {
    return "there is no pulumi on PATH; run: npm run setup";
  }
  const diagnostics = /Diagnostics:\n([\s\S]*?)(?:\n(?:Outputs|Resources|Duration):|$)/.exec(message)?.[1];
  // The rest of the message repeats it.
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
