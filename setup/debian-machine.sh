# Packages and roots of Debian systems that boot by themselves: the guest and the image of a NAT instance.
# shellcheck shell=bash

MACHINE_PACKAGES=linux-image-cloud-amd64,systemd-sysv,udev,dbus,kmod,procps,sudo,openssh-server,cloud-init,unattended-upgrades,iproute2

# make_debian <directory> <packages> <mmdebstrap option>...: a root with these packages and a machine's. Their scripts run
# in that directory; nothing touches this machine's system.
make_debian() {
  local directory=$1 packages=$2
  shift 2
  as_root mmdebstrap --mode=root --variant=minbase --architectures=amd64 --include="$MACHINE_PACKAGES,$packages" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --format=directory "$@" "$GUEST_SUITE" "$directory"
}
