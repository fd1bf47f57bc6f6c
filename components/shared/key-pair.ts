/** Ed25519 keys in OpenSSH's formats. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import sshpk from "sshpk";

/** A key pair as OpenSSH writes it. */
export interface KeyPair {
  /** OpenSSH's own private format, without passphrase. */
  readonly privateKey: string;
  /** `ssh-ed25519 AAAA...`, without comment. */
  readonly publicKey: string;
}

/** A new key pair, from the operating system's randomness. */
export function newKeyPair(): KeyPair {
  return keyPairOf(generateKeyPairSync("ed25519").privateKey);
}

/**
 * Not with ssh2's `generateKeyPair`: version 1.17 drops the leading zero bytes of a public key, and OpenSSH
 * refuses one in 256 of its keys.
 */
export function keyPairOf(privateKey: KeyObject): KeyPair {
  const key = sshpk.parsePrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }), "pem");
  key.comment = "";
  const [type, blob] = key.toPublic().toString("ssh").split(" ");
  return { privateKey: key.toString("ssh"), publicKey: `${type} ${blob}` };
}
