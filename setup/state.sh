# Where the stacks' state is kept, and the passphrase that encrypts its secrets.
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
