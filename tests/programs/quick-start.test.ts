/**
 * Modules that the program does not load at its start, and that stay available on request. One process starts like
 * Pulumi's, and another without the arguments that make it quick.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Node's arguments as Pulumi starts the program. */
const nodeargs: string[] = parse(
  readFileSync(join(root, "Pulumi.yaml"), "utf8"),
).runtime.options.nodeargs.split(" ");

const packages = ["typescript", "@npmcli/arborist", "@grpc/grpc-js"];

interface Answers {
  /** Those of {@link packages} that are loaded. */
  readonly loaded: readonly string[];
  /** A promise that never ends: its count, frames of its stack trace, the SDK's message, and a trace's usual length. */
  readonly leak: {
    readonly size: number;
    readonly frames: number;
    readonly lines: readonly string[];
    readonly limit: number;
  };
  /** The part of a debug message and a warning that reaches the engine. */
  readonly sent: readonly string[];
  /** A function in the form that is sent, and npm's resolver. */
  readonly sendable: readonly [text: string, resolver: string];
  /** The error for a function that cannot be sent. */
  readonly unsendable: string;
}

/** A program with Pulumi's own start. Modules that it loads to answer come after the recorded ones. */
const program = (file: string) => `
import { createRequire } from "node:module";
const require = createRequire("${root}index.ts");
require("source-map-support/register");
const hooks = require("@pulumi/pulumi/runtime/closure/v8Hooks.js");
await hooks.isInitializedAsync();
const pulumi = await import("@pulumi/pulumi");

const isLoaded = (name) => Object.entries(require.cache).some(([path, { children }]) => path.includes("/node_modules/" + name + "/") && children?.length > 0 || path.endsWith("/typescript/lib/typescript.js") && name === "typescript");
const loaded = ${JSON.stringify(packages)}.filter(isLoaded);

const debuggable = require("@pulumi/pulumi/runtime/debuggable.js");
const endless = new Promise(() => {});
debuggable.debuggablePromise(endless, "endless");
const lines = [];
const { error } = console;
console.error = (line) => lines.push(line);
const [{ size }] = debuggable.leakedPromises();
console.error = error;
const leak = { size, frames: endless._debugStackTrace.split("\\n").length - 1, lines, limit: Error.stackTraceLimit };

const settings = require("@pulumi/pulumi/runtime/settings.js");
const { getEngine } = settings;
const sent = [];
settings.getEngine = () => ({ log: (request, done) => { sent.push(request.getMessage()); done(); } });
await pulumi.log.debug("a detail");
await pulumi.log.warn("a warning");
settings.getEngine = getEngine;

const { text } = await pulumi.runtime.serializeFunction((a) => a + 1);
const sendable = [text, typeof require("@npmcli/arborist").Arborist];
const { lost } = await import("${file}");
const { message: unsendable } = await pulumi.runtime.serializeFunction(lost).catch((error) => error);

console.log(JSON.stringify({ loaded, leak, sent, sendable, unsendable }));
process.exit();
`;

function answers(args: readonly string[], more: NodeJS.ProcessEnv = {}): Answers {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-quick-start-"));
  try {
    const file = join(directory, "native.mjs");
    writeFileSync(file, "const largest = Math.max.bind(null);\nexport const lost = () => largest(1, 2);\n");
    const all = [...args, "--input-type=module", "--eval", program(file)];
    const env = { ...process.env, ...more };
    return JSON.parse(execFileSync(process.execPath, all, { cwd: root, encoding: "utf8", env }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const usual = answers([]);
const quick = answers(nodeargs);
const asked = answers(nodeargs, { PULUMI_DEBUG_PROMISE_LEAKS: "1", PULUMI_OPTION_DEBUG: "true" });

it("leaves out the compiler and npm's resolver", () => {
  expect(usual.loaded).toEqual(packages);
  expect(quick.loaded).toEqual(["@grpc/grpc-js"]);
});

it("keeps no stack trace with each promise, and still finds those that never end", () => {
  expect(quick.leak).toEqual({ size: 1, frames: 0, lines: [], limit: 10 });
});

it("has their stack traces on request", () => {
  expect(asked.leak).toMatchObject({
    frames: 2,
    lines: ["Promise leak detected:", expect.stringMatching(/^CONTEXT\(\d+\): endless\nSTACK_TRACE:\n/)],
  });
});

it("sends debug messages only on request", () => {
  expect(quick.sent).toEqual(["a warning"]);
  expect(asked.sent).toEqual(["a detail", "a warning"]);
});

it("sends a function unchanged, and has npm's resolver", () => {
  expect(quick.sendable).toEqual([expect.stringContaining("a + 1"), "function"]);
  expect(quick.sendable).toEqual(usual.sendable);
});

it("names a function that cannot be sent with its file, unchanged", () => {
  expect(quick.unsendable).toContain("native.mjs");
  expect(quick.unsendable.replace(/egress-bench-quick-start-\w+/g, "")).toBe(
    usual.unsendable.replace(/egress-bench-quick-start-\w+/g, ""),
  );
});
