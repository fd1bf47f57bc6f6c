/**
 * A private host imitates one of a pair's machines: signs of life of the highest rank, and noise to conntrackd. The roles
 * stay, and neither program hears anything. With the other machine's address as source, which a cloud's network refuses and
 * the lab's switch does not: nothing is heard from outside, and in its subnet signs of life without the pair's key are
 * refused. Not shown: forged copies of connections there, which are unsigned.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { makeLink } from "../../../components/local/lab/links.ts";
import { type HighAvailability, natSetup } from "../../../components/nat-instance/index.ts";
import { judged } from "../../helpers/judged.ts";
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";

const CLIENT = "198.18.1.2";
const SERVER = "198.19.1.9";
const INSIDE = ["198.18.1.11", "198.18.1.12"] as const;
const OUTSIDE = ["198.19.1.11", "198.19.1.12"] as const;
const machines = ["one", "two"] as const;

/** Sends the text of `what` to both machines for some seconds, as `who`: itself, or the other machine. */
const attack = `
import hashlib, hmac, json, os, random, socket, struct, sys, time
machines, what, who = ("${INSIDE.join('", "')}"), *sys.argv[1:]
def other(machine):
    return machines[machines[0] == machine]
def word(machine, number):
    """As the other machine says it, without a key: it carries, and took last."""
    text = json.dumps([other(machine), {}, True, "run", number, 10**6, True, True, True, False]).encode()
    return hmac.new(b"", text, hashlib.sha256).digest() + text
datagrams = socket.socket(type=socket.SOCK_DGRAM)
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
def send(data, machine, port):
    if who == "itself":
        return datagrams.sendto(data, (machine, port))
    ends = socket.inet_aton(other(machine)) + socket.inet_aton(machine)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 0, 0, 0, 64, socket.IPPROTO_UDP, 0) + ends
    raw.sendto(head + struct.pack("!HHHH", port, port, 8 + len(data), 0) + data, (machine, 0))
chance = random.Random(51)
number, end = 0, time.time() + 3
while time.time() < end:
    for machine in machines:
        if what == "signs of life":
            number += 1
            send(word(machine, number), machine, 3781)
        else:
            # The synchronizer's header, version 1, of a length that may be wrong; and noise without any.
            noise = chance.randbytes(chance.randrange(0, 1400))
            head = struct.pack("!BBHI", chance.choice((0x10, 0x11, 1)), chance.randrange(256), chance.choice((len(noise) + 8, 8, 65535)), chance.randrange(1 << 32))
            send(chance.choice((head + noise, noise)), machine, 3780)
    time.sleep(0.01)
`;

let lab: string;
const run = (host: string, script: string) => runInHost(lab, host, script);
const roles = () => machines.map((machine) => run(machine, "cat /run/egress-bench-ha || :").trim());

/** A pair on one switch with the client, as in a subnet of a cloud. */
async function makePair(kind: Pick<HighAvailability, "translatedTo">): Promise<void> {
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
      move: { kind: "nothing" },
      check: { address: SERVER, port: 7998 },
      key: "only-the-two-machines-have-it",
    };
    run(machine, natSetup({ privateCidrs: ["198.18.1.0/24"], dataPlane: "nftables", highAvailability }));
  }
}

const ends: (() => Promise<void>)[] = [];

type Attack = "signs of life" | "noise";

function attackWith(what: Attack, from: "client" | "server", who: "itself" | "the other"): void {
  run(from, `cat > /tmp/attack.py <<'END'\n${attack}END\npython3 /tmp/attack.py '${what}' '${who}'`);
}

/** Signs of life that each machine heard and refused, and unreadable messages of its synchronizer. */
const heard = () =>
  machines.map((machine) => {
    const stats = run(machine, "conntrackd -C /etc/egress-bench/conntrackd.conf -s network || :");
    return {
      refused: JSON.parse(run(machine, "egress-bench-ha status")).refused_total as number,
      malformed: Number(/recv:\n\t\tMalformed messages:\s+(\d+)/.exec(stats)?.[1] ?? 0),
    };
  });
const NOTHING = { refused: 0, malformed: 0 };
const takeovers = () => machines.map((one) => run(one, "wc -l < /run/egress-bench-ha-takeovers || echo 0"));
const settled = () => expect.poll(() => roles().sort(), { timeout: 60_000 }).toEqual(["active", "standby"]);

describe.each([
  ["an address that moves", { translatedTo: "198.19.1.7" }, ["signs of life", "noise"]],
  ["a separate address of each machine", {}, ["signs of life"]],
] as const)("a pair with %s", (_, kind, attacks) => {
  beforeAll(async () => {
    await makePair(kind);
    return async () => {
      await Promise.all(ends.splice(0).map((end) => end()));
    };
  });

  test.each<Attack>(attacks)("is unaffected while a private host sends %s", async (what) => {
    await settled();
    const before = [roles(), takeovers()];
    attackWith(what, "client", "itself");
    expect([roles(), takeovers()]).toEqual(before);
    expect(heard()).toEqual([NOTHING, NOTHING]);
  });

  test.each<Attack>(attacks)("hears no %s from outside with the other machine's address", async (what) => {
    await settled();
    const before = [roles(), takeovers()];
    for (const [at, inside] of INSIDE.entries()) {
      run("server", `ip route replace ${inside} via ${OUTSIDE[at]}`);
    }
    attackWith(what, "server", "the other");
    expect([roles(), takeovers()]).toEqual(before);
    expect(heard()).toEqual([NOTHING, NOTHING]);
  });

  // Last, because refused signs stay counted.
  test("refuses signs of life with the other machine's address but without its key", () =>
    judged(async () => {
      await settled();
      const before = [roles(), takeovers()];
      attackWith("signs of life", "client", "the other");
      expect([roles(), takeovers()]).toEqual(before);
      for (const { refused } of heard()) expect(refused).toBeGreaterThan(100);
    }));
});
