# Calls the steps in order. Setting: steps.

# One set-up at a time: half a set-up would look like a drift. Programs that a step starts must not hold the lock, and no
# other account may open it.
umask 77
exec 9> /run/egress-bench-nat.lock
umask 22
flock 9
[ "${1-}" != if-drifted ] || leave_unless_drifted
: > "$notes_file"
for step in $steps; do "$step" 9>&-; done
remember_set_up
echo "NAT instance: $data_plane, out by $out, data interfaces $data, room for $(sysctl -n net.netfilter.nf_conntrack_max) connections"
start_guard "$@" 9>&-
