/** Files stay under 300 lines, but for what is generated or recorded. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const MOST = 300;

test("no file of code is longer", () => {
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "*.ts", "*.py", "*.sh"], {
    cwd: root,
    encoding: "utf8",
  });
  const code = files
    .split("\0")
    .filter((path) => path !== "" && !/generated|fixtures|__snapshots__/.test(path));
  const lengths = code.map(
    (path) => [path, readFileSync(root + path, "utf8").split("\n").length - 1] as const,
  );
  expect(lengths.length).toBeGreaterThan(500);
  expect(lengths.filter(([, lines]) => lines > MOST)).toEqual([]);
});
