import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const found = spawnSync("sh", ["-c", "command -v vegeta"], { encoding: "utf8" });

/** Whether this machine has vegeta, which HTTP cases need; CI machines must have it. */
export const hasVegeta = process.env.CI === "true" || found.status === 0;

/** A shell script that installs it on a lab host, which does not see the project's own tools. */
export function installVegeta(): string {
  const packed = gzipSync(readFileSync(found.stdout.trim()), { level: 1 }).toString("base64");
  return `base64 -d <<'EOF_PROGRAM' | gzip -d > /usr/local/bin/vegeta\n${packed}\nEOF_PROGRAM\nchmod 755 /usr/local/bin/vegeta`;
}
