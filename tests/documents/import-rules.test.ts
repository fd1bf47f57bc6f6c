/** The import rules of `.dependency-cruiser.mjs`. `npm run lint` and `npm test` check the tree itself by them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const configuration = `${root}.dependency-cruiser.mjs`;

test("a wrong import is refused, of a type too, and a right one is not", () => {
  const directory = mkdtempSync(`${tmpdir()}/egress-bench-imports-`);
  try {
    const files = {
      "bench/agent/protocol.ts": `export type Protocol = 1;`,
      "bench/right.ts": `export type { Protocol } from "../agent/protocol.ts";`,
      "bench/wrong.ts": `import "node:fs"; import "@pulumi/pulumi"; export * from "../cli/main.ts";`,
      "cli/main.ts": `export type { Protocol } from "../bench/right.ts";`,
      "components/index.ts": `export {} from "./aws/index.ts"; export {} from "./shared/host.ts";`,
      "components/aws/index.ts": `export {} from "../shared/host.ts"; import "@pulumi/azure-native/network/subnet.js";`,
      "components/azure/index.ts": `import type { Aws } from "../aws/index.ts";`,
      "components/shared/host.ts": `export {};`,
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(`${directory}/${file}`), { recursive: true });
      writeFileSync(`${directory}/${file}`, text);
    }
    expect(refusals(directory)).toEqual([
      "bench/wrong.ts: @pulumi/pulumi",
      "bench/wrong.ts: cli/main.ts",
      "bench/wrong.ts: fs",
      "components/aws/index.ts: @pulumi/azure-native/network/subnet.js",
      "components/azure/index.ts: components/aws/index.ts",
      "components/index.ts: components/aws/index.ts",
    ]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/** Each import of the directory's files that the rules refuse, as `file: module`. */
function refusals(directory: string): string[] {
  const cruiser = [
    `${root}node_modules/.bin/depcruise`,
    "--config",
    configuration,
    "--output-type",
    "json",
    ".",
  ];
  const output = execFileSync(process.execPath, cruiser, { cwd: directory, encoding: "utf8" });
  const { summary } = JSON.parse(output) as { summary: { violations: { from: string; to: string }[] } };
  return summary.violations.map(({ from, to }) => `${from}: ${to}`).sort();
}
