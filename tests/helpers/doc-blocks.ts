/**
 * The code blocks of the documents. Every block has a language; the words after it say how it is checked:
 *
 * - `sh run`: each line runs in the tests; `sh pulumi`: with the engine (tests/engine/setup/). `sh cloud`, `sh network`,
 *   `sh lab`, `sh machine`: it needs an account, the internet, the lab, or changes the machine, and is checked without
 *   running it. So only marked blocks run.
 * - `yaml`: passes the schemas. `yaml azure`, `yaml aws`, `yaml hosts`: those of that cloud.
 * - `yaml program`, `go program`, `python program`: run or compile in tests/languages.
 * - `ts`: compiles against the packed library.
 * - `text`: output for readers only.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface DocBlock {
  /** Path and line of its opening fence. */
  readonly place: string;
  readonly language: string;
  /** The words after the language. */
  readonly words: readonly string[];
  readonly text: string;
}

/** Paths of all documents except the changelog, whose old commands may no longer work. */
function documentPaths(): string[] {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
  return execFileSync("git", list, { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && !path.startsWith("tests/fixtures/") && path !== "CHANGELOG.md")
    .filter((path) => existsSync(join(root, path)));
}

/** All blocks of a document, in order. */
export function blocksOf(path: string): DocBlock[] {
  const text = readFileSync(join(root, path), "utf8");
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map((match) => {
    const [, indent = "", info = "", body = ""] = match;
    const [language = "", ...words] = info.trim().split(/\s+/);
    const line = text.slice(0, match.index).split("\n").length;
    return {
      place: `${path}:${line}`,
      language,
      words,
      text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    };
  });
}

/** The text under a document's heading of level 2, by the heading's name in a link; "" where there is none. */
export function sectionOf(path: string, anchor: string): string {
  const sections = readFileSync(join(root, path), "utf8").split(/^## /m);
  return sections.find((one) => anchorOf(one.split("\n")[0] ?? "") === anchor) ?? "";
}

/** A heading's name in a link, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

export const allBlocks: readonly DocBlock[] = documentPaths().flatMap(blocksOf);

/** The commands of a shell block: without comments and here documents, with continued lines joined. */
export function commandsOf({ text }: DocBlock): string[] {
  return text
    .replaceAll(/<<'(\w+)'\n[\s\S]*?^\1$/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}
