# For a machine that boots an image: scripts over the second serial port, and a private client as a network behind eth9.
# Their program is the file named in $SCRIPTS, and $ROUTER is the machine's router; it starts without waiting for anything
# after cloud-init.
set -eu
# A network without a way out names no router.
ip route add default via "$ROUTER"
modprobe veth
ip netns add client
ip link add eth9 type veth peer name eth0 netns client
ip address add 198.18.1.1/24 dev eth9
ip link set eth9 up
ip -n client link set lo up
ip -n client address add 198.18.1.2/24 dev eth0
ip -n client link set eth0 up
ip -n client route add default via 198.18.1.1
systemd-run --quiet --no-block --unit guest-scripts --property DefaultDependencies=no bash "$SCRIPTS"
