/**
 * A private host speaks to a pair as if it were one of the two machines: signs of life of the highest rank, and noise to
 * conntrackd. The roles stay, and neither program hears anything. Not shown: a host that has the other machine's address, which
 * a cloud's network refuses and a switch of the lab does not.
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
import hashlib, hmac, json, os, random, socket, struct, sys, time
machines, what = ("${INSIDE.join('", "')}"), sys.argv[1]
def word(machine, number):
    """As the other machine says it, without a key: it carries, and took last."""
    other = [one for one in machines if one != machine][0]
    text = json.dumps([other, "run", number, 10**6, True, True, True, False]).encode()
    return hmac.new(b"", text, hashlib.sha256).digest() + text
datagrams = socket.socket(type=socket.SOCK_DGRAM)
chance = random.Random(51)
number, end = 0, time.time() + 4
while time.time() < end:
    for machine in machines:
        if what == "signs of life":
            number += 1
            datagrams.sendto(word(machine, number), (machine, 3781))
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
    };
    run(machine, natSetup({ privateCidrs: ["198.18.1.0/24"], dataPlane: "nftables", highAvailability }));
  }
}

const ends: (() => Promise<void>)[] = [];

function attackWith(what: "signs of life" | "noise"): void {
  run("client", `cat > /tmp/attack.py <<'END'\n${attack}END\npython3 /tmp/attack.py '${what}'`);
}

describe.each([
  ["an address that moves", { translatedTo: "198.19.1.7" }, ["signs of life", "noise"]],
  ["an address of each machine's own", {}, ["signs of life"]],
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
    for (const machine of machines) {
      expect(JSON.parse(run(machine, "egress-bench-ha status")).refused_total).toBe(0);
    }
    if (what === "noise") {
      for (const machine of machines) {
        const heard = run(machine, "conntrackd -C /etc/egress-bench/conntrackd.conf -s network");
        expect(heard).toMatch(/recv:\n\t\tMalformed messages:\s+0\n/);
      }
    }
  });
});
