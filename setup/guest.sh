# The guest of tests/guest: Debian's packaged cloud kernel and an initramfs, made from packages and never installed.
# shellcheck shell=bash

GUEST_SUITE=trixie
GUEST_PACKAGES=linux-image-cloud-amd64,busybox-static,bash,dash,util-linux,diffutils,kmod,iproute2,ethtool,nftables,iptables,conntrack,iperf3,python3-minimal,tayga
DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# The kernel and initramfs, in .tools/guest; remade when their sources change.
ensure_guest() {
  ensure_programs "$GUEST_TOOLS"
  local made=$TOOLS/guest stamp
  stamp=$(cat "$ROOT/setup/guest.sh" "$ROOT"/setup/guest/* | sha256sum)
  [[ ! -e $made/stamp || $(<"$made/stamp") != "$stamp" ]] || return 0
  ensure_debian_keyring
  say "guest: Debian's cloud kernel and an initramfs, from packages of $GUEST_SUITE"
  rm -rf "$made"
  mkdir -p "$made"
  logged guest make_guest "$made" ||
    fail_with_log guest "the guest's kernel and initramfs could not be made of Debian's packages."
  echo "$stamp" >"$made/stamp"
}

# make_guest <directory>: unpacks the packages without running their scripts; nothing touches this machine's system.
make_guest() {
  as_root mmdebstrap --mode=root --variant=extract --architectures=amd64 --include="$GUEST_PACKAGES" \
    --format=directory "$GUEST_SUITE" "$1/root" &&
    as_root sh "$ROOT/setup/guest/initramfs" "$1/root" "$1" &&
    as_root rm -rf "$1/root"
}

# Debian's archive keys, which Ubuntu has in a package.
ensure_debian_keyring() {
  [[ -e $DEBIAN_KEYRING ]] || install_packages debian-archive-keyring
}
