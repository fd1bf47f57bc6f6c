import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { getSystemErrorMessage } from "node:util";
import ssh2 from "ssh2";
import sshpk from "sshpk";
import type { Operation } from "./operations.ts";
import type { Properties } from "./shared/envelopes.ts";

/** Login to one SSH server, from a `connection` or its `proxy`. Every value is plain. */
interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** @default the keys of the SSH agent */
  readonly privateKey?: string;
  /** @default any key is accepted */
  readonly hostKey?: string;
  /** Failed dials before giving up; -1 is no limit. */
  readonly dialErrorLimit: number;
  /** Seconds that one TCP connection may take; 0 is no limit. */
  readonly perDialTimeout: number;
}

/** A `connection` input, checked and plain. */
interface Connection extends Endpoint {
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
  const login = loginOf(connection);
  const { proxy } = connection;
  if (proxy === undefined) {
    return retryDial(operation, "Dial", connection.dialErrorLimit, () =>
      dialDirectly(operation, connection, login, opened),
    );
  }
  try {
    return await dialThroughProxy(operation, connection, proxy, login, opened);
  } catch (error) {
    if (operation.signal.aborted) throw error;
    throw new Error(`proxy: ${(error as Error).message}`, { cause: error });
  }
}

async function dialThroughProxy(
  operation: Operation,
  target: Connection,
  proxy: Endpoint,
  login: ssh2.ConnectConfig,
  opened: Opened,
): Promise<ssh2.Client> {
  const proxyLogin = loginOf(proxy);
  const proxyClient = await retryDial(operation, "Dial proxy", proxy.dialErrorLimit, () =>
    dialDirectly(operation, proxy, proxyLogin, opened),
  );
  const stream = await retryDial(operation, "Dial from proxy", target.dialErrorLimit, () =>
    forward(proxyClient, target),
  );
  let isFirst = true;
  return retryDial(operation, "Dial", target.dialErrorLimit, () => {
    // The real plugin repeats a failed handshake on the same stream, which has ended by then.
    if (!isFirst) throw new Error("ssh: handshake failed: EOF");
    isFirst = false;
    return handshake(stream, login, opened);
  });
}

async function dialDirectly(
  operation: Operation,
  endpoint: Endpoint,
  login: ssh2.ConnectConfig,
  opened: Opened,
): Promise<ssh2.Client> {
  return handshake(await connectTcp(endpoint, operation.cancelled), login, opened);
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

/**
 * Reads an endpoint's keys, so that a bad one fails before anything is dialled.
 *
 * @throws Error in the real plugin's words when a key cannot be read
 */
function loginOf({ user, privateKey, hostKey, perDialTimeout }: Endpoint): ssh2.ConnectConfig {
  const expected = hostKey === undefined ? undefined : ssh2.utils.parseKey(hostKey);
  if (expected instanceof Error) throw new Error("failed to parse host key: ssh: no key found");
  const agent = process.env.SSH_AUTH_SOCK;
  return {
    username: user,
    // A key and the agent are the same method, so the agent is not asked after a key has failed.
    ...(privateKey === undefined ? agent && { agent } : { privateKey: readableKey(privateKey) }),
    // The real plugin waits without end for a silent listener.
    readyTimeout: perDialTimeout * 1000,
    ...(expected && {
      algorithms: { serverHostKey: [expected.type as ssh2.ServerHostKeyAlgorithm] },
      hostVerifier: (key: Buffer) => expected.getPublicSSH().equals(key),
    }),
  };
}

/** A private key in OpenSSH's format: ssh2 does not read PKCS #8, as Go does. */
function readableKey(privateKey: string): string {
  try {
    return sshpk.parsePrivateKey(privateKey).toString("ssh");
  } catch (error) {
    const isLocked = (error as Error).name === "KeyEncryptedError";
    throw new Error(`ssh: ${isLocked ? "this private key is passphrase protected" : "no key found"}`, {
      cause: error,
    });
  }
}

function handshake(sock: Duplex, login: ssh2.ConnectConfig, opened: Opened): Promise<ssh2.Client> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    opened.push(client);
    const fail = (error?: Error) => {
      reject(new Error(`ssh: handshake failed: ${handshakeFailure(error)}`));
      client.end();
    };
    client.once("ready", () => resolve(client));
    client.on("error", fail); // stays: an error after the handshake shows as a closed session
    client.once("close", () => fail());
    client.connect({ sock, ...login });
  });
}

/** Why a handshake failed, in the real plugin's words: `engine-words.ts` of the commands reads them. */
function handshakeFailure(error: Error | undefined): string {
  const text = error?.message ?? "";
  if (/authentication methods failed/.test(text)) {
    return "ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain";
  }
  if (/Host denied/.test(text)) return "ssh: host key mismatch";
  if (text === "" || /Connection lost/.test(text)) return "EOF";
  return (error as NodeJS.ErrnoException).syscall ? `read: ${systemErrorText(error)}` : text;
}

/** The system's name of an error, such as `no such file or directory`. */
function systemErrorText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return typeof errno === "number" ? getSystemErrorMessage(errno) : message;
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
    await sleep(delay, undefined, { signal: operation.signal }).catch(() => {});
    operation.signal.throwIfAborted();
    delay = Math.min(delay * BACKOFF, MAX_DELAY_MS);
  }
}
