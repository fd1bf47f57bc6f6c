/** Generates the page with the options of each command, from their `--help`. */
import { readFileSync } from "node:fs";
import { commands } from "../../cli/commands.ts";
import { helpOf } from "../../cli/program.ts";
import { GENERATED } from "./generated.ts";

const root = new URL("../../", import.meta.url);

/** What a developer's short commands do. All but `build` and `sample` take no option. */
const developers = {
  sample: `Usage: npm run sample [-- --read]

Measures a sample in the lab and takes the documents' pictures of its report: 5
minutes on an idle machine. --read: takes them from out/report.html.`,
  typecheck: "Usage: npm run typecheck\n\nChecks all types.",
  lint: "Usage: npm run lint\n\nChecks style and import rules, and changes nothing.",
  format: "Usage: npm run format\n\nMends what the linters can mend, and formats TypeScript and Python.",
  reference: "Usage: npm run reference\n\nWrites docs/reference/ and agent/contract.json anew.",
  build: "Usage: npm run build [-- DIRECTORY]\n\nBuilds the package's content, by default in dist/.",
};

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
    ...Object.entries(developers).map(
      ([script, text]) => [script, `${text}\n\nExit status: 0 done; 1 it failed; 2 wrong usage.`] as const,
    ),
  ];
}

export function commandsPage(): string {
  const parts = helps().map(([title, text]) => `## ${title}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\``);
  const intro =
    "What each command prints with `--help`: `egress-bench choose --help`, or in a clone `npm run choose -- --help`.";
  return `${["# Commands", GENERATED, intro, ...parts].join("\n\n")}\n`;
}
