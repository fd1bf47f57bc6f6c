import { connect } from "node:net";
import ssh2, { type AnyAuthMethod, type AuthenticationType, type NextAuthHandler } from "ssh2";
import sshpk from "sshpk";
import { systemErrorText } from "./go-text.ts";

/** Login to one SSH server, from a `connection` or its `proxy`. Every value is plain. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly privateKeyPassword?: string;
  readonly agentSocketPath?: string;
  /** Failed dials before giving up; -1 is no limit. */
  readonly dialErrorLimit: number;
  /** Seconds that one TCP connection may take; 0 is no limit. */
  readonly perDialTimeout: number;
  readonly hostKey?: string;
}

/** A server's public key: the algorithm's name and the bytes that the server shows. */
interface HostKey {
  readonly algorithm: string;
  readonly bytes: Buffer;
}

/** Everything to present and to expect in an SSH handshake. */
export interface Credentials {
  readonly user: string;
  readonly methods: readonly AnyAuthMethod[];
  readonly hostKey: HostKey | undefined;
}

/**
 * Reads an endpoint's keys, so that a bad one fails before anything is dialled.
 *
 * @throws Error in the real plugin's words when a key cannot be read or the agent does not answer
 */
export async function readCredentials(endpoint: Endpoint): Promise<Credentials> {
  const { user, password } = endpoint;
  const hostKey = endpoint.hostKey === undefined ? undefined : parseHostKey(endpoint.hostKey);
  const methods: AnyAuthMethod[] = [];
  if (endpoint.privateKey !== undefined) {
    const privateKey = inOpenSshFormat(endpoint.privateKey);
    requireReadableKey(privateKey, endpoint.privateKeyPassword);
    const passphrase = endpoint.privateKeyPassword;
    const encrypted = passphrase === undefined ? {} : { passphrase };
    methods.push({ type: "publickey", username: user, key: privateKey, ...encrypted });
  }
  if (password !== undefined) {
    methods.push(
      { type: "password", username: user, password },
      {
        type: "keyboard-interactive",
        username: user,
        prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map(() => password)),
      },
    );
  }
  const agent = endpoint.agentSocketPath ?? process.env.SSH_AUTH_SOCK;
  if (agent) {
    await requireAgent(agent);
    methods.push({ type: "agent", username: user, agent });
  }
  return { user, methods, hostKey };
}

/** The methods that an {@link authenticator} has tried, in SSH's names. */
export type TriedMethods = string[];

/**
 * Presents `none`, to learn the server's methods, and then each of them once. An agent and a private key are the same
 * method, so the agent is not asked after a private key has failed.
 */
export function authenticator(credentials: Credentials, tried: TriedMethods) {
  return (accepted: AuthenticationType[] | null, _partial: boolean | null, next: NextAuthHandler): void => {
    const methods: AnyAuthMethod[] = [{ type: "none", username: credentials.user }, ...credentials.methods];
    const method = methods.find((candidate) => {
      const name = sshName(candidate);
      return !tried.includes(name) && (name === "none" || accepted?.includes(name as AuthenticationType));
    });
    if (method !== undefined) tried.push(sshName(method));
    // ssh2 takes false for "nothing left", which its types leave out.
    next(method ?? (false as never));
  };
}

function sshName(method: AnyAuthMethod): string {
  return method.type === "agent" ? "publickey" : method.type;
}

/** Reads one line of authorized_keys: `ssh-ed25519 AAAA... comment`. @throws Error when there is no key in it */
function parseHostKey(text: string): HostKey {
  for (const line of text.split("\n")) {
    const words = line.trim().split(/\s+/);
    for (const [index, algorithm] of words.entries()) {
      const bytes = Buffer.from(words[index + 1] ?? "", "base64");
      if (bytes.length > 4 && keyAlgorithm(bytes) === algorithm) return { algorithm, bytes };
    }
  }
  throw new Error("failed to parse host key: ssh: no key found");
}

// A public key begins with the length and the name of its algorithm (RFC 4253, 6.6).
function keyAlgorithm(bytes: Buffer): string {
  return bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString("latin1");
}

/** ssh2 does not read PKCS #8, as Go does. */
function inOpenSshFormat(privateKey: string): string {
  if (!privateKey.startsWith("-----BEGIN PRIVATE KEY-----")) return privateKey;
  try {
    return sshpk.parsePrivateKey(privateKey, "pkcs8").toString("ssh");
  } catch {
    return privateKey;
  }
}

function requireReadableKey(privateKey: string, passphrase: string | undefined): void {
  const unlocked = ssh2.utils.parseKey(privateKey);
  if (passphrase === undefined) {
    if (unlocked instanceof Error) throw keyError(unlocked);
    return;
  }
  if (!(unlocked instanceof Error)) throw new Error("ssh: key is not password protected");
  const key = ssh2.utils.parseKey(privateKey, passphrase);
  if (key instanceof Error) throw keyError(key);
}

function keyError(error: Error): Error {
  const texts: [RegExp, string][] = [
    [/no passphrase given/, "ssh: this private key is passphrase protected"],
    [/bad passphrase|integrity check/, "x509: decryption password incorrect"],
    [/Unsupported key format/, "ssh: no key found"],
  ];
  const known = texts.find(([pattern]) => pattern.test(error.message));
  return new Error(known?.[1] ?? `ssh: ${error.message}`);
}

function requireAgent(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", (error) =>
      reject(new Error(`dial unix ${path}: connect: ${systemErrorText(error)}`)),
    );
  });
}
