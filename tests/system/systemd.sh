#!/bin/sh
# systemd.sh <cgroup>: the real systemd as the first process of its own namespaces, in this network and with this root. It
# only has units written for it, and its groups of processes are within that cgroup. They end when it is killed.
set -eu
tree=$(mktemp -d)
mount -t cgroup2 cgroup2 "$tree"
mkdir "$tree/$1"
echo $$ > "$tree/$1/cgroup.procs"
# shellcheck disable=SC2016 # the inner shell's own variables
unshare --pid --mount --ipc --cgroup --fork --kill-child sh -euc '
  mount --make-rprivate /
  mount -t proc proc /proc
  mount -t tmpfs tmpfs /sys/fs/cgroup
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  mount -t tmpfs tmpfs /run
  rm -rf /etc/systemd/system
  mkdir -p /etc/systemd/system
  for name in sysinit basic multi-user shutdown network-online; do
    printf "[Unit]\nDescription=%s\nDefaultDependencies=no\n" "$name" > "/etc/systemd/system/$name.target"
  done
  exec env -i "PATH=$PATH" container=lab SYSTEMD_UNIT_PATH=/etc/systemd/system \
    /lib/systemd/systemd --system --unit=multi-user.target --log-target=null' || true
echo $$ > "$tree/cgroup.procs"
find "$tree/$1" -depth -type d -exec rmdir {} +
umount "$tree"
