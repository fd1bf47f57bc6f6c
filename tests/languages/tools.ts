/** Pulumi's YAML host and code generator, built once (`build.sh`). */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Directory of `pulumi-language-yaml` and `generate-sdk`. */
export function languageTools(): string {
  const script = fileURLToPath(new URL("build.sh", import.meta.url));
  return execFileSync("bash", [script], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
