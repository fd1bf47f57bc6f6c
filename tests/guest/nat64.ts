/** An IPv6-only client and an IPv4-only server on both sides of a guest's NAT instance, and the traffic between them. */
import { type NatGuest, SERVER } from "./network.ts";

const CLIENT6 = "fd00:1::2";
export const STRANGER6 = "fd00:2::2";
/** A public address: private ones are not allowed in 64:ff9b::/96 (RFC 6052). */
export const PUBLIC = "11.0.0.9";
export const OF_THE_NAT = "11.0.0.1";
export const METADATA = "169.254.169.254";

/**
 * Over TCP it sends the requested number of bytes, after receiving as many; over UDP one datagram. It begins with the
 * source address that it sees.
 */
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

/** Prints the source address that the server sees and the received bytes, or the error. */
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

/** An IPv4 address in the form for clients of NAT64. */
export const nat64 = (address: string) =>
  `64:ff9b::${Buffer.from(address.split(".").map(Number)).toString("hex").replace(/^.{4}/, "$&:")}`;

/** The client's address as the server sees it, and the returned bytes, or the error's name. */
export type Reach = (
  protocol: "tcp" | "udp" | "icmp",
  sizes: readonly [number, number],
  ends?: { to?: string; from?: string },
) => Promise<string>;

/** Gives the hosts of a guest their addresses and starts the servers. */
export async function ipv6Client(guest: NatGuest): Promise<Reach> {
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
rm -f /tmp/ready; mkfifo /tmp/ready`);
  for (const [host, address] of [
    ["server", PUBLIC],
    ["nat", OF_THE_NAT],
  ] as const) {
    await guest.inHost(
      host,
      `python3 /tmp/serve.py ${address} >/tmp/ready 2>/dev/null & head -n 1 /tmp/ready`,
    );
  }
  return async (protocol, [first, second], { to = PUBLIC, from = CLIENT6 } = {}) => {
    const call = `python3 /tmp/call.py ${protocol} ${from} ${nat64(to)} ${first} ${second}`;
    return (await guest.inHost("client", call)).trim();
  };
}
