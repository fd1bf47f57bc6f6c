/**
 * Lints and formats the Python of hosts with Ruff, by the settings of `agent/ruff.toml`. The function that components/aws/
 * hands to Lambda is of a later Python.
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

const LAMBDA = "components/aws";
const root = fileURLToPath(new URL("../", import.meta.url));
/** Python of hosts, of NAT instances, of Lambda, and of the trials of pairs. */
const directories = ["agent", "components", "tests/lab/pair-trial"];
const write = process.argv.includes("--write");

const settings = parse(readFileSync(join(root, "agent/ruff.toml"), "utf8"));
const ruff = new Workspace(settings, PositionEncoding.Utf16);
const ofLambda = new Workspace({ ...settings, "target-version": "py310" }, PositionEncoding.Utf16);

/** A visit says on any Python 3 that it is too old: no f-strings, and a check of the version. */
const VISIT = "components/existing/visit.py";
const { ignore } = settings.lint as { ignore: string[] };
const ofVisit = new Workspace(
  {
    ...settings,
    "line-length": 120,
    lint: { ...(settings.lint as object), ignore: [...ignore, "UP032", "UP036", "PLW1510"] },
  },
  PositionEncoding.Utf16,
);

/** The checker for a file's Python. */
const ruffOf = (path: string) => (path === VISIT ? ofVisit : path.startsWith(`${LAMBDA}/`) ? ofLambda : ruff);

/** The text with Ruff's own fixes of what it found, last first so that places before them stay. */
function fixed(workspace: Workspace, text: string): string {
  const lines = text.split("\n");
  const edits = (workspace.check(text) as Diagnostic[]).flatMap(({ fix }) => fix?.edits ?? []);
  for (const { content, location: from, end_location: to } of edits.reverse()) {
    const kept = (lines[from.row - 1] ?? "").slice(0, from.column - 1);
    const rest = (lines[to.row - 1] ?? "").slice(to.column - 1);
    lines.splice(from.row - 1, to.row - from.row + 1, ...`${kept}${content ?? ""}${rest}`.split("\n"));
  }
  return lines.join("\n");
}

/** What is wrong with one of the files, after `--write` what is left. */
function findings(path: string): string[] {
  const file = join(root, path);
  const workspace = ruffOf(path);
  const text = readFileSync(file, "utf8");
  const mended = write ? workspace.format(fixed(workspace, text)) : text;
  if (mended !== text) {
    writeFileSync(file, mended);
  }
  const found = (workspace.check(mended) as Diagnostic[]).map(
    ({ code, message, start_location: { row, column } }) =>
      `${path}:${row}:${column}: ${code ?? "syntax"} ${message}`,
  );
  return workspace.format(mended) === mended
    ? found
    : [`${path}: not formatted; run: npm run format`, ...found];
}

const files = directories.flatMap((directory) =>
  readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".py"))
    .map((path) => join(directory, path)),
);
const lines = files.sort().flatMap(findings);
for (const line of lines) console.log(line);
process.exitCode = lines.length > 0 ? 1 : 0;
