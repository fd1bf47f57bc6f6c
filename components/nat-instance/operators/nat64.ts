/**
 * NAT64: hosts that have IPv6 alone reach servers that have IPv4 alone, by names that DNS64 answers. tayga, a package of
 * Debian and Ubuntu, translates between the protocols, a private IPv4 address a host; the ruleset translates that address
 * as any private host's.
 */
/** The prefix that all DNS64 services answer with unless they are given another: RFC 6052. */
const NAT64_PREFIX = "64:ff9b::/96";

/** One address of it for each IPv6 host; the end of the shared address space (RFC 6598), of which others use the beginning. */
export const NAT64_POOL = "100.127.0.0/16";

/** The interface of the translator, which is none of the flowtable's: packets reach it by the rules. */
export const NAT64_DEVICE = "ebnat64";

/** Debian and Ubuntu packages of NAT64. */
export const NAT64_PACKAGES = ["tayga"] as const;

/** Rules beside those of IPv4. */
export const nat64Rules = {
  forward: (
    privateIpv6Cidrs: readonly string[],
  ) => `		ip6 saddr { ${privateIpv6Cidrs.join(", ")} } ip6 daddr ${NAT64_PREFIX} oifname "${NAT64_DEVICE}" ct state new accept
		iifname "${NAT64_DEVICE}" ip saddr ${NAT64_POOL} oifname $out_interface ct state new accept
`,
};

/** The source address of the translator's own ICMP errors: an unrouted one (RFC 4193) that spells the package's name in ASCII. */
const TRANSLATOR = "fd74:6179:6761::1";

const CONFIGURATION = "/etc/egress-bench/nat64.conf";
const STATE_DIRECTORY = "/var/lib/egress-bench-nat64";
const NAT64_SERVICE = "egress-bench-nat64";

/**
 * Defines `set_up_nat64`. Expects `note` and `$out`. The pool's addresses are remembered, so that connections outlive a
 * new start of the translator.
 */
export const nat64Script = `
nat64_configuration() {
  cat <<'END_OF_NAT64'
tun-device ${NAT64_DEVICE}
ipv4-addr ${NAT64_POOL.replace("0.0/16", "0.1")}
ipv6-addr ${TRANSLATOR}
prefix ${NAT64_PREFIX}
dynamic-pool ${NAT64_POOL}
data-dir ${STATE_DIRECTORY}
END_OF_NAT64
}

# As wide as the way out: what does not fit on the way in is refused by the interface that it does not fit.
nat64_interface() {
  modprobe -q tun || :
  ip link show dev ${NAT64_DEVICE} >/dev/null 2>&1 || tayga --config ${CONFIGURATION} --mktun || return
  mtu=$(ip -o link show dev "$out" | sed -n 's/.* mtu \\([0-9]*\\) .*/\\1/p')
  ip link set dev ${NAT64_DEVICE} mtu "$mtu" up && ip route replace ${NAT64_POOL} dev ${NAT64_DEVICE} &&
    ip -6 route replace ${NAT64_PREFIX} dev ${NAT64_DEVICE}
}

# Nobody's rights, once it has its interface.
nat64_translator() {
  set -- tayga --config ${CONFIGURATION} --user nobody --group nogroup
  if [ -d /run/systemd/system ]; then
    systemctl is-active --quiet ${NAT64_SERVICE} ||
      systemd-run --quiet --unit ${NAT64_SERVICE} --property Restart=always --property RestartSec=1 "$@" --nodetach
  else
    kill -0 "$(cat /run/${NAT64_SERVICE}.pid 2>/dev/null)" 2>/dev/null || "$@" --pidfile /run/${NAT64_SERVICE}.pid
  fi
}

set_up_nat64() {
  # The package's own service would translate by its example, as soon as the package is there.
  [ ! -d /run/systemd/system ] || systemctl --quiet mask --now tayga.service 2>/dev/null || :
  command -v tayga >/dev/null || { note "no NAT64: there is no program tayga"; return; }
  install -d -o nobody -g nogroup ${STATE_DIRECTORY}
  mkdir -p /etc/egress-bench
  nat64_configuration > ${CONFIGURATION}
  said=$(nat64_interface 2>&1) || { note "no NAT64, for want of its interface: $said"; return; }
  nat64_translator || note "no NAT64: tayga does not start"
}
`;
