# Functions of the set-up's parts; sourced, never run. Needs ROOT, the project's absolute directory.
# shellcheck shell=bash

TOOLS=$ROOT/.tools
# shellcheck disable=SC2034 # for those that source this
STATE=$ROOT/.egress-bench

# One line of progress.
say() { printf 'setup: %s\n' "$*"; }

# fail <problem> [<remedy>...]: prints both on stderr and stops the set-up.
fail() {
  printf 'setup: error: %s\n' "$1" >&2
  shift
  (($# == 0)) || printf 'setup:   %s\n' "$@" >&2
  exit 1
}

# require_temporary: fails early; a missing temporary directory would fail later, in some program's own words.
require_temporary() {
  local at=${TMPDIR:-/tmp}
  [[ -d $at && -w $at ]] || fail "temporary files cannot be written to $at${TMPDIR:+, which TMPDIR names}." \
    "Make that directory, or name another one: TMPDIR=/var/tmp"
}

# require_directory: Node and Pulumi do not start in a removed directory, and Pulumi takes the directory of its state for an address.
require_directory() {
  [[ $ROOT != *[%#?]* ]] || fail "$ROOT cannot hold Pulumi's state: its path has %, # or ?." "Move the clone to another path."
  pwd -P >/dev/null 2>&1 || fail "the current directory was removed." "Change to one that exists, such as: cd $ROOT"
}

# require_writable: every set-up writes here, and would stop in the middle, in some program's own words.
require_writable() {
  local at
  for at in "$ROOT" "$TOOLS" "$TOOLS/pulumi-home" "$STATE"; do
    [[ ! -e $at || -w $at || -O $at ]] || fail "$at belongs to another user, and $(id -un 2>/dev/null || echo "user $EUID") cannot write it." \
      "Use a clone of your own, or run this as the user who owns it."
  done
}

# fail_usage <problem>: the command line cannot be used.
fail_usage() {
  printf 'setup: error: %s\n' "$1" >&2
  exit 2
}

# version_at_least <version> <minimum>: compares dotted numbers, with or without a leading v.
version_at_least() {
  local found wanted at
  IFS=. read -ra found <<<"${1#v}"
  IFS=. read -ra wanted <<<"${2#v}"
  for at in 0 1 2; do
    ((${found[at]:-0} == ${wanted[at]:-0})) || return $((${found[at]:-0} < ${wanted[at]:-0}))
  done
}

# sha256 <file...>: one line per file, in sha256sum's format; macOS has shasum.
sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

# limited <seconds> <command...>: ends a command that takes longer, where there is a `timeout` (macOS has none).
limited() {
  local seconds=$1
  shift
  if command -v timeout >/dev/null; then timeout --foreground -k 5 "$seconds" "$@"; else "$@"; fi
}

# pinned <name>: the SHA-256 under that name in setup/checksums, if any.
pinned() {
  sed -n "s/^\([0-9a-f]\{64\}\)  ${1//./\\.}$/\1/p" "$ROOT/setup/checksums"
}

# is_pinned <name> <file>: whether the file has the checksum under that name in setup/checksums.
is_pinned() {
  local wanted found
  wanted=$(pinned "$1")
  found=$(sha256 <"$2")
  [[ -n $wanted && ${found%% *} == "$wanted" ]] && return 0
  printf '%s: expected the SHA-256 %s (setup/checksums), got %s\n' "$1" "${wanted:-of a known version}" "${found%% *}" >&2
  return 1
}

# processor: this machine's processor, in Node's and Pulumi's words.
processor() {
  local machine
  machine=$(uname -m)
  machine=${machine/x86_64/x64}
  printf '%s' "${machine/aarch64/arm64}"
}

# platform: linux or darwin, in Node's and Pulumi's words.
platform() {
  case ${OSTYPE:-} in darwin*) echo darwin ;; *) echo linux ;; esac
}

# path_without <directory>: PATH without that entry.
path_without() {
  local entry entries kept=()
  IFS=: read -ra entries <<<"$PATH"
  for entry in "${entries[@]}"; do
    [[ $entry == "$1" ]] || kept+=("$entry")
  done
  (IFS=: && printf '%s' "${kept[*]}")
}

# can_make <directory>: whether the directory exists and is writable, or can be made. It tries: a file system may refuse
# root despite the directory's mode.
can_make() {
  local at=$1 probe
  [[ $at == /* ]] || return 1
  while [[ -n $at && ! -e $at ]]; do at=${at%/*}; done
  probe=$(mktemp -d "$at/.egress-bench.XXXXXX" 2>/dev/null) && rmdir "$probe"
}

# writable_cache <variable> <usual directory>: moves a program's cache into the project where its usual place is not
# writable, such as in a read-only home. The variable tells the program; prune_leftovers removes the cache.
writable_cache() {
  ! can_make "$2" || return 0
  say "${2:-the home directory} cannot be written: $1 is .tools/cache/$1 until set-up is done"
  export "$1=$TOOLS/cache/$1"
}

# logged <name> <command...>: runs a command with its output in .tools/log/<name>.log. Every 20 s it reports progress, with
# the output of the command in LOGGED_REMARK. Returns the command's status.
logged() {
  local name=$1 status=0 seconds=0 beat
  local log=$TOOLS/log/$name.log
  shift
  mkdir -p "$TOOLS/log"
  # A background job ignores Ctrl-C, so it watches for the set-up's own end; it must not hold the lock (9).
  while sleep 1 >/dev/null && kill -0 $$; do
    ((++seconds % 20)) || say "  ... still at it (${log#"$ROOT"/})$(${LOGGED_REMARK:-true} "$seconds")"
  done 2>/dev/null 9>&- &
  beat=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$beat" 2>/dev/null
  wait "$beat" 2>/dev/null || true
  return $status
}

# fail_with_log <name> <problem> [<remedy>...]: fails, with the end of the log that `logged` kept.
fail_with_log() {
  local log=$TOOLS/log/$1.log
  shift
  tail -n 15 "$log" | sed 's/^/setup:   | /' >&2
  fail "$@" "The whole output: $log"
}

# give_back <path...>: gives root's files in another user's clone to that user: the next run without sudo could not write
# them otherwise.
give_back() {
  ((EUID == 0)) || return 0
  local owner path
  owner=$(stat -c %u:%g "$ROOT" 2>/dev/null || stat -f %u:%g "$ROOT")
  [[ ${owner%%:*} != 0 ]] || return 0
  for path in "$@"; do
    [[ ! -e $path ]] || find "$path" -user root -exec chown -h "$owner" {} +
  done
}
