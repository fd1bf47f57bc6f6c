/** Shell in files: read without the parts for human readers, and given its data as settings. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { quote } from "../../bench/shell.ts";

/** Values for shell variables: a word, or words. Undefined and false become the empty word. */
export type Settings = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Text of a file beside the caller's, without a leading comment, which is for human readers.
 * @param base `import.meta.url` of the caller.
 */
export function textOf(name: string, base: string): string {
  const text = readFileSync(new URL(name, base), "utf8").replaceAll(/^ *# shellcheck .*\n/gm, "");
  return /^#(?!!)/.test(text) ? text.slice(text.indexOf("\n\n") + 2) : text;
}

/** Assignments of settings, one per line. */
export function assignments(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${quoted(wordOf(value))}\n`)
    .join("");
}

function wordOf(value: Settings[string]): string {
  if (typeof value === "object") {
    return value.join(" ");
  }
  return value === undefined || value === false ? "" : String(value);
}

function quoted(word: string): string {
  if (word === "") {
    return "";
  }
  return /^[\w .,:/@%+-]+$/.test(word) && word.includes(" ") ? `"${word}"` : quote(word);
}

/** A program: its purpose as a sentence, its settings, and the text of its files. */
export function program(what: string, settings: Settings, texts: readonly string[]): string {
  return `#!/bin/sh\n# ${what} Written by egress-bench.\n${assignments(settings)}${texts.join("\n")}`;
}

/** Python within shell, where indentation matters. */
const SOURCES = /(<<'END_OF_SOURCE'\n[\s\S]*?\nEND_OF_SOURCE\n)/;

/** Shell without comments, indentation and empty lines, which are for readers of the source. */
export function terse(script: string): string {
  const shell = (text: string) =>
    text
      .replaceAll(/^[ \t]*#(?!!).*\n/gm, "")
      .replaceAll(/^[ \t]+/gm, "")
      .replaceAll(/\n{2,}/g, "\n");
  return script
    .split(SOURCES)
    .map((part, at) => (at % 2 === 1 ? part : shell(part)))
    .join("");
}

/** A shell function that prints a text. @param end Line that does not occur in the text. */
export function printing(name: string, text: string, end = "END_OF_TEXT"): string {
  return `${name}() {\n  cat <<'${end}'\n${text}${end}\n}\n`;
}

/**
 * Shell command that runs the module `name` beside `importMetaUrl`: TypeScript in a checkout, JavaScript in the installed
 * package. A state keeps it, and the checkout may move: its set-up's environment says where it is now.
 */
export function siblingProgram(importMetaUrl: string, name: string): string {
  const node = `"$(command -v ${quote(process.execPath)} || command -v node)"`;
  const extension = importMetaUrl.endsWith(".ts") ? "ts" : "js";
  const path = fileURLToPath(new URL(`./${name}.${extension}`, importMetaUrl));
  const [, root, module] = /^(.*)(\/components\/.*\.ts)$/s.exec(path) ?? [];
  return root === undefined || module === undefined
    ? `${node} ${quote(path)}`
    : `${node} "\${EGRESS_BENCH_ROOT:-$(printf %s ${quote(root)})}"${quote(module)}`;
}
