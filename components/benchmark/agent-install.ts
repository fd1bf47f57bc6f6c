/**
 * Shell that puts the agent on a host and prepares it.
 *
 * @module
 */
import { AGENT_DIRECTORY, commandLine } from "../../bench/index.ts";
import { INSTALL_SECONDS, installPackages } from "../shared/cloud-init.ts";
import { type TuningName, undoScript } from "../tuning/index.ts";

/**
 * stdin: what is left of it, the agent's files as `packedAgent` makes them. Written whole and renamed, since
 * an agent that runs already may be reading them.
 */
const writeSources = `
import base64, gzip, json, os, sys
sources = json.loads(gzip.decompress(base64.b64decode(sys.stdin.read())))
for name, text in sources.items():
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name + ".new", "w") as file:
        file.write(text)
    os.replace(name + ".new", name)
# A module of an earlier release must not be found in place of a room.
for name in os.listdir("."):
    if name.endswith(".py") and name not in sources:
        os.remove(name)`;

/** Puts the agent's files, packed on stdin, into the working directory. */
export const unpackAgent = commandLine(["python3", "-c", writeSources]);

const install = [
  "set -e",
  "umask 077",
  `mkdir -p ${AGENT_DIRECTORY}`,
  `cd ${AGENT_DIRECTORY}`,
  "IFS= read -r spec",
  unpackAgent,
].join("\n");

/** Seconds that {@link installAndPrepare} may take for packages that the host lacks. */
export const PACKAGE_SECONDS = INSTALL_SECONDS + 60;

/**
 * Installs packages that the machine did not boot with, unless it has them. They cannot be in its user data: a machine
 * whose user data changes is made anew, and with it all that was measured.
 */
export function installMissing(packages: readonly string[]): string {
  const script = `sh <<'EOF_INSTALL'\n${installPackages(packages)}EOF_INSTALL`;
  return [
    `for package in ${packages.join(" ")}; do command -v "$package" >/dev/null || missing=1; done`,
    `if [ -n "\${missing:-}" ]; then $([ "$(id -u)" = 0 ] || echo sudo -n) ${script}`,
    "fi",
  ].join("\n");
}

/**
 * Has the daemon come up with the machine: a unit that systemd starts when it boots, and only then. Where nobody may write
 * it, the next preparation starts the daemon.
 */
export const startAtBoot = [
  "if [ -d /run/systemd/system ]; then",
  '  $([ "$(id -u)" = 0 ] || echo sudo -n) sh -s "$(id -un)" "$HOME" <<\'EOF_UNIT\' >/dev/null 2>&1 || true',
  "cat > /etc/systemd/system/egress-bench-agent.service <<EOF",
  "[Unit]",
  "Description=egress-bench host agent",
  "Wants=network-online.target",
  "After=network-online.target",
  "[Service]",
  "User=$1",
  "WorkingDirectory=$2",
  `ExecStart=/usr/bin/env python3 $2/${AGENT_DIRECTORY}/agent.py serve`,
  "[Install]",
  "WantedBy=multi-user.target",
  "EOF",
  "systemctl daemon-reload && systemctl enable egress-bench-agent.service",
  "EOF_UNIT",
  "fi",
].join("\n");

/** Ends when the agent is ready, within so many seconds; more where it has to install packages. A machine boots by itself. */
export function installAndPrepare(
  tuning: TuningName,
  seconds: number,
  packages: readonly string[] = [],
  isMachine = false,
): string {
  const missing = packages.length === 0 ? [] : [installMissing(packages)];
  // The deletion of a tuning that is no longer wanted comes last in an update, after the cases.
  const untune = tuning === "none" ? ["(", undoScript, ")"] : [];
  const prepare = `printf '%s' "$spec" | timeout -k 5 ${seconds} python3 agent.py prepare`;
  return [install, ...missing, ...untune, ...(isMachine ? [startAtBoot] : []), prepare].join("\n");
}
