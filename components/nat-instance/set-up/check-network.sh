# Makes a network behind the machine, from which the machine tests its own forwarding.

set_up_check() {
  ip -n ebcheck link >/dev/null 2>&1 && return
  # A name whose network is gone.
  ip netns del ebcheck 2>/dev/null || :
  ip netns add ebcheck
  ip link add ebcheck0 type veth peer name eth0 netns ebcheck
  ip address add 169.254.77.1/30 dev ebcheck0
  ip link set ebcheck0 up
  ip -n ebcheck address add 169.254.77.2/30 dev eth0
  ip -n ebcheck link set eth0 up
  ip -n ebcheck route add default via 169.254.77.1
}
