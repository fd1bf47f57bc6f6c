/** Generates the page with the options of each command, from their `--help`. */
import { readFileSync } from "node:fs";
import { commands } from "../../cli/commands.ts";
import { helpOf } from "../../cli/program.ts";
import { GENERATED } from "./generated.ts";

const root = new URL("../../", import.meta.url);

/** Each command's help, the program's first: npm scripts have a name of one word, by which `setup/run.sh` finds theirs. */
function helps(): (readonly [title: string, text: string])[] {
  const usages = {
    setup: "setup/usage.txt",
    test: "tests/usage.txt",
    bench: "tests/bench/usage.txt",
    guest: "tests/guest/usage.txt",
    docs: "tools/reference/usage.txt",
  };
  return [
    ...Object.entries(commands).map(([script, command]) => [script, helpOf(command)] as const),
    ...Object.entries(usages).map(
      ([script, path]) => [script, readFileSync(new URL(path, root), "utf8")] as const,
    ),
  ];
}

export function commandsPage(): string {
  const parts = helps().map(([title, text]) => `## ${title}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\``);
  const intro =
    "What each command prints with `--help`: `egress-bench choose --help`, or in a clone `npm run choose -- --help`.";
  return `${["# Commands", GENERATED, intro, ...parts].join("\n\n")}\n`;
}
