/**
 * A start without what this program has no use for. It is Node's first module (`nodeargs` of Pulumi.yaml), so that Pulumi's
 * own beginning is shorter as well. What is left out is loaded when somebody uses it:
 *
 * - the TypeScript compiler and npm's dependency resolver, which every import of the SDK loads to send functions to a
 *   cloud: half of a start's time and a quarter of its memory;
 * - what sends traces (`pulumi up --tracing`): a tenth of the time;
 * - the debugger, by which the SDK knows where a function stands that it sends: it sees every module being loaded, which
 *   is another tenth;
 * - the stack trace of each promise, which only `PULUMI_DEBUG_PROMISE_LEAKS` prints: a tenth of a large program's time;
 * - the SDK's debug messages, three calls of the engine a resource: a sixth. `PULUMI_OPTION_DEBUG=true` has them, which is
 *   `--debug` to Pulumi;
 *
 * Where a later SDK has other files, nothing changes.
 */
import type { Session } from "node:inspector";
import { createRequire, Module } from "node:module";

const own = createRequire(import.meta.url);

/** Puts exports in the place of a module that is not loaded yet. */
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

/** A module that is loaded when somebody looks into it. */
function whenLookedInto(load: () => object): object {
  // TypeScript's import helper first asks for `__esModule`: otherwise it copies what it finds.
  return new Proxy({}, { get: (_, key) => key === "__esModule" || Reflect.get(load(), key) });
}

/** A module of functions and classes that is loaded when one of them is called, not when it is named. */
function whenCalled(load: () => object): object {
  const memberOf = (key: string | symbol) => () => Reflect.get(load(), key);
  const later = (value: () => unknown): object => {
    // A function's prototype may be another one's; a class's may not.
    const proxy: object = new Proxy(function member() {}, {
      get: (_, key) => Reflect.get(value() as object, key),
      apply: (_, self, args) => Reflect.apply(value() as () => unknown, self, args),
      construct: (_, args, derived) => {
        const own = value() as new () => object;
        return Reflect.construct(own, args, derived === proxy ? own : derived);
      },
    });
    return proxy;
  };
  return new Proxy({}, { get: (_, key) => key === "__esModule" || later(memberOf(key)) });
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
    // Started anew it names the modules that are there already; the first time nobody listens yet.
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

/** A module that is loaded when somebody looks into it for another member than these. */
function withOwn(members: (load: () => object) => object) {
  return (load: () => object): object =>
    new Proxy(members(load), {
      get: (own, key) => key === "__esModule" || Reflect.get(Reflect.has(own, key) ? own : load(), key),
    });
}

type DebuggablePromise = (promise: Promise<unknown>, context: unknown) => Promise<unknown>;

/** The SDK's search for promises that never end, without where each was made. */
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

/** The SDK's log, without what the engine shows to nobody who has not asked for it. */
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
  for (const name of [
    "resources",
    "sdk-trace-base",
    "exporter-zipkin",
    "instrumentation-grpc",
    "sdk-trace-node",
  ]) {
    standIn(sdk, `@opentelemetry/${name}`, whenCalled);
  }
  standIn(sdk, "@opentelemetry/instrumentation", whenCalled);
} catch {
  // Another SDK: it starts as it does by itself.
}
