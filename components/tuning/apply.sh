# Applies a profile, after undoing the one before.

change() {
  if ! old=$(value_of "$1" 2>/dev/null); then
    echo "tuning: no $1 in this kernel or network namespace" >> "$dir/notes"
    return
  fi
  printf '%s=%s\n' "$1" "$old" >> "$dir/saved"
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
