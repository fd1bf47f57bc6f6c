import { fileURLToPath } from "node:url";
import { quote } from "../../bench/shell.ts";

/**
 * Shell command that runs the module `name` beside `importMetaUrl`: TypeScript in a checkout, JavaScript in the installed
 * package.
 */
export function siblingProgram(importMetaUrl: string, name: string): string {
  const extension = importMetaUrl.endsWith(".ts") ? "ts" : "js";
  const path = fileURLToPath(new URL(`./${name}.${extension}`, importMetaUrl));
  return `${quote(process.execPath)} ${quote(path)}`;
}
