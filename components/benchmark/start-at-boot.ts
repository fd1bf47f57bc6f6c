import { AGENT_DIRECTORY } from "../../bench/index.ts";

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
