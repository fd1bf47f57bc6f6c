/**
 * Long-lived stand-ins of providers, and a language host for one program: `main.ts <JSON of Attached>`.
 * Prints their ports as JSON, and ends with the process that started it.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type * as grpc from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import languageProto from "@pulumi/pulumi/proto/language_pb.js";
import type pluginProto from "@pulumi/pulumi/proto/plugin_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import { endWithParent, listen } from "../azure-native-standin/serve.ts";
import type { Attached, Ports, Provider } from "./start.ts";

type Service = grpc.UntypedServiceImplementation;

/** Serves a provider to the engine at an address. A stand-in is loaded only on demand. */
const load: Record<Provider, (cloud: string, faults: string) => Promise<(engine?: string) => Service>> = {
  aws: async (cloud, faults) => {
    const { awsService } = await import("../aws-standin/service.ts");
    return () => awsService(cloud, faults);
  },
  "azure-native": async (cloud, faults) => {
    const { azureNativeService } = await import("../azure-native-standin/service.ts");
    return () => azureNativeService(cloud, faults);
  },
  command: async (_, faults) => {
    const { commandService } = await import("../azure-native-standin/command-service.ts");
    return (engine) => commandService(engine, faults);
  },
};

/** Gives every engine its own provider, as if it had started the plugin, so that cancellations do not carry over. */
function attachable(start: (engine?: string) => Service): Service {
  let current = start();
  const methods = Object.keys(current).map((name) => [
    name,
    (...call: [never, never]) => (current[name] as (...call: unknown[]) => void)(...call),
  ]);
  const attach: grpc.handleUnaryCall<pluginProto.PluginAttach, emptyProto.Empty> = (call, callback) => {
    current = start(call.request.getAddress());
    callback(null, new emptyProto.Empty());
  };
  return { ...Object.fromEntries(methods), attach };
}

/** The SDK's language host, with which its Automation API runs a function; each run reads the program's file again. */
function languageHost(program: string): Service {
  const { LanguageServer } = createRequire(import.meta.url)("@pulumi/pulumi/automation/server.js") as {
    LanguageServer: new (program: () => Promise<object>) => Service;
  };
  let runs = 0;
  const host = new LanguageServer(async () => ({
    ...(await import(`${pathToFileURL(program)}?run=${runs++}`)),
  }));
  const handshake: grpc.handleUnaryCall<unknown, languageProto.LanguageHandshakeResponse> = (_, callback) =>
    callback(null, new languageProto.LanguageHandshakeResponse());
  return Object.assign(host, { handshake });
}

const { providers, faults, program } = JSON.parse(process.argv[2] as string) as Attached;
const served = (Object.entries(providers) as [Provider, string | null][]).map(async ([name, cloud]) => {
  const service = attachable(await load[name](cloud ?? "", faults));
  return [name, await listen(providerGrpc.ResourceProviderService, service)] as const;
});
const ports: Ports = {
  providers: await Promise.all(served),
  language:
    program === undefined ? null : await listen(languageGrpc.LanguageRuntimeService, languageHost(program)),
};
console.log(JSON.stringify(ports));
endWithParent();
