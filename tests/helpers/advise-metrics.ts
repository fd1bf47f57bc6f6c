/** Runs `npm run advise` over files that a test makes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Advice } from "../../packages/advise/src/advice.ts";
import { ran } from "./ran.ts";

const START = Date.UTC(2026, 10, 2);

/** ISO time of a minute after the start. */
export const at = (minute: number) => new Date(START + minute * 60_000).toISOString();

export const minutes = (count: number, value: (minute: number) => number) =>
  Array.from({ length: count }, (_, m) => value(m));

export const gateways = ["nat-0a1b2c3d4e5f60718", "nat-0ffffffff00000000"] as const;

/** The command over files that it writes into the directory first. */
export async function runOver(
  directory: string,
  files: Readonly<Record<string, string | Buffer>>,
  ...args: string[]
) {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(directory, name), content);
  }
  const said = await ran("advise", [...Object.keys(files), "--json", ...args], directory);
  return { ...said, advice: (said.stdout === "" ? null : JSON.parse(said.stdout)) as Advice };
}
