/**
 * A NAT instance forwards and translates real traffic on the real kernel. If that kernel has no flowtables, it does not
 * show that flows are offloaded. IPv6 goes out and back with the client's own address; nothing gets in unrequested.
 */
import { describe, expect, test } from "vitest";
import { type NatSetupArgs, natSetup } from "../../../components/nat-instance/index.ts";
import { CLIENT, INSTANCE, PRIVATE_CIDR, SERVER, STRANGER, sharedLab } from "../../helpers/nat-lab.ts";

const lab = sharedLab();

/**
 * Sets the instance up again. Known connections are forgotten: a later flow with the port of an earlier one would keep that
 * one's translation.
 */
const setUp = (args: Partial<NatSetupArgs> = {}) => {
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], ...args }));
  lab.run("instance", "conntrack -F 2>&1");
};

const addresses = (flows: readonly { address: string }[]) =>
  [...new Set(flows.map(({ address }) => address))].sort();

describe("a NAT instance", () => {
  test("hides private hosts behind its own address, for every protocol", () => {
    setUp();
    expect(addresses(lab.flows("tcp", { count: 5 }))).toEqual([INSTANCE]);
    expect(addresses(lab.flows("udp", { count: 5 }))).toEqual([INSTANCE]);
    expect(addresses(lab.flows("icmp"))).toEqual(["reply"]);
    lab.run("instance", "nft delete table inet egress_bench");
    expect(addresses(lab.flows("tcp"))).toEqual([CLIENT]);
  });

  test("drops new flows that are not from a private block, or that come in from outside", () => {
    setUp();
    const stranger = { from: STRANGER };
    const inward = { host: "server", from: SERVER, to: CLIENT } as const;
    for (const flow of [stranger, inward]) {
      expect(addresses(lab.flows("tcp", flow))).toEqual(["TimeoutError"]);
      expect(addresses(lab.flows("udp", flow))).toEqual(["TimeoutError"]);
    }
    lab.run("instance", "nft delete table inet egress_bench");
    expect(addresses(lab.flows("tcp", stranger))).toEqual([STRANGER]);
    expect(addresses(lab.flows("tcp", inward))).toEqual([SERVER]);
  });

  test("passes no IPv6, even if something else turned its forwarding on", () => {
    setUp();
    lab.run("client", "ip address add fd00:1::2/64 dev eth0 nodad && ip route add default via fd00:1::1");
    lab.run("server", "ip address add fd00:2::9/64 dev eth0 nodad && ip route add default via fd00:2::1");
    lab.run(
      "instance",
      `ip address add fd00:1::1/64 dev eth0 nodad && ip address add fd00:2::1/64 dev eth1 nodad
      sysctl -qw net.ipv6.conf.all.forwarding=1`,
    );
    const flow = { from: "fd00:1::2", to: "fd00:2::9" };
    expect(addresses(lab.flows("tcp", flow))).toEqual(["TimeoutError"]);
    lab.run("instance", "nft delete table inet egress_bench");
    expect(addresses(lab.flows("tcp", flow))).toEqual(["fd00:1::2"]);
  });

  test("keeps to its port range", () => {
    setUp({ portRange: { first: 2000, last: 2099 } });
    for (const protocol of ["tcp", "udp"] as const) {
      const flows = lab.flows(protocol, { count: 30 });
      expect(addresses(flows)).toEqual([INSTANCE]);
      expect(flows.filter(({ port }) => port < 2000 || port > 2099)).toEqual([]);
    }
    expect(addresses(lab.flows("icmp"))).toEqual(["reply"]);
  });

  test("gives a client's port a single outside port for all destinations if it preserves ports, else one per destination", () => {
    const near = `"${SERVER}", 7001`;
    const far = '"198.19.1.10", 7002';
    lab.run(
      "server",
      "ip address add 198.19.1.10/24 dev eth1 2>/dev/null || ip address add 198.19.1.10/24 dev eth0",
    );
    lab.run(
      "server",
      `setsid python3 -c '
import socket
one = socket.socket(type=socket.SOCK_DGRAM)
one.bind((${far}))
while True:
    _, peer = one.recvfrom(100)
    one.sendto(b"%d" % peer[1], peer)
' >/dev/null 2>&1 &`,
    );
    const ports = () =>
      lab
        .run(
          "client",
          `python3 - <<'END'
import socket, time
one = socket.socket(type=socket.SOCK_DGRAM)
one.bind(("${CLIENT}", 0))
one.settimeout(1)
seen = []
for to in ((${near}), (${far})):
    for _ in range(20):
        one.sendto(b"?", to)
        try:
            seen.append(int(one.recv(100).split()[-1]))
            break
        except TimeoutError:
            pass
print(*seen, one.getsockname()[1])
END`,
        )
        .trim()
        .split(" ");
    setUp({ portAllocation: "preserve" });
    const [one, other, own] = ports();
    expect([one, other]).toEqual([own, own]);
    setUp();
    const random = [ports(), ports()];
    expect(random.some(([first, second]) => first !== second)).toBe(true);
    expect(new Set(random.flat()).size).toBeGreaterThan(2);
  });

  test("has no port for one flow beyond its range", () => {
    setUp({ portRange: { first: 2200, last: 2203 } });
    const outcomes = lab.flows("udp", { count: 5 }).map(({ address }) => address);
    expect(outcomes).toEqual([INSTANCE, INSTANCE, INSTANCE, INSTANCE, "TimeoutError"]);
  });

  test("spreads flows over several addresses, adding those it lacks", () => {
    const sourceAddresses = [INSTANCE, "198.19.1.5", "198.19.1.6"];
    setUp({ sourceAddresses });
    expect(addresses(lab.flows("tcp", { count: 60 }))).toEqual(sourceAddresses);
    expect(addresses(lab.flows("udp", { count: 60 }))).toEqual(sourceAddresses);
    expect(addresses(lab.flows("icmp"))).toEqual(["reply"]);
  });

  test("with preserved ports a client gets one of several addresses, even within a port range", () => {
    const sourceAddresses = [INSTANCE, "198.19.1.5", "198.19.1.6"];
    for (const portRange of [undefined, { first: 2300, last: 2399 }]) {
      setUp({ sourceAddresses, portRange, portAllocation: "preserve" });
      expect(addresses(lab.flows("udp", { count: 12 }))).toHaveLength(1);
    }
  });

  test("spreads flows over several addresses within a port range", () => {
    const sourceAddresses = [INSTANCE, "198.19.1.5"];
    setUp({ sourceAddresses, portRange: { first: 3000, last: 3999 } });
    const flows = lab.flows("tcp", { count: 60 });
    expect(addresses(flows)).toEqual(sourceAddresses);
    expect(flows.filter(({ port }) => port < 3000 || port > 3999)).toEqual([]);
  });

  test("uses a single source address other than its primary one", () => {
    setUp({ sourceAddresses: ["198.19.1.5"] });
    expect(addresses(lab.flows("tcp", { count: 5 }))).toEqual(["198.19.1.5"]);
  });
});

