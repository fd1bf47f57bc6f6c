/** Runs a pair's own Python in a trial of `tests/lab/pair-trial/`. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

export const pairProgram = path("components/nat-instance/pair");

/** What a trial prints. @param args Words after the program's directory */
export function pairTrial(name: string, ...args: readonly (string | number)[]): string {
  const words = ["-B", path(`tests/lab/pair-trial/${name}.py`), pairProgram, ...args.map(String)];
  return execFileSync("python3", words, { encoding: "utf8" }).trim();
}
