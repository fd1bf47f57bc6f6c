/**
 * The page with the options of each command, which are their `--help`.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { GENERATED } from "./generated.ts";

/** Each command's usage text, in the order in which a person meets them. */
const usages: Readonly<Record<string, string>> = {
  "npm run setup": "setup/usage.txt",
  "npm run local": "cli/local/usage.txt",
  "npm run compare": "cli/compare/usage.txt",
  "npm run report": "cli/report/usage.txt",
  "npm run advise": "cli/advise/usage.txt",
  "npm test": "tests/usage.txt",
  "npm run bench": "tests/bench/usage.txt",
  "npm run guest": "tests/guest/usage.txt",
};

export function commandsPage(): string {
  const usageOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8").trimEnd();
  const parts = Object.entries(usages).map(
    ([command, path]) => `## ${command}\n\n\`\`\`text\n${usageOf(path)}\n\`\`\``,
  );
  const intro = "What each command prints with `--help` (`npm run <command> -- --help`).";
  return `${["# Commands", GENERATED, intro, ...parts].join("\n\n")}\n`;
}
