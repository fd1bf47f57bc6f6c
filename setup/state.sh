# Place of the stacks' state, the passphrase that encrypts its secrets, and the stacks' configuration.
# shellcheck shell=bash

ensure_state() {
  local passphrase=$STATE/passphrase
  [[ ! -s $passphrase || ! -d $STATE/state ]] || return 0
  # A new passphrase cannot decrypt an old one's secrets.
  if [[ ! -s $passphrase && -d $STATE/state/.pulumi/stacks ]]; then
    fail "$STATE/state holds stacks, but their passphrase is gone: $passphrase" \
      "Put that file back. Or, if the stacks are of no use any more: rm -r $STATE"
  fi
  say "state: keeping stacks in .egress-bench/state, their secrets encrypted with .egress-bench/passphrase"
  mkdir -p "$STATE/state"
  chmod 700 "$STATE"
  [[ -s $passphrase ]] || (umask 077 && head -c 32 /dev/urandom | base64 >"$passphrase.new" &&
    mv -n "$passphrase.new" "$passphrase")
}

# Copies the ready-made stack files to where Pulumi reads and writes them: `stack init` adds the salt of the stack's
# secrets, `config set` rewrites the file, and `stack rm` removes it. An unmodified copy follows changes of the ready-made
# file.
ensure_stack_files() {
  local own=$STATE/stacks ready name
  local given=$own/ready-made
  mkdir -p "$given"
  for ready in "$ROOT"/stacks/Pulumi.*.yaml; do
    [[ -e $ready ]] || continue
    name=${ready##*/}
    if [[ ! -e $own/$name ]]; then
      cp "$ready" "$own/$name"
    elif [[ ! -e $given/$name ]]; then
      : # Made by hand.
    elif [[ ! $ready -nt $given/$name ]] || cmp -s "$ready" "$given/$name"; then
      continue
    elif cmp -s "$own/$name" "$given/$name"; then
      cp "$ready" "$own/$name"
    else
      say "stacks/$name has changed since you changed your copy, which stays: ${own#"$ROOT"/}/$name"
    fi
    cp "$ready" "$given/$name"
  done
}

# Each engine leaves a log and a copy of the earlier state, megabytes a run. Only the newest stay.
KEPT_LOGS=10
KEPT_BACKUPS=10

prune_leftovers() {
  local directory
  # Go makes the directories of modules read-only.
  [[ ! -d $TOOLS/cache ]] || { chmod -R u+w "$TOOLS/cache" && rm -rf "$TOOLS/cache"; }
  keep_newest "$KEPT_LOGS" "$PULUMI_HOME_DIR/logs" log
  for directory in "$STATE"/state/.pulumi/backups/*/*; do
    keep_newest "$KEPT_BACKUPS" "$directory" json
    keep_newest "$KEPT_BACKUPS" "$directory" attrs
  done
}

# keep_newest <count> <directory> <extension>: removes the older files of that kind.
keep_newest() {
  local names name
  [[ -d $2 ]] || return 0
  # shellcheck disable=SC2012 # Pulumi's names have no spaces, and find cannot sort on macOS.
  names=$(ls -t "$2" | grep "\.$3\$" | tail -n +$(($1 + 1))) || return 0
  for name in $names; do
    rm -f "$2/$name"
  done
}
