import { readFileSync } from "node:fs";
import * as grpc from "@grpc/grpc-js";

/** As `/proc/net/tcp` writes 127.0.0.1, which the plugin listens on. */
const LOOPBACK = "0100007F";
const ESTABLISHED = "01";

/** Lets in calls of this process's own account only, the engine's: 127.0.0.1 is everybody's. Linux only; else all. */
export function onlyOwnAccount(): grpc.ServerInterceptor {
  return (_, call) => {
    const owner = ownerOf(call.getConnectionInfo());
    if (owner === undefined || owner === process.getuid?.()) return new grpc.ServerInterceptingCall(call);
    const details = `expected a call of this plugin's own account, got one of user ${owner ?? "unknown"}`;
    const refuse = () => call.sendStatus({ code: grpc.status.PERMISSION_DENIED, details });
    const listener = new grpc.ServerListenerBuilder().withOnReceiveMetadata(refuse).build();
    return new grpc.ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

type Connection = ReturnType<grpc.ServerInterceptingCallInterface["getConnectionInfo"]>;

/**
 * The account that a connection's other end belongs to.
 *
 * @returns null where the kernel does not have the connection any more, undefined where there is no table to ask
 */
function ownerOf({ localPort, remotePort }: Connection): number | null | undefined {
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
