/**
 * Lints and formats the host agent's Python with Ruff, by the settings of `agent/ruff.toml`.
 *
 * usage: node tests/python-lint.ts [--write]
 *
 * Prints a line a finding. `--write` fixes what Ruff can fix and formats. Exit status 1:
 * something is left to mend.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Diagnostic, PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs";
import { parse } from "smol-toml";

const directory = fileURLToPath(new URL("../agent/", import.meta.url));
const write = process.argv.includes("--write");

const settings = parse(readFileSync(join(directory, "ruff.toml"), "utf8"));
const ruff = new Workspace(settings, PositionEncoding.Utf16);

/** The text with Ruff's own fixes of what it found, last first so that places before them stay. */
function fixed(text: string): string {
  const lines = text.split("\n");
  const edits = (ruff.check(text) as Diagnostic[]).flatMap(({ fix }) => fix?.edits ?? []);
  for (const { content, location: from, end_location: to } of edits.reverse()) {
    const kept = (lines[from.row - 1] ?? "").slice(0, from.column - 1);
    const rest = (lines[to.row - 1] ?? "").slice(to.column - 1);
    lines.splice(from.row - 1, to.row - from.row + 1, ...`${kept}${content ?? ""}${rest}`.split("\n"));
  }
  return lines.join("\n");
}

/** What is wrong with one file, a line each. */
function findings(path: string): string[] {
  const file = join(directory, path);
  const text = readFileSync(file, "utf8");
  const formatted = ruff.format(write ? fixed(text) : text);
  if (formatted !== text && write) {
    writeFileSync(file, formatted);
  }
  const found = (ruff.check(formatted) as Diagnostic[]).map(
    ({ code, message, start_location: { row, column } }) =>
      `agent/${path}:${row}:${column}: ${code ?? "syntax"} ${message}`,
  );
  return formatted === text || write
    ? found
    : [`agent/${path}: not formatted; run: npm run format`, ...found];
}

const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".py"),
);
const lines = files.sort().flatMap(findings);
for (const line of lines) console.log(line);
process.exitCode = lines.length > 0 ? 1 : 0;
