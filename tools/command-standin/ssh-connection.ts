import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import ssh2 from "ssh2";
import { systemErrorText } from "./go-text.ts";
import type { Operation } from "./operations.ts";
import type { Properties } from "./shared/envelopes.ts";
import {
  authenticator,
  type Credentials,
  type Endpoint,
  readCredentials,
  type TriedMethods,
} from "./ssh-credentials.ts";

/** A `connection` input, checked and plain. */
export interface Connection extends Endpoint {
  readonly proxy?: Endpoint;
}

/** The `connection` of inputs that have passed Check. */
export function connectionOf(inputs: Properties): Connection {
  return inputs.connection as unknown as Connection;
}

/**
 * Connects, uses the SSH client and disconnects; cancelling the update cuts the connection.
 *
 * @throws Error when a key is unreadable, or after the endpoint's limit of failed dials
 */
export async function withSsh<T>(
  operation: Operation,
  connection: Connection,
  use: (client: ssh2.Client) => Promise<T>,
): Promise<T> {
  operation.signal.throwIfAborted();
  const opened: ssh2.Client[] = [];
  const cut = () => {
    for (const client of opened) client.destroy();
  };
  operation.cancelled.addEventListener("abort", cut, { once: true });
  try {
    return await use(await dial(operation, connection, opened));
  } finally {
    operation.cancelled.removeEventListener("abort", cut);
    for (const client of opened.reverse()) client.end();
  }
}

type Opened = ssh2.Client[];

async function dial(operation: Operation, connection: Connection, opened: Opened): Promise<ssh2.Client> {
  const credentials = await readCredentials(connection);
  const { proxy } = connection;
  if (proxy === undefined) {
    return retryDial(operation, "Dial", connection.dialErrorLimit, () =>
      dialDirectly(operation, connection, credentials, opened),
    );
  }
  try {
    return await dialThroughProxy(operation, connection, proxy, credentials, opened);
  } catch (error) {
    if (operation.signal.aborted) throw error;
    throw new Error(`proxy: ${(error as Error).message}`, { cause: error });
  }
}

async function dialThroughProxy(
  operation: Operation,
  target: Connection,
  proxy: Endpoint,
  credentials: Credentials,
  opened: Opened,
): Promise<ssh2.Client> {
  const proxyCredentials = await readCredentials(proxy);
  const proxyClient = await retryDial(operation, "Dial proxy", proxy.dialErrorLimit, () =>
    dialDirectly(operation, proxy, proxyCredentials, opened),
  );
  const stream = await retryDial(operation, "Dial from proxy", target.dialErrorLimit, () =>
    forward(proxyClient, target),
  );
  let isFirst = true;
  return retryDial(operation, "Dial", target.dialErrorLimit, () => {
    // The real plugin repeats a failed handshake on the same stream, which has ended by then.
    if (!isFirst) throw new Error("ssh: handshake failed: EOF");
    isFirst = false;
    return handshake(stream, target, credentials, opened);
  });
}

async function dialDirectly(
  operation: Operation,
  endpoint: Endpoint,
  credentials: Credentials,
  opened: Opened,
): Promise<ssh2.Client> {
  return handshake(await connectTcp(endpoint, operation.cancelled), endpoint, credentials, opened);
}

function connectTcp(endpoint: Endpoint, cancelled: AbortSignal): Promise<Socket> {
  const { host, perDialTimeout } = endpoint;
  const port = Math.trunc(endpoint.port);
  const address = `dial tcp ${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, signal: cancelled });
    socket.setTimeout(perDialTimeout * 1000);
    socket.once("connect", () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once("timeout", () => socket.destroy(new Error(`${address}: i/o timeout`)));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.syscall === "getaddrinfo") reject(new Error(`dial tcp: lookup ${host}: no such host`));
      else if (error.syscall) reject(new Error(`${address}: ${error.syscall}: ${systemErrorText(error)}`));
      else reject(error);
    });
  });
}

function forward(proxy: ssh2.Client, target: Endpoint): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    proxy.forwardOut("127.0.0.1", 0, target.host, Math.trunc(target.port), (error, stream) => {
      if (error === undefined || error === null) return resolve(stream);
      const description = error.message.replace("(SSH) Channel open failure: ", "");
      reject(new Error(`ssh: rejected: connect failed (${description})`));
    });
  });
}

function handshake(
  sock: Duplex,
  { perDialTimeout }: Endpoint,
  credentials: Credentials,
  opened: Opened,
): Promise<ssh2.Client> {
  const { user, hostKey } = credentials;
  const tried: TriedMethods = [];
  let isOtherKey = false;
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    opened.push(client);
    const fail = (error?: Error) => {
      const reason = isOtherKey ? "ssh: host key mismatch" : handshakeFailure(error, tried, credentials);
      reject(new Error(`ssh: handshake failed: ${reason}`));
      client.end();
    };
    client.once("ready", () => resolve(client));
    client.on("error", fail); // stays: an error after the handshake shows as a closed session
    client.once("close", () => fail());
    client.connect({
      sock,
      username: user,
      authHandler: authenticator(credentials, tried),
      hostVerifier: (key: Buffer) => {
        isOtherKey = hostKey !== undefined && !hostKey.bytes.equals(key);
        return !isOtherKey;
      },
      // The real plugin waits without end for a silent listener.
      readyTimeout: perDialTimeout * 1000,
      ...(hostKey && { algorithms: { serverHostKey: [hostKey.algorithm as ssh2.ServerHostKeyAlgorithm] } }),
    });
  });
}

function handshakeFailure(error: Error | undefined, tried: TriedMethods, credentials: Credentials): string {
  const text = error?.message ?? "";
  if (/authentication methods failed/.test(text)) {
    return `ssh: unable to authenticate, attempted methods [${tried.join(" ")}], no supported methods remain`;
  }
  if (/no matching host key format/.test(text)) {
    const offered = credentials.hostKey?.algorithm ?? "";
    return `ssh: no common algorithm for host key; we offered: [${offered}]`;
  }
  if (text === "" || /Connection lost/.test(text)) return "EOF";
  return (error as NodeJS.ErrnoException).syscall ? `read: ${systemErrorText(error)}` : text;
}

// Pulumi's defaults: sdk/go/common/util/retry.
const FIRST_DELAY_MS = 100;
const BACKOFF = 1.5;
const MAX_DELAY_MS = 5000;

/**
 * Retries an operation at growing intervals.
 *
 * @param what Name of the operation, for the status that every failure shows
 * @param limit Most failures: with 2, the third one is thrown; below 0 there is no limit
 * @throws Error `after <limit> failed attempts: ...`, or the operation's reason to abort
 */
async function retryDial<T>(
  operation: Operation,
  what: string,
  limit: number,
  attempt: () => Promise<T>,
): Promise<T> {
  let delay = FIRST_DELAY_MS;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (limit >= 0 && failures > limit) {
        throw new Error(`after ${limit} failed attempts: ${(error as Error).message}`, { cause: error });
      }
    }
    operation.logStatus(`${what} ${failures}/${limit === -1 ? "inf" : limit} failed: retrying`);
    await abortableSleep(delay, operation.signal);
    delay = Math.min(delay * BACKOFF, MAX_DELAY_MS);
  }
}

async function abortableSleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
