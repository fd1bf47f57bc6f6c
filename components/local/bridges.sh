# Makes bridges without forwarding between them, as the subnets of a cloud exist before their hosts. Setting: bridges.

set -eu
for bridge in $bridges; do
  ip link show "$bridge" >/dev/null 2>&1 || ip link add "$bridge" type bridge forward_delay 0
  ip link set "$bridge" up
done
