# The whole system of tests/system: Debian with systemd and cloud-init on a disk, made from packages and never installed.
# shellcheck shell=bash

# Packages that user data needs: cloud-init cannot install any, as there is no network to the outside.
GUEST_SYSTEM_PACKAGES=busybox-static,python3,nftables,conntrack,ethtool,iperf3,sockperf,tayga

# The tools that boot an image of `npm run nat-image`.
ensure_image_test() {
  ensure_programs "$IMAGE_TOOLS"
  [[ -e /usr/share/OVMF/OVMF_CODE_4M.fd ]] || install_packages ovmf
}

# Disk, kernel and initramfs, in .tools/guest-system; remade when their sources change.
ensure_guest_system() {
  ensure_programs "$GUEST_TOOLS"
  local made=$TOOLS/guest-system stamp
  stamp=$(cat "$ROOT"/setup/{debian-machine,guest-system}.sh "$ROOT"/setup/guest-system/* | sha256sum)
  [[ ! -e $made/stamp || $(<"$made/stamp") != "$stamp" ]] || return 0
  ensure_debian_keyring
  say "guest: a Debian system with systemd and cloud-init, from packages of $GUEST_SUITE"
  rm -rf "$made"
  mkdir -p "$made"
  logged guest-system make_guest_system "$made" ||
    fail_with_log guest-system "the guest's system could not be made of Debian's packages."
  echo "$stamp" >"$made/stamp"
}

# make_guest_system <directory>: the packages' scripts run in the directory; nothing touches this machine's system.
make_guest_system() {
  make_debian "$1/root" "$GUEST_SYSTEM_PACKAGES" --customize-hook="sh $ROOT/setup/guest-system/customize \"\$1\" $1" &&
    as_root mke2fs -q -t ext4 -O ^has_journal -d "$1/root" "$1/disk" 1200M &&
    as_root rm -rf "$1/root" &&
    as_root chown "$(id -u)" "$1"/*
}
