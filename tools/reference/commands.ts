/** Generates the page with the options of each command, from their `--help`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { GENERATED } from "./generated.ts";

const root = new URL("../../", import.meta.url);

/** Each command's usage text: set-up first, then cli/, then the contributors' commands. */
function usages(): (readonly [command: string, path: string])[] {
  const own = readdirSync(new URL("cli/", root)).filter((name) =>
    existsSync(new URL(`cli/${name}/usage.txt`, root)),
  );
  return [
    ["npm run setup", "setup/usage.txt"],
    ...own.sort().map((name) => [`npm run ${name}`, `cli/${name}/usage.txt`] as const),
    ["npm test", "tests/usage.txt"],
    ["npm run bench", "tests/bench/usage.txt"],
    ["npm run guest", "tests/guest/usage.txt"],
    ["npm run docs", "tools/reference/usage.txt"],
  ];
}

export function commandsPage(): string {
  const usageOf = (path: string) => readFileSync(new URL(path, root), "utf8").trimEnd();
  const parts = usages().map(([command, path]) => `## ${command}\n\n\`\`\`text\n${usageOf(path)}\n\`\`\``);
  const intro = "What each command prints with `--help` (`npm run <command> -- --help`).";
  return `${["# Commands", GENERATED, intro, ...parts].join("\n\n")}\n`;
}
