/**
 * The first process of a lab host: it builds the host's own root and network, then sleeps. Everything the host
 * is (namespaces, mounts, its SSH listener) ends with this process, by the kernel's hand.
 *
 * @module
 */

/** Marks a host's process in the process list, followed by stack, host, generation and port. */
export const HOST_MARK = "egress-bench-host";

/** Inside a host, where its SSH listener says what went wrong. */
export const SSH_LOG = "/var/log/ssh-listener.log";

/** What sshd reads inside a host. */
export const SSHD_CONFIG = "/etc/egress-bench/sshd_config";

/**
 * Runs with the machine's network, so that SSH is reached on 127.0.0.1, until it moves itself into a network of
 * its own; each SSH session follows it there. Arguments: stack, host, generation, port.
 */
export const hostInitScript = `
set -eu
host=$2
port=$4
hostname "$host"

# Overlay root: the machine's files can be read, whatever is written stays in memory.
mount -t tmpfs -o mode=755 tmpfs /tmp
mkdir /tmp/upper /tmp/work /tmp/root
mount -t overlay overlay -o lowerdir=/,upperdir=/tmp/upper,workdir=/tmp/work /tmp/root
cd /tmp/root
mkdir -p dev proc sys run tmp root etc/egress-bench
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=700 tmpfs root
mkdir -p run/sshd run/lock

# Devices: only the harmless ones.
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
for device in null zero full random urandom tty; do
  : > "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr

# Of the kernel's settings only the network's are a host's own; the rest would be the machine's.
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount --bind proc/sys/net proc/sys/net
mount -o remount,bind,rw proc/sys/net

# The listener comes back when it is killed; sessions do not need it once they run.
chroot . sh -c '
  while :; do
    socat "TCP-LISTEN:$1,bind=127.0.0.1,reuseaddr,fork,nodelay" \\
      "EXEC:nsenter --net=/proc/1/ns/net /usr/sbin/sshd -ie -f $2,nofork" 2>>${SSH_LOG}
    sleep 0.2
  done' listener "$port" ${SSHD_CONFIG} </dev/null >/dev/null 2>&1 &

# sysfs shows the network of whoever mounts it. SIGCHLD ignored: orphans are reaped without a wait.
exec unshare --net chroot . sh -c '
  mount -t sysfs sysfs /sys
  ip link set lo up
  trap "" CHLD
  cd /
  echo ready
  exec sleep infinity </dev/null >/dev/null 2>&1'
`;

/** sshd's configuration: one key, no passwords, a banner that tells which host answers. */
export function sshdConfig(banner: string): string {
  return `
HostKey /etc/egress-bench/host_key
AuthorizedKeysFile /etc/egress-bench/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
UseDNS no
PrintMotd no
PrintLastLog no
X11Forwarding no
VersionAddendum ${banner}
Subsystem sftp internal-sftp
`.trimStart();
}
