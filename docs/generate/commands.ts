/**
 * The page with the options of each command, which are their `--help`.
 *
 * @module
 */
import { existsSync, readdirSync } from "node:fs";
import { usageOf } from "../../cli/usage.ts";
import { GENERATED } from "./generated.ts";

const directory = new URL("../../cli/", import.meta.url);

export function commandsPage(): string {
  const commands = readdirSync(directory).filter((name) =>
    existsSync(new URL(`${name}/usage.txt`, directory)),
  );
  const parts = commands
    .sort()
    .map((name) => `## npm run ${name}\n\n\`\`\`text\n${usageOf(name).trimEnd()}\n\`\`\``);
  const intro = "What each command prints with `--help` (`npm run <command> -- --help`).";
  return `${["# Commands", GENERATED, intro, ...parts].join("\n\n")}\n`;
}
