import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

/** The command plugin asks a host for the first of these that it has, and accepts no other. */
const PREFERRED = [/^ecdsa-/, /^ssh-rsa/, /^ssh-ed25519/];

/** A host's public key from `~/.ssh/known_hosts`, including hashed names; undefined if it has none. */
export function knownHostKey(address: string, port: number): string | undefined {
  const keys = linesOf(port === 22 ? address : `[${address}]:${port}`).flatMap((line) => {
    const [first = "", ...rest] = line.split(" ");
    // A marker means that the key is an authority's, or revoked.
    return line.startsWith("#") || first.startsWith("@") || rest.length < 2
      ? []
      : [rest.slice(0, 2).join(" ")];
  });
  return PREFERRED.map((kind) => keys.find((key) => kind.test(key))).find((key) => key !== undefined);
}

function linesOf(name: string): string[] {
  try {
    return execFileSync("ssh-keygen", ["-F", name, "-f", join(homedir(), ".ssh", "known_hosts")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).split("\n");
  } catch {
    return []; // not found, no such file, or no OpenSSH here
  }
}
