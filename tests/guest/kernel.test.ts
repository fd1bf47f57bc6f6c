/**
 * What a NAT instance does on this kernel, a row of the table in docs/reference/how-nat-instance-works.md:
 * `npm run guest -- --kernel`. The set-up may refuse the kernel's flowtable; everything else holds with either data plane.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMON_ADDRESS } from "../../components/nat-instance/index.ts";
import { RESET_SECONDS } from "../../components/nat-instance/sysctls.ts";
import { ipv6Client, type Reach } from "./nat64.ts";
import { CLIENT, NAT, type NatGuest, natGuest, SERVER } from "./network.ts";
import { MOVING, natPair, PAIR_SERVER } from "./pair.ts";
import { resetFive } from "./resets.ts";
import { talk } from "./talk.ts";

let guest: NatGuest;
let dataPlane: string;
beforeAll(async () => {
  guest = await natGuest({ seconds: 1700 });
  dataPlane = await guest.setUp({ strict: false });
  process.stderr.write(`Linux ${(await guest.run("uname -r")).trim()}: ${dataPlane}\n`);
  await startEcho("server");
});
afterAll(() => guest?.end());

const MINUTES = 60_000;
/** `--kernel` names this kernel: what takes minutes runs too. No test is skipped, which would fail CI. */
const isAsked = process.env.EGRESS_BENCH_GUEST !== undefined;

/** Holds with a flowtable, and only with one. */
const expectOffload = (text: string) => expect(text.includes("[OFFLOAD]")).toBe(dataPlane === "flowtable");

/**
 * Runs Python in the client: `flow(kind, to)` opens a flow, `exchange(flow, size)` has bytes come back, `tracked(one)`
 * prints what the NAT instance tracks of it.
 */
const inClient = async (program: string) => {
  await guest.run(`cat > /tmp/program.py <<'END'
import socket, subprocess, time
def flow(kind, to):
    family = socket.AF_INET6 if ":" in to else socket.AF_INET
    one = socket.socket(family, kind)
    one.settimeout(30)
    one.connect((to, 7300))
    return one
def exchange(one, size):
    one.sendall(bytes(size))
    while size > 0:
        size -= len(one.recv(65536))
def said(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
def tracked(one):
    family = "ipv6" if one.family == socket.AF_INET6 else "ipv4"
    protocol = "tcp" if one.type == socket.SOCK_STREAM else "udp"
    listed = ["conntrack", "-L", "-f", family, "-p", protocol, "--sport", str(one.getsockname()[1])]
    print(said("ip", "netns", "exec", "nat", *listed))
${program}
END`);
  return (await guest.inHost("client", "python3 /tmp/program.py")).trim();
};

const echo = `
import socket, threading
listener = socket.create_server(("", 7300), family=socket.AF_INET6, dualstack_ipv6=True)
datagrams = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
datagrams.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
datagrams.bind(("", 7300))
def answer():
    while True:
        datagrams.sendto(*datagrams.recvfrom(65536))
def serve(one):
    while data := one.recv(65536):
        one.sendall(data)
threading.Thread(target=answer, daemon=True).start()
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
`;
/** The server that {@link inClient}'s flows lead to, in a host. */
const startEcho = (host: string) =>
  guest.run(`cat > /tmp/echo.py <<'END'\n${echo}END
ip netns exec ${host} setsid python3 /tmp/echo.py >/dev/console 2>&1 &
while ! ip netns exec ${host} ss -Htln sport :7300 | grep -q .; do sleep 0.1; done`);

test("a connection is offloaded with a flowtable, and goes on", async () => {
  const connection = await talk(guest);
  await connection.exchange(20);
  expectOffload(await guest.inHost("nat", `conntrack -L -p tcp -s ${CLIENT} 2>/dev/null`));
  await connection.exchange(20);
});

if (isAsked) {
  test(
    "a connection that never pauses for longer than a minute outlives a day",
    async () => {
      const said = await inClient(`one = flow(socket.SOCK_STREAM, "${SERVER}")
for _ in range(20):
    exchange(one, 1)
begun = time.monotonic()
while time.monotonic() - begun < 25 * 3600:
    time.sleep(60)
    tried = time.monotonic()
    try:
        exchange(one, 1)
    except OSError as error:
        print(f"{error!r} {tried - begun:.0f} s after it began")
        break
tracked(one)`);
      expect(said).toMatch(/^tcp/);
      expectOffload(said);
    },
    15 * MINUTES,
  );
}

