/** Ends what a killed engine leaves. */
import { readFileSync } from "node:fs";

/**
 * In a program of Pulumi's, ends its language host with it where the engine was killed: the host itself asks only every five minutes
 * whether its engine lives.
 */
export function endHostOfKilledEngine(): void {
  const host = process.ppid;
  const engine = parentOf(host);
  if (engine === undefined) return;
  process.on("exit", () => {
    if (process.ppid === host && parentOf(host) !== engine) process.kill(host);
  });
}

/** Parent of a language host; undefined: it is another program, or this is no Linux. */
function parentOf(host: number): string | undefined {
  try {
    const [, name = "", parent] =
      /^\d+ \((.*)\) . (\d+) /s.exec(readFileSync(`/proc/${host}/stat`, "latin1")) ?? [];
    return /language/.test(name) ? parent : undefined;
  } catch {
    return undefined;
  }
}
