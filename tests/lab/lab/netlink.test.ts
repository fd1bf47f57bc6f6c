/**
 * Interfaces and queues as the agent reads them from the kernel, compared with the output of `ip` and `tc` on the same
 * host.
 */
import { expect, test } from "vitest";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { installAgent } from "../../helpers/agent-files.ts";
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";

interface Link {
  readonly ifname: string;
  readonly flags: readonly string[];
  readonly mtu: number;
  readonly qdisc: string;
  readonly master?: string | null;
  readonly link?: string | null;
  readonly linkinfo?: { readonly info_kind?: string };
  readonly stats64: Record<
    "rx" | "tx",
    { readonly packets: number; readonly bytes: number; readonly dropped: number }
  >;
}

interface Qdisc {
  readonly dev: string;
  readonly kind: string;
  readonly root?: boolean;
  readonly drops: number;
  readonly backlog: number;
}

/** Interfaces of every distinguished kind, with traffic, a full queue, and a pair with its other end elsewhere. */
const INTERFACES = `
ip link set lo up
ip link add br0 type bridge
ip link add left type veth peer name right
ip link set right mtu 1400
ip link set left master br0 up
ip link set right up
ip link set br0 up
ip address add 198.18.9.1/24 dev right
ip neigh add 198.18.9.2 lladdr 02:00:00:00:00:02 dev right
ip link add here type veth peer name there
unshare -n sleep 60 >/dev/null 2>&1 &
sleep 0.2
ip link set there netns $!
ip link set here up
# Not every kernel has these.
ip link add link right name right.7 type vlan id 7 2>/dev/null || :
ip link add dummy0 mtu 9000 type dummy 2>/dev/null || :
tc qdisc replace dev right root tbf rate 8kbit burst 1600 limit 2000
tc qdisc add dev right ingress 2>/dev/null || :
python3 -c 'import socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(20): sock.sendto(bytes(1000), ("198.18.9.2", 9))'
`;

const PYTHON =
  "import json, sys; sys.path.insert(0, '.'); from host import netlink; print(json.dumps([netlink.all_links(), netlink.all_qdiscs()]))";

const known = ({ ifname, flags, mtu, qdisc, master, link, linkinfo, stats64: { rx, tx } }: Link) => ({
  ifname,
  isLoopback: flags.includes("LOOPBACK"),
  mtu,
  qdisc,
  master: master ?? null,
  link: link ?? null,
  kind: linkinfo?.info_kind ?? null,
  counters: [rx.packets, rx.bytes, rx.dropped, tx.packets, tx.bytes, tx.dropped],
});

const queue = ({ dev, kind, root, drops, backlog }: Qdisc) => ({
  dev,
  kind,
  root: root === true,
  drops,
  backlog,
});

type Printed = readonly [links: readonly Link[], qdiscs: readonly Qdisc[]];
const figures = ([links, qdiscs]: Printed) => [links.map(known), qdiscs.map(queue)];

test("the agent reads the same from the kernel as ip and tc print", async () => {
  const lab = testLab();
  await startHosts(lab, "host");
  const run = (script: string) => runInHost(lab, "host", script);
  run(`${INTERFACES}\n${installAgent("/root")}`);
  const tools = "ip -s -d -j link show; tc -s -j qdisc show";
  const asked = `${tools}; cd /root/.egress-bench; python3 -c "${PYTHON}"; ${tools}`;
  const ask = () => {
    const [ip, tc, ours, ipAfter, tcAfter] = run(asked)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)) as [Link[], Qdisc[], Printed, Link[], Qdisc[]];
    return { before: [ip, tc] as const, ours, after: [ipAfter, tcAfter] as const };
  };
  // The full queue sends one packet each second, and the kernel sends some by itself: they are compared while none passes.
  let printed = ask();
  await expect
    .poll(() => {
      printed = ask();
      return figures(printed.after);
    })
    .toSatisfy((after) => JSON.stringify(after) === JSON.stringify(figures(printed.before)));
  const [ip, tc] = printed.before;
  expect(figures(printed.ours)).toEqual(figures(printed.before));
  expect(ip.map(({ ifname }) => ifname)).toEqual(
    expect.arrayContaining(["br0", "here", "left", "lo", "right"]),
  );
  expect(ip.find(({ ifname }) => ifname === "left")?.stats64.rx.packets).toBeGreaterThan(0);
  expect(tc.find(({ kind }) => kind === "tbf")?.drops).toBeGreaterThan(0);
});

