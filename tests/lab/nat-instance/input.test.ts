/**
 * Sources that a NAT instance's own firewall admits, without a security group: real packets on the real kernel, from the
 * private side and from outside. Not shown: a DHCP lease's renewal, and IPv6.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type NatSetupArgs, natSetup } from "../../../components/nat-instance/index.ts";
import { CLIENT, INSTANCE, PRIVATE_CIDR, SERVER, STRANGER, sharedLab } from "../../helpers/nat-lab.ts";

const INSIDE = "198.18.1.1";
const METADATA = "169.254.169.254";

const lab = sharedLab();
const setUp = (args: Partial<NatSetupArgs> = {}) =>
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], ...args }));
const python = (host: "client" | "instance" | "server", program: string) =>
  lab.run(host, `python3 - <<'END_OF_PROGRAM'\n${program}\nEND_OF_PROGRAM`).trim();

/** The instance's ports that accept a connection. */
const open = (host: "client" | "server", to: string, from?: string) =>
  python(
    host,
    `
import concurrent.futures, socket
def connects(port):
    try:
        socket.create_connection(("${to}", port), 0.5, ${from === undefined ? "None" : `("${from}", 0)`}).close()
        return True
    except OSError:
        return False
ports = (22, 3782, 5200, 9100)
with concurrent.futures.ThreadPoolExecutor() as pool:
    print(*[port for port, does in zip(ports, pool.map(connects, ports)) if does])`,
  );

beforeAll(() => {
  lab.run(
    "instance",
    `cat > /tmp/listen.py <<'END'
import select, socket
sockets = [socket.create_server(("", port)) for port in (22, 3782, 5200, 9100)]
datagrams = socket.socket(type=socket.SOCK_DGRAM)
datagrams.bind(("", 68))
print("listening", flush=True)
while True:
    for ready in select.select([*sockets, datagrams], [], [])[0]:
        if ready is datagrams:
            open("/tmp/offered", "wb").write(ready.recv(100))
        else:
            ready.accept()[0].close()
END
mkfifo /tmp/ready; setsid python3 /tmp/listen.py </dev/null >/tmp/ready 2>/tmp/listen.log & head -n 1 /tmp/ready`,
  );
});

describe.each<[string, Partial<NatSetupArgs>]>([
  ["nftables", { dataPlane: "nftables" }],
  ["iptables", { dataPlane: "iptables", strict: true }],
])("the machine itself, with the data plane %s", (_, plane) => {
  test("is closed to private hosts and to outside hosts", () => {
    setUp(plane);
    expect(open("client", INSIDE)).toBe("");
    expect(open("client", INSTANCE)).toBe("");
    expect(open("client", INSIDE, STRANGER)).toBe("");
    expect(open("server", INSTANCE)).toBe("");
    lab.run("instance", "nft delete table inet egress_bench");
    expect(open("server", INSTANCE)).toBe("22 3782 5200 9100");
  });

  test("admits only the allowed sources to a port", () => {
    const port = (number: number, ...cidrs: string[]) => ({ protocol: "tcp", port: number, cidrs }) as const;
    setUp({ ...plane, inbound: [port(9100, `${SERVER}/32`), port(5200, PRIVATE_CIDR)] });
    expect(open("client", INSIDE)).toBe("5200");
    expect(open("client", INSIDE, STRANGER)).toBe("");
    expect(open("server", INSTANCE)).toBe("9100");
  });

  test("takes logins from the operator alone; from everywhere is not from the private hosts", () => {
    setUp({ ...plane, sshCidrs: [`${SERVER}/32`] });
    expect([open("server", INSTANCE), open("client", INSIDE)]).toEqual(["22", ""]);
    setUp({ ...plane, sshCidrs: ["0.0.0.0/0"] });
    expect([open("server", INSTANCE), open("client", INSIDE)]).toEqual(["22", ""]);
    // Also with an address outside the private blocks.
    expect(open("client", INSIDE, STRANGER)).toBe("");
    setUp({ ...plane, sshCidrs: ["0.0.0.0/0", `${CLIENT}/32`] });
    expect([open("server", INSTANCE), open("client", INSIDE)]).toEqual(["22", "22"]);
  });

  test("answers private hosts' pings, gets its own answers, and hears a DHCP server", () => {
    setUp(plane);
    expect(lab.flows("icmp", { to: INSIDE })[0]?.address).toBe("reply");
    expect(lab.flows("icmp", { host: "server", from: SERVER, to: INSTANCE })[0]?.address).toBe(
      "TimeoutError",
    );
    expect(() => lab.run("instance", `timeout 2 bash -c 'exec 3<>/dev/tcp/${SERVER}/7000'`)).not.toThrow();
    python(
      "server",
      `
import socket
offer = socket.socket(type=socket.SOCK_DGRAM)
offer.bind(("", 67))
offer.sendto(b"an offer", ("${INSTANCE}", 68))`,
    );
    const heard = "for _ in $(seq 100); do [ ! -s /tmp/offered ] || break; sleep 0.1; done; cat /tmp/offered";
    expect(lab.run("instance", `${heard}; rm /tmp/offered`)).toBe("an offer");
  });
});

test("the machine itself reaches its metadata, but no host through it", () => {
  setUp();
  lab.run("server", `ip address add ${METADATA}/32 dev lo`);
  lab.run("instance", `ip route add ${METADATA}/32 via ${SERVER}`);
  const asClient = () => lab.flows("tcp", { to: METADATA })[0]?.address;
  expect(asClient()).toBe("TimeoutError");
  expect(() => lab.run("instance", `timeout 2 bash -c 'exec 3<>/dev/tcp/${METADATA}/7000'`)).not.toThrow();
  lab.run("instance", "nft delete table inet egress_bench");
  lab.run("server", "ip route replace 198.18.0.0/16 via 198.19.1.1");
  expect(asClient()).toBe(CLIENT);
  lab.run("server", `ip address del ${METADATA}/32 dev lo`);
});

test("a private source that comes from outside is not translated back outside", () => {
  const FAR = "203.0.113.5";
  /** Sends as a private host from outside, through the instance; prints the source of a packet that comes back. */
  const returned = () =>
    python(
      "server",
      `
import socket, struct
heard = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
heard.settimeout(1)
packet = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 32, 1, 0, 64, 17, 0, socket.inet_aton("198.18.1.50"), socket.inet_aton("${FAR}"))
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
raw.sendto(packet + struct.pack("!HHHH", 4000, 4001, 12, 0) + b"spy!", ("${FAR}", 0))
try:
    while True:
        data, (_, _, kind, *_) = heard.recvfrom(2000)
        if kind != socket.PACKET_OUTGOING and socket.inet_ntoa(data[16:20]) == "${FAR}":
            print(socket.inet_ntoa(data[12:16]))
            break
except TimeoutError:
    print("nothing")`,
    );
  lab.run("server", `ip route replace ${FAR}/32 via ${INSTANCE}`);
  setUp();
  expect(returned()).toBe("nothing");
  // Only this rule prevents it.
  lab.run(
    "instance",
    "nft delete rule inet egress_bench forward handle $(nft -a list chain inet egress_bench forward | sed -n 's/.*fib saddr.*handle //p')",
  );
  expect(returned()).toBe(INSTANCE);
  setUp();
  expect(lab.flows("tcp")[0]?.address).toBe(INSTANCE);
});
