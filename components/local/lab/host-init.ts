/**
 * The first process of a lab host: it builds the host's own root and network, then sleeps. Namespaces, mounts and SSH
 * listener end with this process: the kernel ends them.
 */
import { readFileSync } from "node:fs";

/** Marks a host's process in the process list, followed by stack, host, generation and port. */
export const HOST_MARK = "egress-bench-host";

export const SSH_LOG = "/var/log/ssh-listener.log";

/** Program inside a host that decides which accounts may connect to its sshd. */
export const SSH_DOORMAN = "/etc/egress-bench/ssh-doorman";

/** SSH connections that a host serves at a time; the next one waits. Some versions of socat count each twice. */
export const MAX_SSH_CONNECTIONS = 32;

export const SSHD_CONFIG = "/etc/egress-bench/sshd_config";

/**
 * Text of a script of this directory. `host-init.sh` is a host's first process, `ssh-doorman.sh` its {@link SSH_DOORMAN}.
 */
export function hostScript(name: "host-init.sh" | "ssh-doorman.sh"): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), "utf8");
}

/**
 * The environment of both scripts.
 * @param machine Namespaces of the process that starts the host; the scripts change nothing in them.
 * @param operatorIds User ids that may connect: root's and, where different, the operator's.
 */
export function hostEnvironment(machine: string, operatorIds: readonly number[]): Record<string, string> {
  return {
    MACHINE: machine,
    MAX_SSH_CONNECTIONS: String(MAX_SSH_CONNECTIONS),
    OPERATOR_IDS: operatorIds.join(" "),
    SSH_DOORMAN,
    SSH_LOG,
    SSHD_CONFIG,
  };
}

/** sshd's configuration: one key, no passwords, a banner that identifies the host. */
export function sshdConfig(banner: string): string {
  return `
HostKey /etc/egress-bench/host_key
AuthorizedKeysFile /etc/egress-bench/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
LoginGraceTime 30
UseDNS no
PrintMotd no
PrintLastLog no
X11Forwarding no
VersionAddendum ${banner}
Subsystem sftp internal-sftp
`.trimStart();
}
