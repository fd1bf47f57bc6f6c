import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  derivedKeyPair,
  keyPairOf,
  newKeyPair,
  newShortKeyPair,
  openSshKey,
} from "../../components/shared/key-pair.ts";
import { directoryOfTest } from "../helpers/temporary.ts";

// RFC 8410: the prefix of the 32-byte seed in an unencrypted private key.
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

function keyOfSeed(seed: Buffer) {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: "der", type: "pkcs8" });
}

function publicBytes(seed: Buffer): Buffer {
  return Buffer.from(String(keyOfSeed(seed).export({ format: "jwk" }).x), "base64url");
}

/** The first seed, counting up from zero, for which `wanted` holds. */
function firstSeed(wanted: (publicKey: Buffer) => boolean): Buffer {
  const seed = Buffer.alloc(32);
  for (let count = 0; !wanted(publicBytes(seed)); count += 1) {
    seed.writeUInt32BE(count, 28);
  }
  return seed;
}

/** The public key that OpenSSH itself derives from a private one. */
function opensshPublicKey(privateKey: string): string {
  const directory = directoryOfTest();
  const file = join(directory, "key");
  writeFileSync(file, privateKey, { mode: 0o600 });
  return execFileSync("ssh-keygen", ["-y", "-f", file], { encoding: "utf8" }).trim();
}

test.each([
  ["an ordinary public key", firstSeed((key) => key[0] !== 0)],
  ["a public key with a leading zero byte", firstSeed((key) => key[0] === 0)],
  ["a public key with a trailing zero byte", firstSeed((key) => key[31] === 0)],
])("OpenSSH reads %s", (_, seed) => {
  const { privateKey, publicKey } = keyPairOf(keyOfSeed(seed));
  expect(opensshPublicKey(privateKey)).toBe(publicKey);
  expect(Buffer.from(publicKey.split(" ")[1] as string, "base64").subarray(-32)).toEqual(publicBytes(seed));
});

test("two pairs differ", () => {
  expect(newKeyPair().privateKey).not.toBe(newKeyPair().privateKey);
});

test("a short key equals OpenSSH's of the same pair, always with the same text", () => {
  const { privateKey, publicKey } = newShortKeyPair();
  expect(privateKey).toHaveLength(119);
  expect(opensshPublicKey(openSshKey(privateKey))).toBe(publicKey);
  expect(openSshKey(privateKey)).toBe(openSshKey(privateKey));
});

test("an earlier key stays unchanged", () => {
  const { privateKey } = newKeyPair();
  expect(openSshKey(privateKey)).toBe(privateKey);
});

test("a derived pair is the same for the same two, another for another name or key, and one that OpenSSH reads", () => {
  const [one, other] = [newShortKeyPair().privateKey, newShortKeyPair().privateKey];
  const derived = derivedKeyPair(one, "host key of client");
  expect(derivedKeyPair(one, "host key of client")).toEqual(derived);
  expect(derivedKeyPair(one, "host key of server").publicKey).not.toBe(derived.publicKey);
  expect(derivedKeyPair(other, "host key of client").publicKey).not.toBe(derived.publicKey);
  expect(opensshPublicKey(openSshKey(derived.privateKey))).toBe(derived.publicKey);
});
