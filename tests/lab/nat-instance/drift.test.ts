/**
 * Foreign changes of a NAT instance's rules or kernel settings are noticed by the program that its timer runs, undone, and
 * reported. Real rules and traffic in the lab; systemd is another machine's, so its timers' and units' programs are run
 * here by hand.
 */
import { describe, expect, test } from "vitest";
import { type NatSetupArgs, NOTES_FILE, natSetup } from "../../../components/nat-instance/index.ts";
import { installAgent } from "../../helpers/agent-files.ts";
import { INSTANCE, type NatLab, PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const PROGRAM = "/usr/local/sbin/egress-bench-nat-instance";

function setUp(lab: NatLab, args: Partial<NatSetupArgs> = {}): void {
  const text = natSetup({ privateCidrs: [PRIVATE_CIDR], dataPlane: "nftables", ...args });
  lab.run("instance", `cat > /tmp/set-up <<'END_OF_SET_UP'\n${text}END_OF_SET_UP\nsh /tmp/set-up`);
}

/** Runs the timer's program. @returns its output */
const look = (lab: NatLab) => lab.run("instance", `sh ${PROGRAM} if-drifted`);
const drifts = (lab: NatLab) =>
  lab.run("instance", "cat /run/egress-bench-nat-drifts 2>/dev/null || :").trim();
const translated = (lab: NatLab) => lab.flows("tcp").map(({ address }) => address);

const lab = sharedLab();

describe("the program that looks for a drift", () => {
  test("changes nothing if nothing, or only other tables, have changed", () => {
    setUp(lab);
    const handles = "nft -a list table inet egress_bench | grep -o 'handle.*'";
    const before = lab.run("instance", handles);
    lab.run("instance", "nft add table inet mine; nft add chain inet mine kept");
    translated(lab);
    expect(look(lab)).toBe("");
    // Reloaded rules would have other numbers.
    expect(lab.run("instance", handles)).toBe(before);
    expect(drifts(lab)).toBe("");
    lab.run("instance", "nft delete table inet mine");
  });

  test.each<[string, Partial<NatSetupArgs>, string, RegExp]>([
    ["all rules flushed", {}, "nft flush ruleset", /^< table inet egress_bench/m],
    [
      "a rule more",
      {},
      "nft insert rule inet egress_bench forward tcp dport 7000 drop",
      /^> .*tcp dport 7000 drop/m,
    ],
    [
      "forwarding turned off",
      {},
      "sysctl -qw net.ipv4.ip_forward=0",
      /^< net.ipv4.ip_forward = 1\n> net.ipv4.ip_forward = 0$/m,
    ],
    [
      "another time-out",
      {},
      "sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_established=60",
      /^> .*established = 60$/m,
    ],
    [
      "a time-out that differs from the owner's",
      { idleTimeouts: { tcp: 3_600 } },
      "sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_established=60",
      /^< .*established = 3600\n> .*established = 60$/m,
    ],
    [
      "iptables' rule deleted",
      { dataPlane: "iptables", strict: true },
      "iptables -t nat -F POSTROUTING",
      /^< .*MASQUERADE/m,
    ],
  ])("undoes, reports and counts: %s", (_, args, spoil, says) => {
    setUp(lab, args);
    lab.run("instance", "rm -f /run/egress-bench-nat-drifts");
    const inForce =
      "sysctl net.ipv4.ip_forward net.netfilter.nf_conntrack_tcp_timeout_established; nft -s list ruleset; iptables -t nat -S";
    const before = lab.run("instance", inForce);
    lab.run("instance", spoil);
    const said = look(lab);
    expect(said).toMatch(/^egress-bench: something else has changed rules or kernel settings:$/m);
    expect(said).toMatch(says);
    expect(lab.run("instance", inForce)).toBe(before);
    expect(translated(lab)).toEqual([INSTANCE]);
    expect(drifts(lab)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(lab.run("instance", `cat ${NOTES_FILE}`)).toContain(
      `set up again after a foreign change: 1 times, last at ${drifts(lab)}`,
    );
    expect(look(lab)).toBe("");
  });

  test("is not called by the agent while nothing has changed, and is called for each change, and during a set-up", () => {
    setUp(lab);
    lab.run("instance", installAgent("/root"));
    // One process, like the daemon: it remembers earlier looks.
    const looks = `
import fcntl, os, subprocess, sys
sys.path.insert(0, os.getcwd())
from daemon import set_up
def sh(line):
    subprocess.run(line, shell=True, check=True, stdout=subprocess.DEVNULL)
for change in sys.argv[1:]:
    sh("sh ${PROGRAM}")
    before = [set_up.is_as_left(), set_up.is_as_left(), bool(set_up.confirmed)]
    sh(change)
    print(*before, set_up.is_as_left(), set_up.is_as_left())
sh("sh ${PROGRAM}")
lock = os.open("/run/egress-bench-nat.lock", os.O_RDWR)
fcntl.flock(lock, fcntl.LOCK_EX)
print(set_up.is_as_left())
`;
    const changes = [
      "sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_established=60",
      "nft insert rule inet egress_bench forward tcp dport 7000 drop",
      "nft flush ruleset",
      "rm /run/egress-bench-nat-in-force",
      "nft add table inet mine",
    ];
    const words = changes.map((change) => `'${change}'`).join(" ");
    const said = lab.run(
      "instance",
      `cat > /tmp/looks.py <<'END'\n${looks}END\ncd /root/.egress-bench && python3 /tmp/looks.py ${words}`,
    );
    expect(said.trim().split("\n")).toEqual([
      ...changes.slice(0, 4).map(() => "True True True False False"),
      // Another program's table.
      "True True True True True",
      "False",
    ]);
  });

  test("retries if the set-up failed midway", () => {
    setUp(lab);
    lab.run("instance", "nft flush ruleset; ip route del default");
    expect(() => look(lab)).toThrow(/no IPv4 default route shows the outside interface/);
    lab.run("instance", `ip route add default via ${SERVER}`);
    look(lab);
    expect(translated(lab)).toEqual([INSTANCE]);
  });

  test("waits for a running set-up, which is no drift", () => {
    setUp(lab);
    lab.run("instance", "rm -f /run/egress-bench-nat-drifts");
    lab.run(
      "instance",
      `for _ in 1 2 3 4; do sh ${PROGRAM} & sh ${PROGRAM} if-drifted & done >/dev/null; wait`,
    );
    expect(drifts(lab)).toBe("");
    expect(translated(lab)).toEqual([INSTANCE]);
  });
});

test("a kernel setting changed during the set-up is restored", () => {
  setUp(lab);
  // The set-up calls ethtool after turning forwarding on.
  lab.run(
    "instance",
    `printf '#!/bin/sh\\nsysctl -qw net.ipv4.ip_forward=0\\n' > /usr/local/sbin/ethtool; chmod 755 /usr/local/sbin/ethtool; hash -r; sh ${PROGRAM}; rm /usr/local/sbin/ethtool`,
  );
  expect(lab.run("instance", "sysctl -n net.ipv4.ip_forward").trim()).toBe("0");
  expect(look(lab)).toContain("< net.ipv4.ip_forward = 1\n> net.ipv4.ip_forward = 0");
  expect(lab.run("instance", "sysctl -n net.ipv4.ip_forward").trim()).toBe("1");
});

test("a boot applies the kernel settings without forwarding, which waits for the rules", () => {
  setUp(lab);
  const settings = "net.ipv4.ip_forward net.ipv4.conf.all.send_redirects";
  const applied = lab.run(
    "instance",
    `unshare -n sh -c 'sysctl -qp /etc/sysctl.d/90-egress-bench.conf 2>/dev/null; sysctl -n ${settings}'`,
  );
  expect(applied).toBe("0\n0\n");
});

test("with a full disk the set-up fails, and keeps the rules and their file", () => {
  setUp(lab);
  const before = lab.run("instance", "cat /etc/egress-bench/nat.nft");
  const said = lab.run(
    "instance",
    `mkdir /tmp/full; cp -a /etc/egress-bench/. /tmp/full; mount -t tmpfs -o size=4k full /etc/egress-bench; head -c 4096 /dev/zero > /etc/egress-bench/filler 2>/dev/null
sysctl -qw net.ipv4.ip_forward=0; nft flush ruleset; sh ${PROGRAM} 2>&1; echo "status $?"; sysctl -n net.ipv4.ip_forward; umount /etc/egress-bench`,
  );
  expect(said).toMatch(/\/etc\/egress-bench\/nat\.nft cannot be written[\s\S]*\nstatus 1\n0\n$/);
  expect(lab.run("instance", "cat /etc/egress-bench/nat.nft")).toBe(before);
  setUp(lab);
  expect(translated(lab)).toEqual([INSTANCE]);
});

/** Says a byte and waits for it, before the file /tmp/go exists and after. */
const talk = `
import os, socket, time
with socket.create_connection(("${SERVER}", 7005), 5) as line:
    line.settimeout(5)
    for name in ("first", "second"):
        line.sendall(b"x")
        with open("/tmp/" + name, "w") as file:
            try: file.write(repr(line.recv(1)))
            except OSError as error: file.write(repr(error))
        while not os.path.exists("/tmp/go"): time.sleep(0.05)
`;
const echo = `
import socket
line = socket.create_server(("", 7005)).accept()[0]
while True: line.sendall(line.recv(1))
`;

test("an open connection goes on once the outside address is back; another address gets rules of its own", async () => {
  setUp(lab);
  const start = (host: "client" | "server", text: string) =>
    lab.run(
      host,
      `cat > /tmp/talk.py <<'END'\n${text}END\nsetsid python3 /tmp/talk.py </dev/null >/dev/null 2>&1 &`,
    );
  const said = (name: string) => lab.run("client", `cat /tmp/${name} 2>/dev/null || :`);
  const readdress = (from: string, to: string) =>
    lab.run(
      "instance",
      `ip address del ${from}/24 dev eth1; ip address add ${to}/24 dev eth1; ip route replace default via ${SERVER}`,
    );
  start("server", echo);
  await expect.poll(() => lab.run("server", "ss -Hltn sport = 7005")).not.toBe("");
  start("client", talk);
  await expect.poll(() => said("first"), { timeout: 20_000 }).toBe("b'x'");
  readdress(INSTANCE, INSTANCE);
  expect(look(lab)).toBe("");
  lab.run("client", "touch /tmp/go");
  await expect.poll(() => said("second"), { timeout: 20_000 }).not.toBe("");
  expect(said("second")).toBe("b'x'");
  readdress(INSTANCE, "198.19.1.2");
  expect(look(lab)).toContain("> the outside address 198.19.1.2");
  expect(translated(lab)).toEqual(["198.19.1.2"]);
  readdress("198.19.1.2", INSTANCE);
  expect(look(lab)).toContain(`> the outside address ${INSTANCE}`);
});
