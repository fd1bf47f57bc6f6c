/**
 * Shell that gives a host a tuning profile and takes it back. What was there before stays on the host until then, in
 * `~/.egress-bench/tuning/`: `saved` has the old values, `profile` the name of what is applied, `notes` what the kernel
 * or the network namespace refused, `boot` the boot that it holds for, `owner` who may take it back.
 */
import { AGENT_DIRECTORY, quote } from "../../bench/index.ts";
import { MTU, type TunedSysctl } from "./profiles.ts";

const functions = `
dir=$HOME/${AGENT_DIRECTORY}/tuning
boot=$(cat /proc/sys/kernel/random/boot_id)

# With -k, sudo keeps no time stamp of who asked (/run/sudo/ts), which would stay on the host.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -kn "$@"; fi
}

# A setting is a sysctl, or "mtu" and an interface.
value_of() {
  case "$1" in
  "mtu "*) ip -o link show dev "\${1#mtu }" | sed -n 's/.* mtu \\([0-9]*\\) .*/\\1/p' ;;
  *) sysctl_value "$1" ;;
  esac
}

set_value() {
  case "$1" in
  "mtu "*) as_root ip link set dev "\${1#mtu }" mtu "$2" </dev/null ;;
  *) as_root sysctl -qw "$1=$2" </dev/null ;;
  esac
}

sysctl_value() {
  tr -s '\\t' ' ' < "/proc/sys/$(printf %s "$1" | tr . /)"
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
`.trim();

/** Takes back whatever profile is applied; nothing where none is. */
export const undoScript = ["set -eu", functions, "undo"].join("\n");

/** Takes back what `owner` applied and nobody has replaced since. */
export function undoOwnScript(owner: string): string {
  const mine = `[ "$(cat "$dir/owner" 2>/dev/null)" = ${quote(owner)} ] || exit 0`;
  return ["set -eu", functions, mine, "undo"].join("\n");
}

const apply = `
change() {
  if ! old=$(value_of "$1" 2>/dev/null); then
    echo "tuning: no $1 in this kernel or network namespace" >> "$dir/notes"
    return
  fi
  printf '%s=%s\\n' "$1" "$old" >> "$dir/saved"
  set_value "$1" "$2" >/dev/null 2>&1 || :
  now=$(value_of "$1")
  [ "$now" = "$2" ] || echo "tuning: $1 stays $now, $2 was refused" >> "$dir/notes"
}

if ! as_root true </dev/null 2>/dev/null; then
  echo "tuning needs root: let $(id -un) use sudo without a password, or set egress-bench:tuning to none" >&2
  exit 1
fi
undo
mkdir -p "$dir"
printf %s "$boot" > "$dir/boot"
: > "$dir/notes"
: > "$dir/saved"
`.trim();

const DEFAULT_DEVICE = `"mtu $(ip -4 route show default | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' | head -n 1)"`;

/** Applies a profile, after taking back the one before. */
export function applyScript(name: string, settings: readonly TunedSysctl[], owner: string): string {
  return [
    ...["set -eu", "umask 077", functions, apply],
    `printf %s ${quote(owner)} > "$dir/owner"`,
    ...settings.map(
      ({ key, value }) => `change ${key === MTU ? DEFAULT_DEVICE : quote(key)} ${quote(value)}`,
    ),
    `printf %s ${quote(name)} > "$dir/profile"`,
  ].join("\n");
}
