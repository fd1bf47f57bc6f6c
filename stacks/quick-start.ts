/**
 * A faster start that loads parts of the SDK only when they are used. It is Node's first module (`nodeargs` of Pulumi.yaml),
 * so that Pulumi's own start is shorter as well. Loaded on use:
 *
 * - the TypeScript compiler and npm's dependency resolver, which every import of the SDK loads to send functions to a
 *   cloud: half of a start's time and a quarter of its memory;
 * - the debugger, which tells the SDK where a function is defined: it follows the load of every module, another tenth;
 * - the stack trace of each promise, which only `PULUMI_DEBUG_PROMISE_LEAKS` prints: a tenth of a large program's time;
 * - the SDK's debug messages, three calls of the engine per resource: a sixth. `PULUMI_OPTION_DEBUG=true`, Pulumi's
 *   `--debug`, keeps them.
 *
 * Nothing changes under an SDK with other files.
 */
import type { Session } from "node:inspector";
import { createRequire, Module } from "node:module";

const own = createRequire(import.meta.url);

/** Replaces a module that is not loaded yet by its exports. */
function standIn(require: NodeJS.Require, name: string, exports: (load: () => object) => object): void {
  const path = require.resolve(name);
  if (require.cache[path] !== undefined) {
    return;
  }
  const module = new Module(path);
  let loaded: object | undefined;
  const load = (): object => {
    if (loaded === undefined) {
      delete require.cache[path];
      loaded = require(path) as object;
    }
    return loaded;
  };
  module.loaded = true;
  module.exports = exports(load);
  require.cache[path] = module;
}

/** A module that is loaded at the first access to a member. */
function whenLookedInto(load: () => object): object {
  // TypeScript's import helper first reads `__esModule`; otherwise it copies all members.
  return new Proxy({}, { get: (_, key) => key === "__esModule" || Reflect.get(load(), key) });
}

interface V8Hooks {
  isInitializedAsync(): Promise<void>;
  getSessionAsync(): Promise<Session>;
  getScriptUrl(id: string): string | undefined;
}

/** The SDK's debugger, started when a function is sent. */
function debuggerLater(load: () => object): V8Hooks {
  let session: Promise<Session> | undefined;
  const start = async () => {
    const started = await (load() as V8Hooks).getSessionAsync();
    // A restart lists the modules that exist already; the first start has no listener yet.
    started.post("Debugger.disable");
    started.post("Debugger.enable");
    return started;
  };
  return {
    isInitializedAsync: async () => {},
    getSessionAsync: () => {
      session ??= start();
      return session;
    },
    getScriptUrl: (id) => (load() as V8Hooks).getScriptUrl(id),
  };
}

/** A module that is loaded at the first access to any but these members. */
function withOwn(members: (load: () => object) => object) {
  return (load: () => object): object =>
    new Proxy(members(load), {
      get: (own, key) => key === "__esModule" || Reflect.get(Reflect.has(own, key) ? own : load(), key),
    });
}

type DebuggablePromise = (promise: Promise<unknown>, context: unknown) => Promise<unknown>;

/** The SDK's detection of promises that never end, without their stack traces. */
const withoutTraces = withOwn((load) => ({
  debuggablePromise: ((promise, context) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return (load() as { debuggablePromise: DebuggablePromise }).debuggablePromise(promise, context);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }) satisfies DebuggablePromise,
}));

/** The SDK's log without debug messages, which the engine shows only on request. */
const withoutDebugMessages = withOwn(() => ({ debug: () => Promise.resolve() }));

try {
  const sdk = createRequire(own.resolve("@pulumi/pulumi"));
  standIn(own, "@pulumi/pulumi/runtime/closure/v8Hooks.js", debuggerLater);
  standIn(own, "@pulumi/pulumi/typescript-shim.js", whenLookedInto);
  if (!process.env.PULUMI_DEBUG_PROMISE_LEAKS) {
    standIn(own, "@pulumi/pulumi/runtime/debuggable.js", withoutTraces);
  }
  if (!process.env.PULUMI_OPTION_DEBUG) {
    standIn(own, "@pulumi/pulumi/log/index.js", withoutDebugMessages);
  }
  standIn(sdk, "@npmcli/arborist", whenLookedInto);
} catch {
  // Another SDK version: it starts as usual.
}
