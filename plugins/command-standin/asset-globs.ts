import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileAsset, type Properties } from "../shared/envelopes.ts";

/**
 * The files under `directory` that the globs select, as assets by their relative paths.
 *
 * The rules apply in order; `!` excludes, `*` stops at `/`, `**` does not, `?` is one character.
 */
export async function globAssets(directory: string, globs: readonly string[]): Promise<Properties> {
  const rules = globs.map((glob) => ({
    excludes: glob.startsWith("!"),
    pattern: globPattern(glob.replace(/^!/, "")),
  }));
  const assets: Properties = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(directory, file);
    const last = rules.findLast((rule) => rule.pattern.test(path));
    if (last === undefined || last.excludes) continue;
    const hash = createHash("sha256").update(await readFile(file));
    assets[path] = fileAsset(file, hash.digest("hex"));
  }
  return assets;
}

function globPattern(glob: string): RegExp {
  const pattern = glob.replace(/\*\*|[*?]|[.+^${}()|[\]\\]/g, (token) => {
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    return `\\${token}`;
  });
  return new RegExp(`^${pattern}$`, "s");
}
