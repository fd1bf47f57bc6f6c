/** IPv6 through a NAT instance: out and back with the client's own address, and nothing in by itself. */
import { expect, test } from "vitest";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { natLab, PRIVATE_CIDR } from "../../helpers/nat-lab.ts";

const CLIENT6 = "fd00:1::2";
const STRANGER6 = "fd00:2::2";
const SERVER6 = "fd00:9::9";

test("hosts of the blocks get out and are answered, others do not, and nobody gets in", async () => {
  const lab = await natLab();
  lab.run(
    "box",
    "ip address add fd00:1::1/64 dev eth0 nodad; ip address add fd00:9::1/64 dev eth1 nodad; ip route add fd00:2::/64 dev eth0",
  );
  lab.run(
    "client",
    `ip address add ${CLIENT6}/64 dev eth0 nodad; ip address add ${STRANGER6}/128 dev eth0 nodad; ip route add default via fd00:1::1`,
  );
  lab.run("server", `ip address add ${SERVER6}/64 dev eth0 nodad; ip route add fd00::/16 via fd00:9::1`);
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
  lab.run("box", natSetup({ privateCidrs: [PRIVATE_CIDR] }));
  expect(connects("client", CLIENT6, SERVER6)).not.toBe(CLIENT6);
  lab.run(
    "box",
    natSetup({ privateCidrs: [PRIVATE_CIDR], privateIpv6Cidrs: ["fd00:1::/64", "fd00:3::/64"] }),
  );
  expect(connects("client", CLIENT6, SERVER6)).toBe(CLIENT6);
  expect(connects("client", STRANGER6, SERVER6)).toBe("TimeoutError");
  expect(connects("server", SERVER6, CLIENT6)).toBe("TimeoutError");
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
  // IPv4 is translated as before.
  expect(lab.flows("tcp")[0]?.address).toBe("198.19.1.1");
});
