/** Shell that puts the agent on a host and prepares it. */
import { readFileSync } from "node:fs";
import { AGENT_DIRECTORY, commandLine } from "../../bench/index.ts";
import { INSTALL_SECONDS, installPackages } from "../shared/cloud-init.ts";
import type { TuningName } from "../tuning/index.ts";
import { START_AT_BOOT, UNDO_TUNING } from "./agent-sources.ts";

/** File of the packed agent on a host, relative to the SSH user's home. */
export const AGENT_PACKAGE = ".egress-bench-agent.json.gz";

/**
 * Runs the packed agent's own `unpack.py`, so that the state has no text of it. Python compares the digest: busybox's `sha256sum`
 * has no `--status`.
 */
const unpacker = `import gzip, hashlib, json, sys
package = open(sys.argv[1], "rb").read()
if hashlib.sha256(package).hexdigest() != sys.argv[2]:
    sys.exit("the agent on this host is not the one that was sent: run pulumi up again with a new runId")
exec(json.loads(gzip.decompress(package))["unpack.py"])`;

/** Shell that puts the files of a packed agent into the working directory. */
export function unpackAgent(file: string, digest: string): string {
  return commandLine(["python3", "-c", unpacker, file, digest]);
}

const install = (digest: string) =>
  [
    "set -e",
    "umask 077",
    `mkdir -p ${AGENT_DIRECTORY}`,
    `cd ${AGENT_DIRECTORY}`,
    "IFS= read -r spec",
    unpackAgent(`../${AGENT_PACKAGE}`, digest),
  ].join("\n");

/** Seconds that {@link installAndPrepare} may take for packages that the host lacks. */
export const PACKAGE_SECONDS = INSTALL_SECONDS + 60;

/**
 * Installs packages that the machine did not boot with, unless it has them. They cannot be in its user data: a machine
 * whose user data changes is made anew, and with it all that was measured.
 */
export function installMissing(packages: readonly string[]): string {
  return [
    `for package in ${packages.join(" ")}; do command -v "$package" >/dev/null || missing=1; done`,
    `if [ -n "\${missing:-}" ]; then ${asRoot(installPackages(packages))}`,
    "fi",
  ].join("\n");
}

/** Seconds that building programs may take. */
export const BUILD_SECONDS = 900;

const buildTools = readFileSync(new URL("./build-tools.sh", import.meta.url), "utf8").replaceAll(
  /^#.*\n/gm,
  "",
);

/** Builds programs that no package has, unless the machine has them. */
function buildMissing(builds: Readonly<Record<string, string>>): string {
  const names = Object.keys(builds).join(" ");
  return [
    `for program in ${names}; do command -v "$program" >/dev/null || unbuilt=1; done`,
    `if [ -n "\${unbuilt:-}" ]; then ${asRoot(installPackages(["golang-go"]))}`,
    `${commandLine(["sh", "-s", ...Object.entries(builds).flat()])} <<'EOF_BUILD'`,
    `${buildTools}EOF_BUILD`,
    "fi",
  ].join("\n");
}

/** The package's own nginx would serve on port 80. */
const maskUnits =
  '[ ! -d /run/systemd/system ] || $([ "$(id -u)" = 0 ] || echo sudo -kn) systemctl -q mask nginx.service';

/** A script run by root; its end is that of a line. */
function asRoot(script: string): string {
  return `$([ "$(id -u)" = 0 ] || echo sudo -kn) sh <<'EOF_INSTALL'\n${script}EOF_INSTALL`;
}

/** Arguments of {@link installAndPrepare}. */
export interface InstallArgs {
  /** SHA-256 of the packed agent. */
  readonly digest: string;
  readonly tuning: TuningName;
  /** Time-out of the preparation. */
  readonly seconds: number;
  /** Packages that the machine did not boot with. @default none */
  readonly packages?: readonly string[];
  /** Programs to build where the machine lacks them, with their Go modules. @default none */
  readonly builds?: Readonly<Record<string, string>>;
  /** Whether the host boots by itself. @default false */
  readonly isMachine?: boolean;
}

/** Shell that installs the agent and ends when it is ready. Its stdin is the specification of `prepare`. */
export function installAndPrepare({
  digest,
  tuning,
  seconds,
  packages = [],
  builds = {},
  isMachine = false,
}: InstallArgs): string {
  const missing = [
    ...(isMachine && packages.includes("nginx") ? [maskUnits] : []),
    ...(packages.length === 0 ? [] : [installMissing(packages)]),
    ...(Object.keys(builds).length === 0 ? [] : [buildMissing(builds)]),
  ];
  // The deletion of a tuning that is no longer wanted comes last in an update, after the cases.
  const untune = tuning === "none" ? [`sh ${UNDO_TUNING}`] : [];
  const prepare = `printf '%s' "$spec" | timeout -k 5 ${seconds} python3 agent.py prepare`;
  return [
    install(digest),
    ...missing,
    ...untune,
    ...(isMachine ? [`sh ${START_AT_BOOT}`] : []),
    prepare,
  ].join("\n");
}
