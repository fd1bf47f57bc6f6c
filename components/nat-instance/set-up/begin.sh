# Functions that every other part of the set-up uses. Setting: notes_file.

set -eu
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

fail() {
  printf 'egress-bench: %s\n' "$*" >&2
  exit 1
}

note() {
  printf '%s\n' "$*" | tee -a "$notes_file"
}

# Runs a program now and repeatedly from now on, where there is systemd; the next boot starts the repetition anew.
run_every() {
  name=$1 seconds=$2; shift 2
  [ ! -d /run/systemd/system ] || systemctl is-active --quiet "$name.timer" || systemd-run --quiet --unit "$name" \
    --timer-property AccuracySec=1s --on-active "$seconds" --on-unit-active "$seconds" "$@" ||
    note "not run every $seconds s: systemd does not start $name.timer"
}

[ "$(id -u)" = 0 ] || fail "the NAT instance set-up needs root; run it with sudo"
for tool in nft ip sysctl; do
  command -v "$tool" >/dev/null || fail "$tool is missing; install nftables, iproute2 and procps"
done
