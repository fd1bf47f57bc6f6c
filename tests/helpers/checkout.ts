/**
 * A fresh checkout of this project, as it is here and now: what git knows or would take, and nothing else.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Makes it in a directory that is not there yet. */
export function freshCheckout(directory: string): void {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0");
  for (const file of files.filter((one) => one !== "" && existsSync(join(root, one)))) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    cpSync(join(root, file), join(directory, file));
  }
}
