/** Ports of 127.0.0.1 for tests, which run side by side, also with those of another clone. */
import { once } from "node:events";
import { createServer, type ListenOptions, type Server } from "node:net";

/**
 * Below the ports of lab hosts (20000 on) and the kernel's ephemeral ones (32768 on), which every outgoing connection
 * takes from.
 */
const FIRST_PORT = 10_000;
const PORT_COUNT = 10_000;

/** A port on which nobody listens: no test is given one so low. */
export const CLOSED_PORT = 1;

/** A port that nobody listens on, and that no other test is given as long as this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    // An abstract socket: the kernel lets go of it with the process.
    const claim = await listening({ path: `\0egress-bench-test-port-${port}` });
    if (claim === undefined) continue;
    claim.unref();
    const listener = await listening({ port, host: "0.0.0.0" });
    if (listener === undefined) continue;
    listener.close();
    await once(listener, "close");
    return port;
  }
}

/** @returns undefined where somebody else listens */
async function listening(options: ListenOptions): Promise<Server | undefined> {
  const server = createServer();
  try {
    await once(server.listen(options), "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}
