/** What the program does not load to start, and that it is there for those who ask. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

function evaluate(program: string): unknown {
  const args = ["--input-type=module", "--eval", program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }));
}

const loaded = `
import { createRequire } from "node:module";
const require = createRequire("${root}index.ts");
const loaded = (name) => Object.entries(require.cache).some(([path, { children }]) => path.includes("/node_modules/" + name + "/") && children?.length > 0 || path.endsWith("/typescript/lib/typescript.js") && name === "typescript");
const names = ["typescript", "@npmcli/arborist", "@grpc/grpc-js"];`;

it("leaves out the compiler and npm's resolver, which the SDK would load", () => {
  const report = "console.log(JSON.stringify(names.filter(loaded)));";
  const sdk = 'await import("@pulumi/pulumi");';
  expect(evaluate(`${loaded}\n${sdk}\n${report}`)).toEqual([
    "typescript",
    "@npmcli/arborist",
    "@grpc/grpc-js",
  ]);
  const quick = `await import("${root}stacks/quick-start.ts");`;
  expect(evaluate(`${loaded}\n${quick}\n${sdk}\n${report}`)).toEqual(["@grpc/grpc-js"]);
});

it("has both for those who ask: a function is sent as without it", () => {
  const serialize = `
const pulumi = await import("@pulumi/pulumi");
const { text } = await pulumi.runtime.serializeFunction((a) => a + 1);
const { Arborist } = require("@npmcli/arborist");
console.log(JSON.stringify([text, typeof Arborist]));`;
  const quick = `await import("${root}stacks/quick-start.ts");`;
  const own = evaluate(`${loaded}\n${quick}\n${serialize}`);
  expect(own).toEqual(evaluate(`${loaded}\n${serialize}`));
  expect(own).toEqual([expect.stringContaining("a + 1"), "function"]);
});
