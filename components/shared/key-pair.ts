/** Ed25519 keys in OpenSSH's formats. */
import { createHash, createHmac, createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";

export interface KeyPair {
  /** Private key in OpenSSH's own format, without passphrase. */
  readonly privateKey: string;
  /** Public key, `ssh-ed25519 AAAA...`, without comment. */
  readonly publicKey: string;
}

const TYPE = "ssh-ed25519";
const PKCS8 = "-----BEGIN PRIVATE KEY-----";
const LINE = 70;

/** A new key pair, from the operating system's randomness. */
export function newKeyPair(): KeyPair {
  return keyPairOf(generateKeyPairSync("ed25519").privateKey);
}

/** A new key pair with the private key in PKCS #8, a third of OpenSSH's length: each connection in the state holds it. */
export function newShortKeyPair(): KeyPair {
  return shortKeyPair(generateKeyPairSync("ed25519").privateKey);
}

function shortKeyPair(privateKey: KeyObject): KeyPair {
  return {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: keyPairOf(privateKey).publicKey,
  };
}

/** Bytes of PKCS #8 before the 32 bytes of an Ed25519 private key (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** A key pair derived from a private key and a name, with the private key in PKCS #8. It does not reveal the first key. */
export function derivedKeyPair(privateKey: string, name: string): KeyPair {
  const seed = createHmac("sha256", privateKey).update(name).digest();
  return shortKeyPair(
    createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" }),
  );
}

/** A private key in OpenSSH's format, always the same text. A key that is not in PKCS #8 is returned unchanged. */
export function openSshKey(privateKey: string): string {
  return privateKey.startsWith(PKCS8) ? keyPairOf(createPrivateKey(privateKey)).privateKey : privateKey;
}

/**
 * The pair in OpenSSH's formats (its `PROTOCOL.key`). Not with ssh2's `generateKeyPair`: version 1.17 drops the leading
 * zero bytes of a public key, and OpenSSH refuses one in 256 of its keys.
 */
export function keyPairOf(privateKey: KeyObject): KeyPair {
  const { d = "", x = "" } = privateKey.export({ format: "jwk" });
  const [seed, point] = [Buffer.from(d, "base64url"), Buffer.from(x, "base64url")] as const;
  const blob = Buffer.concat([counted(TYPE), counted(point)]);
  // OpenSSH writes a random number twice, to check the passphrase. Here it is derived, so that the same key gives the same
  // text.
  const check = createHash("sha256").update(point).digest().subarray(0, 4);
  const secret = Buffer.concat([check, check, blob, counted(Buffer.concat([seed, point])), counted("")]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, -secret.length & 7);
  const file = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    ...[counted("none"), counted("none"), counted(""), Buffer.from([0, 0, 0, 1]), counted(blob)],
    counted(Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString("base64").match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return {
    privateKey: `${["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----"].join("\n")}\n`,
    publicKey: `${TYPE} ${blob.toString("base64")}`,
  };
}

/** SSH's `string`: its length, and its bytes. */
function counted(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
