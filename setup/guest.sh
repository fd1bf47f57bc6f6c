# The guest of tests/guest: Debian's packaged cloud kernel and an initramfs, made from packages and never installed.
# shellcheck shell=bash

GUEST_SUITE=trixie
GUEST_PACKAGES=busybox-static,coreutils,bash,dash,util-linux,diffutils,kmod,iproute2,ethtool,nftables,iptables,conntrack,iperf3,python3-minimal,libpython3-stdlib,tayga,conntrackd
DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# The kernel and initramfs, in .tools/guest or in a directory of the asked kernel's own; remade when their sources change.
ensure_guest() {
  ensure_programs "$GUEST_TOOLS"
  local made=${EGRESS_BENCH_GUEST:-$TOOLS/guest} stamp
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
  local kernel=linux-image-${EGRESS_BENCH_GUEST_KERNEL:-cloud-amd64} files=()
  [[ $kernel != *.deb ]] || IFS=, read -ra files <<<"$EGRESS_BENCH_GUEST_KERNEL"
  [[ $kernel != *.deb ]] || kernel=
  as_root mmdebstrap --mode=root --variant=extract --architectures=amd64 --include="$GUEST_PACKAGES${kernel:+,$kernel}" \
    --format=directory "$GUEST_SUITE" "$1/root" &&
    as_root sh -c 'root=$1; shift; for file; do dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" --keep-directory-symlink || exit; done' \
      sh "$1/root" ${files[@]+"${files[@]}"} &&
    as_root sh "$ROOT/setup/guest/initramfs" "$1/root" "$1" &&
    as_root rm -rf "$1/root"
}

# Debian's archive keys, which Ubuntu has in a package.
ensure_debian_keyring() {
  [[ -e $DEBIAN_KEYRING ]] || install_packages debian-archive-keyring
}
