/**
 * A start without what this program has no use for: to send functions to a cloud, every import of the SDK loads the
 * TypeScript compiler and npm's dependency resolver, which are half of a start's time and a quarter of its memory. They
 * are loaded when somebody looks into them. Where a later SDK has other files, nothing changes.
 *
 * Imported before the SDK.
 *
 * @module
 */
import { createRequire, Module } from "node:module";

const own = createRequire(import.meta.url);

/** Puts something in a module's place that loads it when it is used. */
function loadLater(require: NodeJS.Require, name: string): void {
  const path = require.resolve(name);
  if (require.cache[path] !== undefined) {
    return;
  }
  const standIn = new Module(path);
  const load = (): object => {
    delete require.cache[path];
    return require(path);
  };
  let loaded: object | undefined;
  standIn.loaded = true;
  standIn.exports = new Proxy(
    {},
    {
      get(_, key) {
        // What TypeScript's import helper asks first: otherwise it copies what it finds.
        if (key === "__esModule") {
          return true;
        }
        loaded ??= load();
        return Reflect.get(loaded, key);
      },
    },
  );
  require.cache[path] = standIn;
}

try {
  loadLater(own, "@pulumi/pulumi/typescript-shim.js");
  loadLater(createRequire(own.resolve("@pulumi/pulumi")), "@npmcli/arborist");
} catch {
  // Another SDK: it starts as it does by itself.
}
