/**
 * A stranger who knows a server's address and port, and a pair's address, sends segments with the server's address and
 * blind sequence numbers: idle connections stay. Only a machine that carries again, with entries from before the other one
 * carried, accepts such segments, until it has purged them. Not shown: connections in the flowtable, which the lab's kernel
 * lacks, and those kept by a take-over (docs/security.md).
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";
import { type Machine, PAIR_HOSTS, PairLab } from "../pair-trial/lab.ts";
import { MOVING, SERVER } from "../pair-trial/network.ts";
import { settled } from "../pair-trial/trial.ts";

const CONNECTIONS = 100;

/** Holds idle connections to the server's echo; after a line on stdin prints how many still echo. */
const holder = `
import socket
def echoes(one):
    try:
        one.settimeout(3)
        one.sendall(b"?")
        return one.recv(10) == b"?"
    except OSError:
        return False
held = [socket.create_connection(("${SERVER}", 7000), 5) for _ in range(${CONNECTIONS})]
print(sum(echoes(one) for one in held), flush=True)
input()
print(sum(echoes(one) for one in held), flush=True)
`;

/** Arguments: TCP flags, ports. Sends each port four segments, one in each quarter of the sequence space. */
const sender = `
import random, socket, struct, sys
flags, ports = int(sys.argv[1]), [int(one) for one in sys.argv[2:]]
ends = socket.inet_aton("${SERVER}") + socket.inet_aton("${MOVING}")
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
chance = random.Random(24)
def summed(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF
for port in ports:
    for quarter in range(4):
        number = (quarter << 30) + chance.getrandbits(30)
        answers = chance.getrandbits(32) if flags & 16 else 0
        parts = [7000, port, number, answers, 0x50, flags, 500]
        check = summed(ends + struct.pack("!HH", 6, 20) + struct.pack("!HHIIBBHHH", *parts, 0, 0))
        head = struct.pack("!BBHHHBBH", 0x45, 0, 0, 0, 0, 64, 6, 0) + ends
        raw.sendto(head + struct.pack("!HHIIBBHHH", *parts, check, 0), ("${MOVING}", 0))
`;
const FLAGS = { RST: 0x04, FIN: 0x11 } as const;

/** Seconds after which the kernel forgets a connection whose reset it accepted. */
const CLOSE_SECONDS = 1;
/**
 * More seconds than any state has in which a connection ends, but fewer than `nf_conntrack_tcp_timeout_unacknowledged` (300),
 * which 2 of 2,400 connections had left after four FINs each. Their next segment gives them the whole time again.
 */
const LIVE_SECONDS = 200;

let lab: PairLab;
let end: (() => Promise<void>) | undefined;
beforeAll(async () => {
  const name = testLab((made) => {
    end = made;
  });
  await startHosts(name, ...PAIR_HOSTS);
  lab = new PairLab(name);
  lab.setUp();
});
afterAll(() => end?.());

const isLiberal = (machine: Machine) =>
  lab.run(machine, "sysctl -n net.netfilter.nf_conntrack_tcp_be_liberal").trim();

/** The machine that carries, on a pair that has purged. On a busy processor roles may have changed before. */
async function purged(): Promise<Machine> {
  for (let turn = 0; turn < 5; turn += 1) {
    await settled(lab);
    const active = lab.carrier();
    if (active === null) continue;
    if (isLiberal(active) === "0") return active;
    lab.run(active, "egress-bench-ha drain");
  }
  throw new Error("The pair's machines go on to take over from each other.");
}

/** State, remaining seconds, and outside port of each held connection. */
const entries = (machine: Machine) =>
  lab
    .run(machine, `conntrack -L -p tcp --dport 7000 -q ${MOVING} 2>/dev/null`)
    .trim()
    .split("\n")
    .map((line) => {
      const [, , seconds, state] = line.split(/\s+/);
      return { seconds: Number(seconds), state, port: /.* dport=(\d+)/.exec(line)?.[1] };
    });

test.each(["RST", "FIN"] as const)("idle connections outlive blind %s segments", async (kind) => {
  const active = await purged();
  lab.run(
    active,
    `sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_close=${CLOSE_SECONDS}; conntrack -F 2>/dev/null`,
  );
  const held = lab.run(
    "client",
    `cat > /tmp/holder.py <<'END'
${holder}END
rm -f /tmp/go /tmp/said; mkfifo /tmp/go /tmp/said
setsid sh -c 'exec 3<>/tmp/go; exec python3 /tmp/holder.py <&3 3<&-' >/tmp/said 2>&1 & exec 4</tmp/said; head -n 1 <&4
setsid cat <&4 >/tmp/result 2>/dev/null &`,
  );
  expect(held.trim()).toBe(String(CONNECTIONS));
  const ports = entries(active).map(({ port }) => port);
  expect(ports).toHaveLength(CONNECTIONS);
  lab.run(
    "cloud",
    `cat > /tmp/sender.py <<'END'\n${sender}END\npython3 /tmp/sender.py ${FLAGS[kind]} ${ports.join(" ")}`,
  );
  await pause((CLOSE_SECONDS + 1) * 1000);
  const left = entries(active).filter(
    ({ state, seconds }) => state === "ESTABLISHED" && seconds > LIVE_SECONDS,
  );
  lab.run("client", "echo > /tmp/go");
  const echoed = () => lab.run("client", "cat /tmp/result").trim();
  await expect.poll(echoed, { timeout: 60_000 }).not.toBe("");
  expect({ tracked: left.length, echo: Number(echoed()) }).toEqual({
    tracked: CONNECTIONS,
    echo: CONNECTIONS,
  });
});

test("a machine that carries again with old entries accepts any sequence number until it has purged them", async () => {
  const first = await purged();
  const second = first === "one" ? "two" : "one";
  await expect.poll(() => isLiberal(second), { timeout: 30_000 }).toBe("0");
  lab.split();
  await expect.poll(() => lab.carrier(), { timeout: 30_000 }).toBe(second);
  await expect.poll(() => lab.status(first)?.role, { timeout: 30_000 }).toBe("standby");
  lab.die(second);
  await expect.poll(() => lab.carrier(), { timeout: 60_000 }).toBe(first);
  expect(isLiberal(first)).toBe("1");
  lab.heal();
  await settled(lab);
  lab.run(first, "egress-bench-ha drain");
  await expect.poll(() => lab.carrier(), { timeout: 30_000 }).toBe(second);
  await expect.poll(() => isLiberal(first), { timeout: 30_000 }).toBe("0");
  expect(isLiberal(second)).toBe("0");
});

test("a machine that hands over to nobody tracks windows again", async () => {
  const active = await purged();
  const standby = active === "one" ? "two" : "one";
  lab.cut(standby);
  lab.run(active, "egress-bench-ha drain || true");
  await expect.poll(() => lab.status(active)?.role, { timeout: 60_000 }).toBe("active");
  expect(isLiberal(active)).toBe("0");
  lab.heal();
});
