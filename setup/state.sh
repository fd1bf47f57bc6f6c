# Where the stacks' state is kept, the passphrase that encrypts its secrets, and the stacks' configuration.
# shellcheck shell=bash

ensure_state() {
  local passphrase=$STATE/passphrase
  [[ ! -s $passphrase || ! -d $STATE/state ]] || return 0
  # A new passphrase could not read what an old one has encrypted.
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
# secrets, `config set` writes the file anew, and `stack rm` removes it. One that nobody has changed follows the ready-made.
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
