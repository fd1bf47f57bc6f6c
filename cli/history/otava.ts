/** Runs Apache Otava, if it is installed. https://otava.apache.org */
import { spawnSync } from "node:child_process";

/** Time limit: a million runs take Otava minutes. */
const OTAVA_TIMEOUT_MS = 15 * 60_000;

/**
 * Runs Apache Otava on the files from `otavaFiles`. @returns one line of JSON per series
 *
 * @throws where Otava is not installed, or fails
 */
export function runOtava(directory: string): string {
  const args = ["analyze", "--config-file", "otava.yaml", "--output", "json", "all"];
  const { error, status, stdout, stderr } = spawnSync("otava", args, {
    cwd: directory,
    encoding: "utf8",
    timeout: OTAVA_TIMEOUT_MS,
    maxBuffer: 1 << 28,
  });
  if (error !== undefined) {
    throw new Error(
      (error as NodeJS.ErrnoException).code === "ENOENT"
        ? "--otava: there is no otava on PATH; install it with pipx install apache-otava"
        : `--otava: otava could not run: ${error.message}`,
    );
  }
  if (status !== 0) {
    throw new Error(`--otava: otava ended with ${status}: ${stderr.trim().split("\n").at(-1)}`);
  }
  return stdout;
}
