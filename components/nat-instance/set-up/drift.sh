# Notices foreign changes of rules or kernel settings, and repeats the set-up. Changes between their setting and the end of
# the set-up count too: rules by remember_rules, settings in $set_values. Setting: drifts_file.

in_force_file=/run/egress-bench-nat-in-force

remember_rules() {
  loaded_rules=$(rules_in_force)
  [ -n "$loaded_rules" ] || fail "the rules are not in force"
}

# An address that is away may come back; another one, or none among several, needs other rules.
has_another_address() (
  find_out_interface && find_out_address && [ -n "$out_address" ] &&
    ! grep -qxF "define out_address = $out_address" "$ruleset_file" && echo "> the outside address $out_address"
) 2>/dev/null

leave_unless_drifted() {
  what_changed=$(in_force | diff "$in_force_file" - 2>&1) && ! what_changed=$(has_another_address) && watch_forwarding && exit
  # Rules that cannot be mended may be in the way, or not.
  trap '[ $? = 0 ] || watch_forwarding' EXIT
  echo "egress-bench: something else has changed rules or kernel settings:"
  printf '%s\n' "$what_changed" | sed -n '/^[<>]/p' | head -n 10
  date -u +%Y-%m-%dT%H:%M:%SZ >> "$drifts_file"
}

# A look takes only some 20 ms. A change of rules triggers a look at once (guard.sh); a change of kernel settings has no
# event.
remember_set_up() {
  printf '%s%s\n' "$set_values" "$loaded_rules" > "$in_force_file"
  [ ! -s "$drifts_file" ] ||
    note "set up again after a foreign change: $(wc -l < "$drifts_file") times, last at $(tail -n 1 "$drifts_file")"
  [ ! -f "$set_up_program" ] || run_every egress-bench-nat-drift 15 /bin/sh "$set_up_program" if-drifted
}
