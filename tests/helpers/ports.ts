/** Ports of 127.0.0.1 for tests that run in parallel, also with other clones' tests. */
import { once } from "node:events";
import { createServer, type ListenOptions, type Server } from "node:net";

/**
 * Below the ports of lab hosts (from 20000) and the kernel's ephemeral ones (from 32768), which outgoing connections use.
 */
const FIRST_PORT = 10_000;
const PORT_COUNT = 10_000;

/** A port without a listener: tests never get one this low. */
export const CLOSED_PORT = 1;

/** A port without a listener that no other test gets while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    // An abstract socket, which the kernel releases with the process.
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

/** @returns undefined if another process listens */
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
