#!/bin/sh
# The first process of a lab host: it builds the host's own root and network, then sleeps. It starts in the machine's
# network, so that SSH is reached on 127.0.0.1, until it moves into its own network; each SSH session follows it there.
# Arguments: lab, host, generation, port. Environment: MACHINE, the starter's namespaces, in which it changes nothing;
# MAX_SSH_CONNECTIONS, SSH_LOG, SSH_DOORMAN; the variables of ssh-doorman.sh.
set -eu
# sshd refuses directories that others may write; the caller's umask may allow that.
umask 022
host=$2
port=$4
for kind in mnt pid uts ipc; do
  own=$(readlink "/proc/self/ns/$kind")
  case $MACHINE in *"$own"*) echo "$own is the machine's own" >&2; exit 1 ;; esac
done
hostname "$host"
# What the machine's kernel says of `unshare`, which holds the host: it blocks SIGTERM until this process has ended. The next line
# is read in the machine's /proc.
read -r _ _ _ holder _ < /proc/self/stat
exec 9< "/proc/$holder/status"

# Overlay root: the machine's files are readable, and everything written stays in memory.
mount -t tmpfs -o mode=755 tmpfs /tmp
mkdir /tmp/upper /tmp/work /tmp/root
mount -t overlay overlay -o lowerdir=/,upperdir=/tmp/upper,workdir=/tmp/work /tmp/root
cd /tmp/root
mkdir -p dev proc sys run tmp root etc/egress-bench
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=700 tmpfs root
mkdir -p run/sshd run/lock

# Only the harmless devices.
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

# Only the kernel's network settings belong to the host; the others are the machine's and become read-only.
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount --bind proc/sys/net proc/sys/net
mount -o remount,bind,rw proc/sys/net

# The listener is restarted when killed; running sessions do not need it.
chroot . sh -c '
  while :; do
    socat "TCP-LISTEN:$1,bind=127.0.0.1,reuseaddr,fork,max-children=$MAX_SSH_CONNECTIONS,nodelay" \
      "EXEC:sh $2,nofork" 2>>"$SSH_LOG"
    sleep 0.2
  done' listener "$port" "$SSH_DOORMAN" </dev/null >/dev/null 2>&1 9<&- &

# sysfs shows the network of the process that mounts it. The first process of a namespace ignores signals without a trap;
# it reaps orphans while it waits. SIGINT (2) and SIGTERM (15) that wait for `unshare` end the host too, within seconds.
exec unshare --net chroot . sh -c '
  case $MACHINE in *$(readlink /proc/self/ns/net)*) exit 1 ;; esac
  mount -t sysfs sysfs /sys
  ip link set lo up
  cd /
  trap "exit 0" TERM
  echo ready
  exec </dev/null >/dev/null 2>&1
  while :; do
    sleep 5 9<&- &
    wait $!
    while read -r name pending; do
      case $name$pending in ShdPnd:*[4-7c-f]??? | ShdPnd:*[2367abef]) exit 0 ;; esac
    done < /proc/self/fd/9
  done'
