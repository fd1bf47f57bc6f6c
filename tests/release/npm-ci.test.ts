/**
 * `npm ci` with the npm versions and the Node versions that people have takes package-lock.json. A dry run: that the
 * registry has what it pins is not proved.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { fetchedPackage, nodeBinary } from "../helpers/fetched-packages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const project = mkdtempSync(`${tmpdir()}/egress-bench-npm-ci-`);
afterAll(() => rmSync(project, { recursive: true, force: true }));
for (const file of ["package.json", "package-lock.json"]) {
  copyFileSync(join(root, file), join(project, file));
}

const pairs = ["20.20.2", "22.12.0", "24.21.0"].flatMap((node) =>
  ["10.9.9", "11.21.2"].map((npm) => [node, npm] as const),
);

test.each(pairs)("on Node %s with npm %s", (node, npm) => {
  const cli = join(fetchedPackage("npm", npm), "bin/npm-cli.js");
  const args = [cli, "ci", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  expect(execFileSync(nodeBinary(node), args, { cwd: project, encoding: "utf8", stdio: "pipe" })).toMatch(
    /^add vitest /m,
  );
});