/** TCP and UDP in both families, and IPv4 on a dual-stack socket, with some bytes moved; the answers stay unread. */
const CONNECTIONS = `
import json, socket, subprocess, sys
sys.path.insert(0, ".")
from host import sockets
held = []
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    server = socket.create_server((address, 5201), family=family)
    client = socket.create_connection((address, 5201))
    client.sendall(bytes(5000))
    accepted = server.accept()[0]
    accepted.recv(5000, socket.MSG_WAITALL)
    datagrams = socket.socket(family, socket.SOCK_DGRAM)
    datagrams.connect((address, 5201))
    held += [server, client, accepted, datagrams]
both = socket.create_server(("::", 5202), family=socket.AF_INET6, dualstack_ipv6=True)
held += [both, socket.create_connection(("127.0.0.1", 5202)), both.accept()[0]]
ours = sockets.connections(lambda protocol, *ports: 5201 in ports or 5202 in ports)
listed = [one for file in sockets.LISTS.values() for one in sockets.listed(open(file).read(), lambda *_: True)]
printed = subprocess.run(["ss", "-HtuinO", "state", "established"], capture_output=True, text=True).stdout
print(json.dumps({"ours": ours, "listed": listed, "printed": printed}))
`;

test("the agent reads the same connections from the kernel as ss prints, with their figures", async () => {
  const lab = testLab();
  await startHosts(lab, "host");
  const ask = `${installAgent("/root")}\ncd /root/.egress-bench; python3 - <<'EOF_ASK'\n${CONNECTIONS}\nEOF_ASK\n`;
  const said = runInHost(lab, "host", ask).trim().split("\n").at(-1) as string;
  const { ours, listed, printed } = JSON.parse(said) as Record<"ours" | "listed", unknown[]> & {
    printed: string;
  };
  const plain = (address: string) => address.replace(/^\[(?:::ffff:)?(.*)\]$/, "$1");
  const figure = (line: string, name: string) => Number(line.match(`(?:^| )${name}:([\\d.]+)`)?.[1] ?? 0);
  const rows = printed
    .trim()
    .split("\n")
    .map((line) => {
      const [protocol = "", , , here = "", there = ""] = line.split(/\s+/);
      const [own, peer] = [here, there].map((end) => /^(.*):(\d+)$/.exec(end)) as RegExpExecArray[];
      const moved = figure(line, "bytes_acked") + figure(line, "bytes_received");
      const figures = [Math.round(figure(line, "rtt") * 1000), figure(line, "cwnd"), moved];
      const ends = [own, peer].flatMap((end) => [plain(end?.[1] ?? ""), Number(end?.[2])]);
      return [protocol, ...ends, ...(protocol === "tcp" ? figures : [0, 0, 0])];
    });
  expect(rows.length).toBeGreaterThanOrEqual(8);
  expect(ours.map(String).sort()).toEqual(rows.map(String).sort());
  expect(listed.map(String).sort()).toEqual(
    rows
      .filter(([protocol]) => protocol === "udp")
      .map(String)
      .sort(),
  );
});

test("the agent notices changed firewall rules, and nothing else", async () => {
  const lab = testLab();
  await startHosts(lab, "host");
  runInHost(lab, "host", installAgent("/root"));
  const generation = () => {
    const ask =
      "import sys; sys.path.insert(0, '.'); from host import netlink; print(netlink.rules_generation())";
    return Number(runInHost(lab, "host", `cd /root/.egress-bench; python3 -c "${ask}"`));
  };
  const changes = ["nft add table inet mine", "nft add chain inet mine kept", "nft flush ruleset"];
  let last = generation();
  expect(last).toBeGreaterThan(0);
  for (const change of changes) {
    expect(generation()).toBe(last);
    runInHost(lab, "host", change);
    expect(generation(), change).not.toBe(last);
    last = generation();
  }
  runInHost(lab, "host", "ip link set lo mtu 9000; nft list ruleset");
  expect(generation()).toBe(last);
});
