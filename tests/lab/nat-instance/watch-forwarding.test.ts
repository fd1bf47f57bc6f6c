/**
 * What can stop a machine from forwarding while its own rules are as written: repaired, or named in the notes, the journal and
 * the metric, by the program that its timer runs each 15 s. Real packets in the lab: the check's enter by the inside
 * interface. Not proved: obstacles that the lab's kernel lacks (XDP of a driver, a cloud's source/destination check), and
 * what stops packets that leave by the inside interface.
 */
import { beforeEach, expect, test } from "vitest";
import { NOTES_FILE, natSetup } from "../../../components/nat-instance/index.ts";
import { INSTANCE, PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const PROGRAM = "/usr/local/sbin/egress-bench-nat-instance";
const DIRECTORY = "/tmp/metrics";

const lab = sharedLab();
const instance = (script: string) => lab.run("instance", script);
/** One run of the timer's program. @returns its output, the figure and the notes */
const look = () => {
  const journal = instance(`sh ${PROGRAM} if-drifted 2>&1 || :`);
  const written = instance(
    `egress-bench-nat-metrics eth0; cat ${DIRECTORY}/egress_bench_nat.prom ${NOTES_FILE}`,
  );
  return {
    journal,
    forwards: /^egress_bench_nat_forwards (\d)$/m.exec(written)?.[1],
    named: /^does not forward: (.*)$/m.exec(written)?.[1],
  };
};
const passes = () => lab.flows("tcp").map(({ address }) => address);

const setUp = (address = SERVER) => {
  const text = natSetup({
    privateCidrs: [PRIVATE_CIDR],
    dataPlane: "nftables",
    metricsDirectory: DIRECTORY,
    checks: [
      { address: "198.19.1.77", port: 7000 },
      { address, port: 7000 },
    ],
  });
  instance(`cat > /tmp/set-up <<'END_OF_SET_UP'\n${text}END_OF_SET_UP\nsh /tmp/set-up`);
};
beforeEach(() => lab.renewInstance());

test.each([
  ["forwarding off on the inside interface", "sysctl -qw net.ipv4.conf.eth0.forwarding=0"],
  ["forwarding off on the outside interface", "sysctl -qw net.ipv4.conf.eth1.forwarding=0"],
  [
    "the test's own link gone, and forwarding off",
    "ip link del ebcheck0; sysctl -qw net.ipv4.conf.eth0.forwarding=0",
  ],
  ["the test's own address gone", "ip address flush dev ebcheck0"],
  ["a strict source filter", "sysctl -qw net.ipv4.conf.eth0.rp_filter=1; ip route add blackhole 198.18.1.2"],
])("is repaired: %s", (_, spoil) => {
  setUp();
  expect(look()).toEqual({ journal: "", forwards: "1", named: undefined });
  instance(spoil);
  instance("ip route del blackhole 198.18.1.2 2>/dev/null || :");
  expect(look().journal).toContain("set up again");
  expect(passes()).toEqual([INSTANCE]);
  expect(look()).toEqual({ journal: "", forwards: "1", named: undefined });
});

test("a whole set-up again turns forwarding on where one interface has it off", () => {
  setUp();
  instance("sysctl -qw net.ipv4.conf.eth0.forwarding=0");
  expect(passes()).not.toEqual([INSTANCE]);
  setUp();
  expect(passes()).toEqual([INSTANCE]);
});

test.each([
  [
    "another program's chain (Docker, firewalld)",
    "nft add table ip filter; nft add chain ip filter FORWARD '{ type filter hook forward priority 0; policy drop; }'",
    "nft delete table ip filter",
    /rules in ip filter FORWARD/,
  ],
  [
    "a chain that is only jumped to",
    "nft 'table ip f { chain d { iifname eth0 drop; }; chain f { type filter hook forward priority -5; jump d; }; }'",
    "nft delete table ip f",
    /rules in ip f d/,
  ],
  [
    "untracked packets",
    "nft 'table ip r { chain p { type filter hook prerouting priority raw; iifname eth0 notrack; }; }'",
    "nft delete table ip r",
    /rules in ip r p/,
  ],
  [
    "a netdev chain on the inside interface",
    "nft 'table netdev n { chain i { type filter hook ingress device eth0 priority 0; policy drop; }; }'",
    "nft delete table netdev n",
    /rules in netdev n i/,
  ],
  [
    "policy routing to a black hole",
    "ip rule add pref 5 iif eth0 lookup 99; ip route add blackhole default table 99",
    "ip rule del pref 5",
    /its route: .*Invalid argument/,
  ],
  [
    "an unreachable route",
    `ip route add unreachable ${SERVER}`,
    `ip route del unreachable ${SERVER}`,
    /its route: .*(unreachable|No route)/,
  ],
  [
    "a tc filter on the inside interface",
    "ip link add sink type veth peer name hole; ip link set sink up; tc qdisc add dev eth0 clsact; tc filter add dev eth0 ingress protocol ip u32 match u32 0 0 action mirred egress redirect dev sink",
    "tc qdisc del dev eth0 clsact; ip link del sink",
    /a tc filter on eth0, ingress/,
  ],
  [
    "a tc filter on the outside interface",
    "ip link add sink type veth peer name hole; ip link set sink up; tc qdisc add dev eth1 clsact; tc filter add dev eth1 egress protocol ip u32 match u32 0 0 action mirred egress redirect dev sink",
    "tc qdisc del dev eth1 clsact; ip link del sink",
    /a tc filter on eth1, egress/,
  ],
  [
    "the inside interface down",
    "ip link set eth0 down",
    "ip link set eth0 up; ip route replace 198.18.77.2/32 dev eth0",
    /eth0 is down/,
  ],
  [
    "an outside gateway that does not answer",
    `ip route replace default via 198.19.1.50; ip route add ${SERVER}/32 via 198.19.1.50 onlink dev eth1`,
    `ip route del ${SERVER}/32; ip route replace default via ${SERVER}`,
    /neighbours of eth1 that do not answer: .*198\.19\.1\.50/,
  ],
])("is named, and forgotten once it is gone: %s", (_, spoil, mend, cause) => {
  setUp();
  expect(look().forwards).toBe("1");
  instance(spoil);
  expect(passes()).not.toEqual([INSTANCE]);
  const seen = look();
  expect(seen.journal).toMatch(cause);
  expect(seen).toMatchObject({ forwards: "0", named: expect.stringMatching(cause) });
  // Said once, not each 15 s.
  expect(look()).toMatchObject({ journal: "", forwards: "0" });
  instance(mend);
  expect(look()).toEqual({ journal: "egress-bench: forwards again\n", forwards: "1", named: undefined });
  expect(passes()).toEqual([INSTANCE]);
});

test("a repair that fails leaves no old word that it forwards", () => {
  setUp();
  expect(look().forwards).toBe("1");
  instance("sysctl -qw net.ipv4.conf.eth0.forwarding=0; ip route del default");
  expect(look()).toMatchObject({
    journal: expect.stringContaining("no IPv4 default route"),
    forwards: "0",
    named: expect.stringContaining("its route"),
  });
  instance(`ip route replace default via ${SERVER}`);
  look();
  expect(look()).toEqual({ journal: "", forwards: "1", named: undefined });
});

test("a refusal proves nothing, as it may be the machine's own: the next target is asked", () => {
  setUp();
  const refuse = (rule: string) =>
    instance(
      `nft 'table ip r { chain f { type filter hook forward priority -5; ${rule} reject with tcp reset; }; }'`,
    );
  refuse("ip daddr 198.19.1.77 meta l4proto tcp");
  expect(look()).toEqual({ journal: "", forwards: "1", named: undefined });
  refuse("meta l4proto tcp");
  expect(look()).toMatchObject({ forwards: "0", named: expect.stringMatching(/rules in ip r f/) });
});

test("what has never answered says nothing of the machine", () => {
  setUp("198.19.1.78");
  expect(look()).toEqual({ journal: "", forwards: undefined, named: undefined });
});

test("nobody else passes as the check", () => {
  setUp();
  lab.run("client", "ip address add 169.254.77.2/32 dev eth0");
  lab.run(
    "server",
    "nft 'table ip seen { counter c { }; chain i { type filter hook input priority 0; tcp dport 7000 counter name c; }; }'",
  );
  expect(lab.flows("tcp", { from: "169.254.77.2" })[0]?.address).toMatch(/Error|timeout/i);
  expect(lab.run("server", "nft list counter ip seen c")).toContain("packets 0");
  lab.run("server", "nft delete table ip seen");
  lab.run("client", "ip address del 169.254.77.2/32 dev eth0");
});
