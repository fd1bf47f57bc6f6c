/** Advisories of the npm registry for the packages of package-lock.json. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { counted } from "../../report/text/format.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));
/** Severities that fail the check, for packages that the library depends on. */
const BAD = ["high", "critical"];

/** Output of `npm audit --json`: a report, or the reason for none. */
interface AuditReport {
  readonly message?: string;
  readonly error?: { readonly summary?: string };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

/** One line per vulnerable package, or a line that nothing was checked. */
export interface Audit {
  readonly lines: readonly string[];
  readonly isBad: boolean;
}

/** Asks for the library's dependencies, then for its development's. @param options Options of npm. */
export async function auditPackages(...options: string[]): Promise<Audit> {
  const shipped = await ask("--omit=dev", "--omit=optional", "--omit=peer", ...options);
  const all = await ask(...options);
  const failure = shipped.message ?? shipped.error?.summary ?? all.message ?? all.error?.summary;
  if (failure !== undefined || all.vulnerabilities === undefined) {
    return { isBad: false, lines: [`NOT CHECKED: the npm registry gives no advisories (${failure})`] };
  }
  const inShipped = Object.keys(shipped.vulnerabilities ?? {});
  const found = Object.entries(all.vulnerabilities).map(([name, { severity, range }]) => ({
    bad: inShipped.includes(name) && BAD.includes(severity),
    line: `${name} ${range}: ${severity}${inShipped.includes(name) ? "" : ", in development only"}`,
  }));
  return {
    isBad: found.some(({ bad }) => bad),
    lines: [`${counted(found.length, "package")} with advisories`, ...found.map(({ line }) => line)],
  };
}

async function ask(...options: string[]): Promise<AuditReport> {
  const args = ["audit", "--json", "--package-lock-only", "--loglevel=silent", ...options];
  const npm = promisify(execFile)("npm", args, { cwd: project, maxBuffer: 1e8 });
  // npm ends with 1 both with advisories and without an answer.
  const stdout = await npm.then(
    (ended) => ended.stdout,
    (error) => String(error.stdout ?? ""),
  );
  try {
    return JSON.parse(stdout);
  } catch {
    return { message: stdout.slice(0, 200) || "npm did not run" };
  }
}

/** `npm run bench -- audit`. A high advisory for one of the library's dependencies makes the exit status 1. */
export async function audit(): Promise<string[]> {
  const { lines, isBad } = await auditPackages();
  if (isBad) {
    process.exitCode = 1;
  }
  return [...lines];
}
