/**
 * A private host speaks to a pair as if it were one of the two machines: VRRP of the highest priority, the same by the pair's
 * VXLAN link, and noise to conntrackd. The roles stay, and conntrackd hears nothing. Not shown: a host that has the other
 * machine's address, which a cloud's network refuses and a switch of the lab does not.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { makeLink } from "../../../components/local/lab/links.ts";
import { type HighAvailability, natSetup } from "../../../components/nat-instance/index.ts";
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";

const CLIENT = "198.18.1.2";
const SERVER = "198.19.1.9";
const INSIDE = ["198.18.1.11", "198.18.1.12"] as const;
const OUTSIDE = ["198.19.1.11", "198.19.1.12"] as const;
const machines = ["one", "two"] as const;

/** Sends to both machines, for some seconds, what `what` says; ends the whole text with a word when it is over. */
const attack = `
import os, random, socket, struct, sys, time
machines, what = ("${INSIDE.join('", "')}"), sys.argv[1]
def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
def vrrp(source, target):
    """Version 3, router 51, priority 255, each 100 ms, the pair's address."""
    def body(sum):
        return struct.pack("!BBBBHH4s", 0x31, 51, 255, 1, 10, sum, socket.inet_aton("169.254.77.9"))
    pseudo = socket.inet_aton(source) + socket.inet_aton(target) + struct.pack("!BBH", 0, 112, 12)
    return body(checksum(pseudo + body(0)))
def ip(source, target, payload):
    def header(sum):
        return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 1, 0, 255, 112, sum, socket.inet_aton(source), socket.inet_aton(target))
    return header(checksum(header(0))) + payload
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, 112)
raw.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)
datagrams = socket.socket(type=socket.SOCK_DGRAM)
chance = random.Random(51)
end = time.time() + 4
while time.time() < end:
    for machine in machines:
        if what == "vrrp":
            raw.sendto(vrrp("${CLIENT}", machine), (machine, 0))
        elif what == "vxlan":
            for one, other in (("169.254.78.1", "169.254.78.2"), ("169.254.78.2", "169.254.78.1")):
                frame = b"\\xff" * 6 + b"\\x02" * 6 + b"\\x08\\x00" + ip(one, other, vrrp(one, other))
                datagrams.sendto(struct.pack("!II", 0x08000000, 77 << 8) + frame, (machine, 3781))
        else:
            # The synchronizer's header, version 1, of a length that may be wrong; and noise without any.
            noise = chance.randbytes(chance.randrange(0, 1400))
            head = struct.pack("!BBHI", chance.choice((0x10, 0x11, 1)), chance.randrange(256), chance.choice((len(noise) + 8, 8, 65535)), chance.randrange(1 << 32))
            datagrams.sendto(chance.choice((head + noise, noise)), (machine, 3780))
    time.sleep(0.01)
`;

let lab: string;
const run = (host: string, script: string) => runInHost(lab, host, script);
const roles = () => machines.map((machine) => run(machine, "cat /run/egress-bench-ha || :").trim());

/** A pair on one switch with the client, as in a subnet of a cloud. */
async function makePair(kind: Pick<HighAvailability, "translatedTo" | "tunnel">): Promise<void> {
  lab = testLab((end) => ends.push(end));
  await startHosts(lab, "client", "switch", "server", ...machines);
  run(
    "switch",
    "for name in inner outer; do ip link add $name type bridge forward_delay 0; ip link set $name up; done",
  );
  const plug = (host: string, name: string, address: string, bridge: "inner" | "outer", via?: string) =>
    makeLink({
      lab,
      shape: {},
      ends: [
        { host, interface: name, address: `${address}/24`, routes: via ? [{ to: "default", via }] : [] },
        { host: "switch", interface: `${bridge}-${host}`, bridge },
      ],
    });
  plug("client", "eth0", CLIENT, "inner", INSIDE[0]);
  plug("server", "eth0", SERVER, "outer");
  for (const [at, machine] of machines.entries()) {
    plug(machine, "eth0", INSIDE[at] as string, "inner");
    plug(machine, "eth1", OUTSIDE[at] as string, "outer", SERVER);
  }
  for (const [at, machine] of machines.entries()) {
    const highAvailability: HighAvailability = {
      ...kind,
      self: INSIDE[at] as string,
      peer: INSIDE[1 - at] as string,
      move: { take: "  true", release: "  true" },
      check: { address: SERVER, port: 7998 },
    };
    run(machine, natSetup({ privateCidrs: ["198.18.1.0/24"], dataPlane: "nftables", highAvailability }));
  }
}

const ends: (() => Promise<void>)[] = [];

function attackWith(what: "vrrp" | "vxlan" | "noise"): void {
  run("client", `cat > /tmp/attack.py <<'END'\n${attack}END\npython3 /tmp/attack.py ${what}`);
}

describe.each([
  ["an address that moves", { translatedTo: "198.19.1.7" }, ["vrrp", "noise"]],
  ["an address of each machine's own", { tunnel: true }, ["vrrp", "vxlan"]],
] as const)("a pair with %s", (_, kind, attacks) => {
  beforeAll(async () => {
    await makePair(kind);
    return async () => {
      await Promise.all(ends.splice(0).map((end) => end()));
    };
  });

  test.each(attacks)("does as before while a private host sends %s", async (what) => {
    await expect.poll(() => roles().sort(), { timeout: 15_000 }).toEqual(["active", "standby"]);
    const before = roles();
    const takeovers = () =>
      machines.map((one) => run(one, "wc -l < /run/egress-bench-ha-takeovers || echo 0"));
    const counted = takeovers();
    attackWith(what);
    expect(roles()).toEqual(before);
    expect(takeovers()).toEqual(counted);
    if (what === "noise") {
      for (const machine of machines) {
        const heard = run(machine, "conntrackd -C /etc/egress-bench/conntrackd.conf -s network");
        expect(heard).toMatch(/recv:\n\t\tMalformed messages:\s+0\n/);
      }
    }
  });
});
