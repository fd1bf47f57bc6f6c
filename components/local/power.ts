/** Imitates a machine's power, so that a plan can have it fail: a lab's host has no kernel of its own to end. */

const BOOT_FILE = "/etc/egress-bench/boot";
const POWER_PROGRAM = "/usr/local/sbin/egress-bench-power";
const HA_PROGRAM = "/usr/local/sbin/egress-bench-ha";

/**
 * `egress-bench-power kill|stop|reboot SECONDS`: what a machine has in its memory is gone (connections, rules, the
 * daemons of a pair), nothing passes for so long, and then it boots. `kill` cuts its links first, without a word to
 * anybody; the others end in order.
 */
const powerProgram = `#!/bin/sh
links() { ip -o link show up | sed -n 's/^[0-9]*: \\([^:@]*\\).*/\\1/p' | grep -vx lo; }

# Both ways, ARP and signs of life too, and ahead of all other rules.
cut_links() {
  for hook in ingress egress; do
    for link in $(links); do
      echo "table netdev egress_bench_power {
        chain \${hook}_$link { type filter hook $hook device \\"$link\\" priority -500; policy drop; }
      }"
    done
  done | nft -f -
}

forget() {
  sysctl -qw net.ipv4.ip_forward=0
  printf 'table inet egress_bench\\ndelete table inet egress_bench\\n' | nft -f -
  conntrack -F 2>/dev/null
}

pair() { [ ! -x ${HA_PROGRAM} ] || ${HA_PROGRAM} "$1"; }

case $1 in
kill) cut_links; pair crash ;;
stop | reboot) pair stop; cut_links ;;
*) exit 2 ;;
esac
forget
sleep "$2"
nft delete table netdev egress_bench_power
exec sh ${BOOT_FILE}
`;

/** The script of a NAT instance that can lose its power: run now, and at each of its boots. */
export function bootScript(script: string): string {
  return `mkdir -p /etc/egress-bench
cat > ${POWER_PROGRAM} <<'END_OF_POWER'
${powerProgram}END_OF_POWER
chmod 755 ${POWER_PROGRAM}
cat > ${BOOT_FILE} <<'END_OF_BOOT'
${script}
END_OF_BOOT
sh ${BOOT_FILE}
`;
}
