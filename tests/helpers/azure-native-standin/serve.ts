/** Serves a provider to the engine that started this process. */
import * as grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";

/** Prints the port, the only output that the engine expects, and ends with the engine. */
export async function serve(service: grpc.UntypedServiceImplementation): Promise<void> {
  console.log(String(await listen(providerGrpc.ResourceProviderService, service)));
  endWithParent();
}

/** @returns the port on 127.0.0.1 */
export function listen(
  definition: grpc.ServiceDefinition,
  service: grpc.UntypedServiceImplementation,
): Promise<number> {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  server.addService(definition, service);
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

/** Ends this process when its parent was killed. */
export function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.exit(0), 2000).unref();
}
