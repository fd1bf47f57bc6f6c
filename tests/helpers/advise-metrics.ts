/** Runs `npm run advise -- --metrics` over files that a test makes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Advice } from "../../advise/advice.ts";
import { adviseCommand } from "../../cli/advise/command.ts";

const START = Date.UTC(2026, 10, 2);

/** ISO time of a minute after the start. */
export const at = (minute: number) => new Date(START + minute * 60_000).toISOString();

export const minutes = (count: number, value: (minute: number) => number) =>
  Array.from({ length: count }, (_, m) => value(m));

export const gateways = ["nat-0a1b2c3d4e5f60718", "nat-0ffffffff00000000"] as const;

/** A directory that is removed after the test, and the command in it. */
export function metricsDirectory() {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-metrics-test-"));
  return {
    directory,
    run: runIn(directory),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const runIn =
  (directory: string) =>
  async (files: Readonly<Record<string, string | Buffer>>, ...args: string[]) => {
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(directory, name), content);
    }
    const said = { stdout: "", stderr: "" };
    const status = await adviseCommand(["--metrics", ...Object.keys(files), "--json", ...args], {
      stdout: { write: (text) => (said.stdout += text) },
      stderr: { write: (text) => (said.stderr += text) },
      directory,
      stackFiles: directory,
      signal: new AbortController().signal,
      now: new Date("2026-11-22T00:00:00Z"),
    });
    return { ...said, status, advice: (said.stdout === "" ? null : JSON.parse(said.stdout)) as Advice };
  };
