/**
 * NAT64 on Debian's packaged cloud kernel, by Debian's tayga: a client that has IPv6 alone, and a server that has IPv4
 * alone. Not shown: DNS64, which a cloud's resolver does, and a cloud's IPv6 routes.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { NAT, type NatGuest, natGuest, SERVER } from "./network.ts";

const CLIENT6 = "fd00:1::2";
const STRANGER6 = "fd00:2::2";
/** A public address: private ones have no place in 64:ff9b::/96 (RFC 6052). */
const PUBLIC = "11.0.0.9";
const OF_THE_NAT = "11.0.0.1";
const METADATA = "169.254.169.254";

/** By TCP as many bytes as are asked for, after those that come; by UDP one datagram. Begins with whom it sees. */
const server = `
import socket, sys, threading
def tcp(listener):
    while True:
        connection, peer = listener.accept()
        up, down = map(int, connection.makefile("rb", 0).readline().split())
        while up > 0:
            up -= len(connection.recv(65536))
        connection.sendall(peer[0].encode() + b"\\n" + bytes(down))
        connection.close()
def udp(datagrams):
    while True:
        size, peer = datagrams.recvfrom(2048)
        try:
            datagrams.sendto((peer[0].encode() + b"\\n").ljust(int(size)), peer)
        except OSError:
            pass
datagrams = socket.socket(type=socket.SOCK_DGRAM)
# Answers come from where the questions went.
datagrams.bind((sys.argv[1], 7000))
threading.Thread(target=tcp, args=(socket.create_server(("0.0.0.0", 7000)),)).start()
threading.Thread(target=udp, args=(datagrams,)).start()
print("listening", flush=True)
`;

/** Prints whom the server sees and how much came, or the error. */
const client = `
import socket, sys
protocol, source, to, first, second = sys.argv[1:]
try:
    kinds = {"tcp": (socket.SOCK_STREAM,), "udp": (socket.SOCK_DGRAM,), "icmp": (socket.SOCK_RAW, socket.IPPROTO_ICMPV6)}
    flow = socket.socket(socket.AF_INET6, *kinds[protocol])
    flow.settimeout(3)
    flow.bind((source, 0))
    flow.connect((to, 7000))
    if protocol == "tcp":
        flow.sendall(f"{first} {second}\\n".encode() + bytes(int(first)))
        said = flow.makefile("rb").read()
    elif protocol == "icmp":
        flow.send(bytes([128, 0, 0, 0, 0, 7, 0, 1]) + b"echo\\n".ljust(56))
        said = flow.recv(100)[8:]
    else:
        flow.send(first.encode().ljust(int(second)))
        said = flow.recv(65536)
    peer = said.split(b"\\n")[0]
    print(peer.decode(), len(said) - (len(peer) + 1 if protocol == "tcp" else 0))
except OSError as error:
    print(type(error).__name__)
`;

let guest: NatGuest;
const nat64 = (address: string) =>
  `64:ff9b::${Buffer.from(address.split(".").map(Number)).toString("hex").replace(/^.{4}/, "$&:")}`;
const reach = async (
  protocol: "tcp" | "udp" | "icmp",
  [first, second]: readonly [number, number],
  { to = PUBLIC, from = CLIENT6 } = {},
) =>
  (
    await guest.inHost("client", `python3 /tmp/call.py ${protocol} ${from} ${nat64(to)} ${first} ${second}`)
  ).trim();

beforeAll(async () => {
  guest = await natGuest();
  await guest.run(`set -e
ip -n client address flush dev eth0
for address in ${CLIENT6}/64 ${STRANGER6}/128; do ip -n client address add $address dev eth0 nodad; done
ip -n nat address add fd00:1::1/64 dev eth0 nodad
ip -n client route add default via fd00:1::1
ip -n nat route add ${STRANGER6} dev eth0
for address in ${PUBLIC} ${METADATA}; do ip -n server address add $address/32 dev lo; ip -n nat route add $address via ${SERVER}; done
ip -n nat address add ${OF_THE_NAT}/32 dev lo
cat > /tmp/serve.py <<'END_OF_PROGRAM'\n${server}END_OF_PROGRAM
cat > /tmp/call.py <<'END_OF_PROGRAM'\n${client}END_OF_PROGRAM
mkfifo /tmp/ready`);
  for (const [host, address] of [
    ["server", PUBLIC],
    ["nat", OF_THE_NAT],
  ] as const) {
    await guest.inHost(
      host,
      `python3 /tmp/serve.py ${address} >/tmp/ready 2>/dev/null & head -n 1 /tmp/ready`,
    );
  }
  expect(await guest.setUp({ privateIpv6Cidrs: ["fd00:1::/64"], nat64: true })).toBe("flowtable");
});
afterAll(() => guest?.end());

test("TCP, UDP and pings of the blocks' hosts arrive with the NAT instance's address, and are answered", async () => {
  expect(await reach("tcp", [10, 100])).toBe(`${NAT} 100`);
  expect(await reach("udp", [500, 20])).toBe(`${NAT} 500`);
  expect(await reach("icmp", [0, 0])).toBe("echo 56");
});

test("whoever is not of the blocks, the machine itself and its metadata are out of reach", async () => {
  expect(await reach("tcp", [1, 1], { from: STRANGER6 })).toBe("TimeoutError");
  expect(await reach("tcp", [1, 1], { to: OF_THE_NAT })).toBe("TimeoutError");
  expect(await reach("tcp", [1, 1], { to: METADATA })).toMatch(/Error$/);
});

test("bulk passes both ways, also where the way is narrower than its ends", async () => {
  const bulk = [300_000, 300_000] as const;
  expect(await reach("tcp", bulk)).toBe(`${NAT} 300000`);
  // A full packet of the server's does not fit into IPv6 of the same size: once it knows, it sends smaller ones.
  expect(await reach("udp", [1472, 20])).toBe("TimeoutError");
  expect(await reach("udp", [1472, 20])).toBe(`${NAT} 1472`);
  expect(await guest.inHost("server", `ip route get ${NAT}`)).toContain("mtu 1480");
  await guest.run("ip -n nat link set eth1 mtu 1400");
  expect(await reach("tcp", bulk)).toBe(`${NAT} 300000`);
  expect(await guest.inHost("client", `ip route get ${nat64(PUBLIC)}`)).toContain("mtu 1420");
});
