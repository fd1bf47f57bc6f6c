/** Ends what a killed engine leaves. */
import { existsSync, readFileSync } from "node:fs";
import { commandLine, processIds } from "../../components/local/lab/processes.ts";

/**
 * In a program of Pulumi's, ends it and its language host where the engine was killed. The host itself asks only every five minutes
 * whether its engine lives; the program fails by itself, but resource by resource, half a minute of a CPU for 3,600.
 */
export function endHostOfKilledEngine(): void {
  const host = process.ppid;
  const engine = parentOf(host);
  if (engine === undefined) return;
  const isAlone = () => process.ppid !== host || parentOf(host) !== engine;
  setInterval(() => isAlone() && process.exit(1), 1000).unref();
  process.on("exit", () => {
    if (process.ppid === host && isAlone()) process.kill(host);
  });
}

/** Ends the language hosts that have a variable and its value, once their engine has ended; without a program they live on alone. */
export function endHostsWith(variable: string): void {
  for (const pid of existsSync("/proc/self") ? processIds() : []) {
    try {
      const has = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(variable);
      if (has && /language-\w+$/.test(commandLine(pid)[0] ?? "")) process.kill(pid);
    } catch {
      // It has ended meanwhile, or is another account's.
    }
  }
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