const CLIENT6 = "fd00:1::2";
const STRANGER6 = "fd00:2::2";
const SERVER6 = "fd00:9::9";
const FAR6 = "fd00:77::1";

test("IPv6: hosts of the blocks get out and are answered, others do not, and nothing gets in", async () => {
  await lab.renewInstance();
  lab.run(
    "instance",
    "ip address add fd00:1::1/64 dev eth0 nodad; ip address add fd00:9::1/64 dev eth1 nodad; ip route add fd00:2::/64 dev eth0",
  );
  lab.run(
    "client",
    `ip -6 address flush dev eth0; ip address add ${CLIENT6}/64 dev eth0 nodad; ip address add ${STRANGER6}/128 dev eth0 nodad; ip route add default via fd00:1::1`,
  );
  lab.run(
    "server",
    `ip -6 address flush dev eth0; ip address add ${SERVER6}/64 dev eth0 nodad; ip route add fd00::/16 via fd00:9::1`,
  );
  const connects = (host: "client" | "server", from: string, to: string, port = 7000) =>
    lab
      .run(
        host,
        `python3 - <<'END'
import socket
try:
    with socket.create_connection(("${to}", ${port}), 2, ("${from}", 0)) as flow:
        print(flow.recv(100).decode().split()[0])
except OSError as error:
    print(type(error).__name__)
END`,
      )
      .trim();
  /** Sends from outside as a private host, which would open the way to it; returns whether it comes back outside. */
  const spoofed = () =>
    lab
      .run(
        "server",
        `python3 - <<'END'
import socket
heard = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x86DD))
heard.settimeout(1)
spoof = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
spoof.setsockopt(socket.IPPROTO_IPV6, 78, 1)
spoof.bind(("${CLIENT6}", 53))
spoof.sendto(b"spy", ("${FAR6}", 4001))
try:
    while True:
        data, (_, _, kind, *_) = heard.recvfrom(2000)
        if kind != socket.PACKET_OUTGOING and data[24:40] == socket.inet_pton(socket.AF_INET6, "${FAR6}"):
            print("forwarded")
            break
except TimeoutError:
    print("dropped")
END`,
      )
      .trim();
  lab.run("server", `ip route add ${FAR6}/128 via fd00:9::1`);
  lab.run("instance", `ip route add ${FAR6}/128 via ${SERVER6}`);
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR] }));
  expect(connects("client", CLIENT6, SERVER6)).not.toBe(CLIENT6);
  lab.run(
    "instance",
    natSetup({ privateCidrs: [PRIVATE_CIDR], privateIpv6Cidrs: ["fd00:1::/64", "fd00:3::/64"] }),
  );
  expect(connects("client", CLIENT6, SERVER6)).toBe(CLIENT6);
  expect(connects("client", STRANGER6, SERVER6)).toBe("TimeoutError");
  expect(connects("server", SERVER6, CLIENT6)).toBe("TimeoutError");
  expect(spoofed()).toBe("dropped");
  const rule = "nft -a list chain inet egress_bench forward | sed -n 's/.*ip6 saddr.*fib saddr.*handle //p'";
  lab.run("instance", `nft delete rule inet egress_bench forward handle $(${rule})`);
  expect(spoofed()).toBe("forwarded");
  // A refusal and an ICMPv6 error come back.
  expect(connects("client", CLIENT6, SERVER6, 7999)).toBe("ConnectionRefusedError");
  const refused = lab.run(
    "client",
    `python3 - <<'END'
import socket
flow = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
flow.settimeout(2)
flow.bind(("${CLIENT6}", 0))
flow.connect(("${SERVER6}", 7998))
try:
    flow.send(b"?")
    flow.recv(10)
except OSError as error:
    print(type(error).__name__)
END`,
  );
  expect(refused.trim()).toBe("ConnectionRefusedError");
  // IPv4 is translated as usual.
  expect(lab.flows("tcp")[0]?.address).toBe(INSTANCE);
});
