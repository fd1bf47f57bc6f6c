/**
 * The offline stand-in for the Pulumi command provider plugin. The Pulumi engine starts it with the address of its log; it
 * prints only the port that it serves on to stdout.
 */
import { flushCompileCache } from "node:module";
import * as grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { createOperations, type Resource } from "./operations.ts";
import { serveOwnAccount } from "./own-account.ts";
import { providerService } from "./provider-service.ts";

const PARENT_CHECK_MS = 2000;

// Commands inherit the caller's environment, as from the real plugin, and not this process's cache.
const { CALLERS_COMPILE_CACHE: callers } = process.env;
delete process.env.CALLERS_COMPILE_CACHE;
delete process.env.NODE_COMPILE_CACHE;
Object.assign(process.env, callers ? { NODE_COMPILE_CACHE: callers } : {});

/** Loads a resource type's code, ssh2 above all, only when it is used. */
async function loadResource(type: string): Promise<Resource> {
  switch (type) {
    case "command:local:Command":
      return (await import("./local-command.ts")).localCommand;
    case "command:remote:Command":
      return (await import("./remote-command.ts")).remoteCommand;
    case "command:remote:CopyToRemote":
      return (await import("./copy-to-remote.ts")).copyToRemote;
    default:
      throw new Error(`${type}: the offline stand-in of the command plugin does not have this resource`);
  }
}

const resources = new Map<string, Promise<Resource>>();

function resourceOf(type: string): Promise<Resource> {
  const known = resources.get(type);
  if (known !== undefined) return known;
  const loading = loadResource(type);
  resources.set(type, loading);
  // The engine may kill this process at its end, before Node writes its cache.
  loading.then(
    () => flushCompileCache(),
    () => {},
  );
  return loading;
}

// The engine may put `-v=<level>`, `--logtostderr` and `--tracing <url>` before its address.
const operations = createOperations(process.argv.slice(2).at(-1));

function shutDown(): void {
  operations.cancelAll();
  process.exit(0);
}

process.once("SIGINT", shutDown);
process.once("SIGTERM", shutDown);
// A killed engine ends neither this process nor its commands.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && shutDown(), PARENT_CHECK_MS).unref();

const port = await serveOwnAccount((interceptors) => {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    interceptors,
  });
  server.addService(providerGrpc.ResourceProviderService, providerService(resourceOf, operations));
  return server;
});
console.log(String(port));
setImmediate(() => flushCompileCache());
