# Reads and sets a host's kernel settings, and undoes a profile.

dir=$HOME/.egress-bench/tuning
boot=$(cat /proc/sys/kernel/random/boot_id)

# With -k, sudo keeps no time stamp in /run/sudo/ts, which would stay on the host.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -kn "$@"; fi
}

# A setting is a sysctl, or "mtu" and an interface.
value_of() {
  case "$1" in
  "mtu "*) ip -o link show dev "${1#mtu }" | sed -n 's/.* mtu \([0-9]*\) .*/\1/p' ;;
  *) sysctl_value "$1" ;;
  esac
}

set_value() {
  case "$1" in
  "mtu "*) as_root ip link set dev "${1#mtu }" mtu "$2" </dev/null ;;
  *) as_root sysctl -qw "$1=$2" </dev/null ;;
  esac
}

sysctl_value() {
  tr -s '\t' ' ' < "/proc/sys/$(printf %s "$1" | tr . /)"
}

# Settings do not outlive a boot.
undo() {
  [ -f "$dir/saved" ] || return 0
  rm -f "$dir/profile"
  if [ "$(cat "$dir/boot")" = "$boot" ]; then
    while IFS='=' read -r key value; do
      [ "$(value_of "$key")" = "$value" ] || set_value "$key" "$value"
    done < "$dir/saved"
  fi
  rm -rf "$dir"
}
