/** What the program does not load to start, and that it is there for those who ask. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-quick-start-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** As Pulumi starts the program, or with no arguments of its own. */
const nodeargs: string[] = parse(
  readFileSync(join(root, "Pulumi.yaml"), "utf8"),
).runtime.options.nodeargs.split(" ");

/** What a program prints that has Pulumi's own beginning behind it. */
function evaluate(args: readonly string[], program: string, more: NodeJS.ProcessEnv = {}): unknown {
  const beginning = `
import { createRequire } from "node:module";
const require = createRequire("${root}index.ts");
require("source-map-support/register");
const hooks = require("@pulumi/pulumi/runtime/closure/v8Hooks.js");
await hooks.isInitializedAsync();
require("@pulumi/pulumi/cmd/run/tracing.js");
const pulumi = await import("@pulumi/pulumi");
`;
  const all = [...args, "--input-type=module", "--eval", beginning + program];
  const env = { ...process.env, ...more };
  return JSON.parse(execFileSync(process.execPath, all, { cwd: root, encoding: "utf8", env }));
}

it("leaves out the compiler, npm's resolver, what sends traces and the mapping of stack traces", () => {
  const report = `
const loaded = (name) => Object.entries(require.cache).some(([path, { children }]) => path.includes("/node_modules/" + name + "/") && children?.length > 0 || path.endsWith("/typescript/lib/typescript.js") && name === "typescript");
const names = ["typescript", "@npmcli/arborist", "@opentelemetry/sdk-trace-node", "source-map", "@grpc/grpc-js"];
console.log(JSON.stringify(names.filter(loaded)));`;
  const all = [
    "typescript",
    "@npmcli/arborist",
    "@opentelemetry/sdk-trace-node",
    "source-map",
    "@grpc/grpc-js",
  ];
  expect(evaluate([], report)).toEqual(all);
  expect(evaluate(nodeargs, report)).toEqual(["@grpc/grpc-js"]);
});

/** A promise that never ends, and what the SDK says of it. */
const leak = `
const debuggable = require("@pulumi/pulumi/runtime/debuggable.js");
const endless = new Promise(() => {});
debuggable.debuggablePromise(endless, "endless");
const lines = [];
console.error = (line) => lines.push(line);
const [{ size }] = debuggable.leakedPromises();
console.log(JSON.stringify({ size, frames: endless._debugStackTrace.split("\\n").length - 1, lines, limit: Error.stackTraceLimit }));`;

it("keeps no stack trace with each promise, and still finds those that never end", () => {
  expect(evaluate(nodeargs, leak)).toEqual({ size: 1, frames: 0, lines: [], limit: 10 });
});

it("has where each was made for those who ask", () => {
  expect(evaluate(nodeargs, leak, { PULUMI_DEBUG_PROMISE_LEAKS: "1" })).toMatchObject({
    frames: 2,
    lines: ["Promise leak detected:", expect.stringMatching(/^CONTEXT\(\d+\): endless\nSTACK_TRACE:\n/)],
  });
});

/** What of a debug message and a warning reaches the engine. */
const messages = `
const settings = require("@pulumi/pulumi/runtime/settings.js");
const sent = [];
settings.getEngine = () => ({ log: (request, done) => { sent.push(request.getMessage()); done(); } });
await pulumi.log.debug("a detail");
await pulumi.log.warn("a warning");
console.log(JSON.stringify(sent));`;

it.each<[string, NodeJS.ProcessEnv, string[]]>([
  ["no debug messages", {}, ["a warning"]],
  ["them to those who ask", { PULUMI_OPTION_DEBUG: "true" }, ["a detail", "a warning"]],
])("sends %s", (_, environment, sent) => {
  expect(evaluate(nodeargs, messages, environment)).toEqual(sent);
});

describe("has it for those who ask, as without it:", () => {
  const same = (program: string) => {
    const own = evaluate(nodeargs, program);
    expect(own).toEqual(evaluate([], program));
    return own;
  };

  it("a function is sent, and npm's resolver is there", () => {
    const program = `
const { text } = await pulumi.runtime.serializeFunction((a) => a + 1);
console.log(JSON.stringify([text, typeof require("@npmcli/arborist").Arborist]));`;
    expect(same(program)).toEqual([expect.stringContaining("a + 1"), "function"]);
  });

  it("a function that cannot be sent is named with its file", () => {
    const file = join(directory, "native.mjs");
    writeFileSync(file, "const largest = Math.max.bind(null);\nexport const lost = () => largest(1, 2);\n");
    const program = `
const { lost } = await import("${file}");
const { message } = await pulumi.runtime.serializeFunction(lost).catch((error) => error);
console.log(JSON.stringify(message));`;
    expect(same(program)).toContain("native.mjs");
  });

  it("traces start", () => {
    const program = `
const tracing = require("@pulumi/pulumi/cmd/run/tracing.js");
tracing.start("http://127.0.0.1:9/");
const span = tracing.newSpan("one");
console.log(JSON.stringify(span.isRecording()));
process.exit();`;
    expect(same(program)).toBe(true);
  });
});