test("reset connections are soon forgotten", async () => {
  expect(await resetFive(guest)).not.toHaveLength(0);
  // Since Linux 6.14 they stay in the flowtable for most of the limit, where conntrack shows no time that is left.
  const later = `sleep ${RESET_SECONDS + 20}; conntrack -L -p tcp --dport 7100 2>/dev/null`;
  expect(await guest.inHost("nat", later)).toBe("");
});

test("fragments of a known UDP flow pass both ways", async () => {
  const said = await inClient(`one = flow(socket.SOCK_DGRAM, "${SERVER}")
for size in [10] * 20 + [4000] * 5:
    exchange(one, size)
tracked(one)`);
  expect(said).toMatch(/^udp/);
  expectOffload(said);
});

test("an open connection outlives a path that narrows beyond the machine, then on it", async () => {
  const FAR = "198.19.2.9";
  await guest.run(`ip netns del far 2>/dev/null || :
ip netns add far
ip -n server link add far type veth peer name eth0 netns far
ip -n server address add 198.19.2.1/24 dev far; ip -n server link set far up
ip -n far address add ${FAR}/24 dev eth0; ip -n far link set eth0 up; ip -n far link set lo up
ip -n far route add default via 198.19.2.1
ip netns exec server sysctl -qw net.ipv4.ip_forward=1`);
  await startEcho("far");
  // What comes back is smaller than either path.
  const said = await inClient(`one = flow(socket.SOCK_STREAM, "${FAR}")
said("ip", "-n", "far", "route", "change", "default", "via", "198.19.2.1", "mtu", "1200")
for host, name, mtu in (("server", "far", "1400"), ("nat", "eth1", "1300")):
    for _ in range(20):
        exchange(one, 10)
    exchange(one, 100_000)
    said("ip", "-n", host, "link", "set", name, "mtu", mtu)
    exchange(one, 100_000)
    print("learned", mtu in said("ip", "route", "get", "${FAR}"))
for _ in range(20):
    exchange(one, 10)
tracked(one)`);
  expect(said).toMatch(/^learned True\nlearned True\ntcp/);
  expectOffload(said);
});

describe("a client without IPv4", () => {
  let reach: Reach;
  beforeAll(async () => {
    await guest.makeHosts();
    await guest.run(`set -e
ip -n nat address add fd00::1/64 dev eth1 nodad; ip -n server address add fd00::9/64 dev eth0 nodad
ip -n nat route add default via fd00::9; ip -n server route add fd00:1::/64 via fd00::1`);
    reach = await ipv6Client(guest);
    await guest.setUp({ strict: false, privateIpv6Cidrs: ["fd00:1::/64"], nat64: true });
    await startEcho("server");
  });

  test.each([
    ["tcp", "STREAM"],
    ["udp", "DGRAM"],
  ])("reaches a server by IPv6 and %s untranslated", async (protocol, kind) => {
    const said = await inClient(`one = flow(socket.SOCK_${kind}, "fd00::9")
for _ in range(20):
    exchange(one, 10)
tracked(one)`);
    expect(said).toMatch(new RegExp(`^${protocol} `));
    expectOffload(said);
  });

  test("reaches a server without IPv6", async () => {
    expect(await reach("tcp", [300_000, 300_000])).toBe(`${NAT} 300000`);
    expect(await reach("udp", [500, 20])).toBe(`${NAT} 500`);
    expect(await reach("icmp", [0, 0])).toBe("echo 56");
  });
});

if (isAsked) {
  test.each([
    ["one subnet", MOVING],
    ["two subnets", COMMON_ADDRESS],
  ])(
    "a pair in %s: a connection outlives the machine that carried it",
    async (_, translatedTo) => {
      const pair = await natPair(guest, translatedTo);
      const [first, second] = await pair.roles();
      await pair.lead(first);
      const connection = await talk(guest, PAIR_SERVER);
      await connection.exchange(20);
      const copies = async (machine: "one" | "two") =>
        pair.inMachine(machine, `conntrack -L -p tcp -s ${CLIENT} 2>/dev/null`);
      expectOffload(await copies(first));
      expect(await copies(first)).toContain(`dst=${translatedTo} `);
      await pair.die(first);
      await pair.lead(second);
      await connection.exchange(20);
      expectOffload(await copies(second));
      expect(await copies(second)).toContain(`sport=${connection.port} `);
    },
    10 * MINUTES,
  );
}
