/**
 * Serves a provider to the engine that started this process.
 *
 * @module
 */
import * as grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";

/** Prints the port, which is all that the engine wants on stdout, and ends with the engine. */
export function serve(service: grpc.UntypedServiceImplementation): void {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  server.addService(providerGrpc.ResourceProviderService, service);
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    console.log(String(port));
  });
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.exit(0), 2000).unref();
}
