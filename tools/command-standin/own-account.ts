import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import * as grpc from "@grpc/grpc-js";

/** 127.0.0.1 in the format of `/proc/net/tcp`; the plugin listens on it. */
const LOOPBACK = "0100007F";
const ESTABLISHED = "01";

/**
 * Serves on a free port of 127.0.0.1, only for this process's own account, the engine's, since every local user can
 * connect. Linux only; other systems accept all. A connection's owner is looked up once, when it is made: the kernel goes
 * through all of the machine's connections.
 * @param serverWith Makes a server of the same services with interceptors.
 * @returns the port
 */
export async function serveOwnAccount(
  serverWith: (interceptors: grpc.ServerInterceptor[]) => grpc.Server,
): Promise<number> {
  const own = connectionsOf(serverWith([]));
  const sockets = createServer((socket) => {
    const owner = ownerOf(socket);
    const isOwn = owner === undefined || owner === process.getuid?.();
    const connections = isOwn ? own : connectionsOf(serverWith([refusalOf(owner)]));
    connections.injectConnection(socket);
  });
  sockets.listen(0, "127.0.0.1");
  await once(sockets, "listening");
  return (sockets.address() as AddressInfo).port;
}

function connectionsOf(server: grpc.Server): grpc.ConnectionInjector {
  return server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
}

function refusalOf(owner: number | null): grpc.ServerInterceptor {
  const details = `expected a call of this plugin's own account, got one of user ${owner ?? "unknown"}`;
  return (_, call) => {
    const refuse = () => call.sendStatus({ code: grpc.status.PERMISSION_DENIED, details });
    const listener = new grpc.ServerListenerBuilder().withOnReceiveMetadata(refuse).build();
    return new grpc.ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

/**
 * The account of a connection's other end.
 * @returns null where the kernel no longer has the connection, undefined where there is no table to ask
 */
function ownerOf({ localPort, remotePort }: Socket): number | null | undefined {
  if (process.platform !== "linux") return undefined;
  const [from, to] = [remotePort, localPort].map((port) => `${LOOPBACK}:${hex(port)}`);
  for (const row of readFileSync("/proc/net/tcp", "latin1").split("\n")) {
    // Number, local and remote address, state, queues, timer, retries, user id.
    const [, local, remote, state, , , , owner] = row.trim().split(/\s+/);
    if (local === from && remote === to && state === ESTABLISHED) return Number(owner);
  }
  return null;
}

function hex(port = 0): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
