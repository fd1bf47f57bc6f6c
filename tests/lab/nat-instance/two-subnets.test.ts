/**
 * Two NAT instances in two subnets: no private address moves between them, but a public one that leads to one of them does,
 * like an Elastic IP of AWS. Proves that sessions outlive the first machine, and that ICMP errors find their way; every
 * packet takes the rules, since this machine's kernel may have no flowtable. Not proved: AWS's own part.
 */
import { expect, test } from "vitest";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { makeLink } from "../../../components/local/lab/links.ts";
import { COMMON_ADDRESS, natSetup } from "../../../components/nat-instance/index.ts";
import { bitsOf } from "../../../components/nat-instance/outer-address.ts";
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";

const SERVER = "198.19.9.1";
/** The sums of their 16-bit words are equal, so that the gateway need not change checksums. */
const PUBLIC = "203.0.252.29";
const FLOWS = 30;
/** The machines' own addresses, and the gateway's beside them. */
const PRIMARY = ["198.19.1.20", "198.20.1.20"] as const;
const NEXT = ["198.19.1.1", "198.20.1.1"] as const;
const OUTER = ["198.19.1.11", "198.20.1.10"] as const;

/** Echoes TCP and UDP, with the caller's address as it sees it. */
const echo = `
import socket, threading
def tcp(connection, peer):
    while data := connection.recv(100):
        connection.sendall(b"%s %d" % (peer[0].encode(), peer[1]))
def accept(listener):
    while True:
        threading.Thread(target=tcp, args=listener.accept(), daemon=True).start()
def udp(datagrams):
    while True:
        _, peer = datagrams.recvfrom(100)
        datagrams.sendto(b"%s %d" % (peer[0].encode(), peer[1]), peer)
datagrams = socket.socket(type=socket.SOCK_DGRAM)
datagrams.bind(("", 7001))
threading.Thread(target=accept, args=(socket.create_server(("", 7000), backlog=128),)).start()
threading.Thread(target=udp, args=(datagrams,)).start()
print("listening", flush=True)
`;

/** Holds flows; at each line of input all send, and it prints how many keep their first source address. */
const holder = `
import os, socket
flows = [socket.create_connection(("${SERVER}", 7000), 3) for _ in range(${FLOWS})]
for _ in range(${FLOWS}):
    flows.append(socket.socket(type=socket.SOCK_DGRAM))
    flows[-1].settimeout(3)
    flows[-1].connect(("${SERVER}", 7001))
def ask(flow):
    try:
        flow.send(b"?")
        return flow.recv(100)
    except OSError as error:
        return type(error).__name__.encode()
first = [ask(flow) for flow in flows]
assert all(one.startswith(b"${PUBLIC} ") for one in first), first
refused = socket.socket(type=socket.SOCK_DGRAM)
refused.settimeout(3)
refused.connect(("${SERVER}", 7999))
for turn in range(2):
    open("/tmp/held", "w").write("%d %s" % (sum(ask(f) == one for f, one in zip(flows, first)), ask(refused).decode()))
    os.rename("/tmp/held", "/tmp/held-%d" % turn)
    while turn == 0 and not os.path.exists("/tmp/go"):
        socket.socket().settimeout(0)
        __import__("time").sleep(0.05)
`;

test("sessions, their addresses and ICMP errors survive the machine that carried them", async () => {
  const lab = testLab();
  await startHosts(lab, "client", "one", "two", "gateway", "server");
  const run = (host: string, script: string) => runInHost(lab, host, script);
  const link = (a: [string, string, string?], b: [string, string, string?]) =>
    makeLink({
      lab,
      shape: {},
      ends: [a, b].map(([host, name, address]) => ({
        host,
        interface: name,
        ...(address === undefined ? {} : { address }),
      })) as never,
    });
  link(["one", "peer", "198.18.5.1/24"], ["two", "peer", "198.18.5.2/24"]);
  link(["gateway", "server", "198.19.9.2/24"], ["server", "eth0", `${SERVER}/24`]);
  run("server", "ip route add default via 198.19.9.2");
  // Before the machines' health check looks: otherwise they would change roles once more.
  run("gateway", "sysctl -qw net.ipv4.ip_forward=1");
  for (const [at, machine] of (["one", "two"] as const).entries()) {
    link(["client", machine, `198.18.${at + 1}.2/24`], [machine, "inside", `198.18.${at + 1}.1/24`]);
    link([machine, "outside", `${PRIMARY[at]}/24`], ["gateway", machine, `${NEXT[at]}/24`]);
    run(machine, `ip route add default via ${NEXT[at]}`);
  }
  // The client has one address, through either machine.
  run("client", "ip address add 198.18.9.9/32 dev lo; sysctl -qw net.ipv4.conf.all.rp_filter=0");
  for (const [at, machine] of (["one", "two"] as const).entries()) {
    run(machine, `ip route add 198.18.9.9/32 via 198.18.${at + 1}.2`);
  }
  const lead = (at: 0 | 1) => {
    run("client", `ip route replace default via 198.18.${at + 1}.1 src 198.18.9.9`);
    run(
      "gateway",
      `nft -f - <<END
table netdev elastic
delete table netdev elastic
table netdev elastic {
  chain in {
    type filter hook ingress device "server" priority -450;
    ip daddr != ${PUBLIC} accept
    icmp type destination-unreachable @th,160,32 set ${bitsOf(OUTER[at])}
    ip daddr set ${OUTER[at]}
  }
  chain out { type filter hook egress device "server" priority 450; ip saddr ${OUTER[at]} ip saddr set ${PUBLIC}; }
}
END`,
    );
  };
  for (const [at, machine] of (["one", "two"] as const).entries()) {
    run(
      machine,
      natSetup({
        privateCidrs: ["198.18.9.0/24"],
        dataPlane: "nftables",
        highAvailability: {
          self: `198.18.5.${at + 1}`,
          peer: `198.18.5.${2 - at}`,
          translatedTo: COMMON_ADDRESS,
          outerAddress: OUTER[at],
          move: { kind: "nothing" },
          check: { address: SERVER, port: 7998 },
        },
      }),
    );
  }
  const role = (machine: string) => run(machine, "cat /run/egress-bench-ha").trim();
  // A starting machine listens for the other one first.
  await expect
    .poll(() => [role("one"), role("two")].sort(), { timeout: 20_000 })
    .toEqual(["active", "standby"]);
  const active = role("one") === "active" ? 0 : 1;
  const second = active === 0 ? "two" : "one";
  lead(active);
  run(
    "server",
    `cat > /tmp/echo.py <<'END'\n${echo}END\nmkfifo /tmp/ready\nsetsid python3 /tmp/echo.py </dev/null >/tmp/ready 2>/tmp/log &\nhead -n 1 /tmp/ready`,
  );
  run(
    "client",
    `cat > /tmp/hold.py <<'END'\n${holder}END\nsetsid python3 /tmp/hold.py </dev/null >/tmp/hold.log 2>&1 &`,
  );
  const held = (turn: number) =>
    run("client", `cat /tmp/held-${turn} 2>/dev/null || tail -n 1 /tmp/hold.log`).trim();
  const all = `${2 * FLOWS} ConnectionRefusedError`;
  await expect.poll(() => held(0), { timeout: 20_000 }).toBe(all);
  // The common address is never on a wire.
  run("one", "egress-bench-ha crash; ip link set inside down; ip link set outside down");
  await expect.poll(() => role(second), { timeout: 10_000 }).toBe("active");
  lead(active === 0 ? 1 : 0);
  run("client", "touch /tmp/go");
  await expect.poll(() => held(1), { timeout: 30_000 }).toBe(all);
});
