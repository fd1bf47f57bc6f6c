/** The host agent's source files, as they are copied to every host. */
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { AGENT_DIRECTORY } from "../../bench/index.ts";
import { installPackages } from "../shared/cloud-init.ts";
import { zip } from "../shared/gzip.ts";
import { undoScript } from "../tuning/script.ts";

/** File of the packed agent on a host, relative to the SSH user's home. */
export const AGENT_PACKAGE = ".egress-bench-agent.pyz";

/** Text of the agent's Python files, its contract, and the scripts that prepare a host, by path in the package. */
export function agentSources(): Record<string, string> {
  const directory = new URL("../../agent/", import.meta.url);
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".py") || path === "contract.json")
    .sort();
  const script = (name: string) => [name, readFileSync(new URL(name, import.meta.url), "utf8")];
  return {
    ...Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, directory), "utf8")])),
    ...Object.fromEntries(["prepare-host.sh", "build-tools.sh"].map(script)),
    "install-packages.sh": installPackages(["$*"]),
    "undo-tuning.sh": undoScript,
    "start-at-boot.sh": startAtBoot,
  };
}

/** All sources as a program that Python runs, `agent/unpack.py`, and its SHA-256 in hexadecimal. */
export function packedAgent(): { readonly bytes: Buffer; readonly digest: string } {
  const sources = agentSources();
  const bytes = zip({ "__main__.py": sources["unpack.py"] ?? "", "sources.json": JSON.stringify(sources) });
  return { bytes, digest: createHash("sha256").update(bytes).digest("hex") };
}

/**
 * Installs a systemd unit that starts the daemon at boot, and only then. Where the user may not write it, the next
 * preparation starts the daemon.
 */
export const startAtBoot = [
  "if [ -d /run/systemd/system ]; then",
  '  $([ "$(id -u)" = 0 ] || echo sudo -kn) sh -s "$(id -un)" "$HOME" <<\'EOF_UNIT\' >/dev/null 2>&1 || true',
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
