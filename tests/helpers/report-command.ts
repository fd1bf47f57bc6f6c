/** Runs `npm run report` in this process, in a separate directory for each test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { report } from "../../cli/report/command.ts";

/** The command in the running test's directory, which has `out/`. Call it once per test file. */
export function reportCommand() {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "egress-bench-report-"));
    mkdirSync(join(directory, "out"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const inDirectory = (name: string) => join(directory, name);
  return {
    path: inDirectory,
    /** Writes a file: a text unchanged, anything else as JSON. */
    file(name: string, content: object | string): void {
      writeFileSync(inDirectory(name), typeof content === "string" ? content : JSON.stringify(content));
    },
    async run(...args: string[]) {
      const said: Record<"stdout" | "stderr", string[]> = { stdout: [], stderr: [] };
      const status = await report(args, {
        stdout: { write: (text) => said.stdout.push(text) },
        stderr: { write: (text) => said.stderr.push(text) },
        directory,
      });
      return { status, stdout: said.stdout.join(""), stderr: said.stderr.join("") };
    },
  };
}
