/** Runs `npm run report` in this process, in a separate directory for each test. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ran } from "./ran.ts";
import { directoryOfEachTest } from "./temporary.ts";

/** The command in the running test's directory, which has `out/`. Call it once per test file. */
export function reportCommand() {
  const path = directoryOfEachTest((made) => mkdirSync(join(made, "out")));
  return {
    path,
    /** Writes a file: a text unchanged, anything else as JSON. */
    file(name: string, content: object | string): void {
      writeFileSync(path(name), typeof content === "string" ? content : JSON.stringify(content));
    },
    run: (...args: string[]) => ran("report", args, path()),
  };
}
