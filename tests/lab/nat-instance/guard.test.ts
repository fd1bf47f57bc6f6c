/**
 * The guard of a NAT instance during a flush of its rules: nothing leaves untranslated, nothing gets in, known connections
 * continue. Its unit is systemd's; here its program is run by hand.
 */
import { expect, test } from "vitest";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { CLIENT, INSTANCE, PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const PROGRAM = "/usr/local/sbin/egress-bench-nat-instance";

const lab = sharedLab();

function setUp(): void {
  const text = natSetup({ privateCidrs: [PRIVATE_CIDR], dataPlane: "nftables" });
  lab.run("instance", `cat > /tmp/set-up <<'END_OF_SET_UP'\n${text}END_OF_SET_UP\nsh /tmp/set-up`);
}

const translated = () => lab.flows("tcp").map(({ address }) => address);

/**
 * The server sends ten bytes every 10 ms over one connection, which the client counts in /tmp/got. As often it opens
 * another connection, whether the earlier ones came up or not, and sends a reset of a connection that does not exist.
 */
const talk = `
import asyncio, socket, struct, sys
async def push(_, writer):
    while True:
        writer.write(b"x" * 10)
        await writer.drain()
        await asyncio.sleep(0.01)
async def once():
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection("${SERVER}", 7100), 1)
        writer.transport.abort()
    except OSError:
        pass
async def knock():
    while True:
        asyncio.ensure_future(once())
        late()
        await asyncio.sleep(0.01)
def late():
    # A reset that no connection belongs to, with a wrong checksum: tracking calls it invalid and translates nothing of it.
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
    return raw.sendto(struct.pack("!HHLLBBHHH", 4446, 7100, 1, 0, 0x50, 4, 0, 1, 0), ("${SERVER}", 0))
async def main():
    if sys.argv[1] == "serve":
        server = await asyncio.start_server(push, "0.0.0.0", 7100, backlog=1000)
        print("listening", flush=True)
        await server.serve_forever()
    reader, _ = await asyncio.open_connection("${SERVER}", 7100)
    print("connected", flush=True)
    asyncio.ensure_future(knock())
    got = 0
    while data := await reader.read(1000):
        got += len(data)
        open("/tmp/got", "w").write(str(got))
asyncio.run(main())
`;

/** Starts the guard. @returns a command that lists a table's rules */
async function startGuard(): Promise<(table: string) => string> {
  lab.run(
    "instance",
    `setsid sh /usr/local/sbin/egress-bench-nat-guard /etc/egress-bench/guard.nft ${PROGRAM} </dev/null >/tmp/guard.log 2>&1 & echo $! > /tmp/guard.pid`,
  );
  const listed = (table: string) => lab.run("instance", `nft list table inet ${table} 2>&1 || :`);
  await expect.poll(() => listed("egress_bench_guard"), { timeout: 40_000 }).toContain("drop");
  return listed;
}

test("a connection over which the server sends outlives three flushes, and nothing leaves untranslated", async () => {
  setUp();
  // As in a cloud, no outside host has a route to a private address. Packets from one are counted.
  lab.run(
    "server",
    `ip route del 198.18.0.0/16
link=$(ip -4 route show default | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p'); [ -n "$link" ] || link=$(ip -o link show up | sed -n 's/^[0-9]*: \\([^:@]*\\)@.*/\\1/p' | head -n 1)
nft "table netdev seen { chain in { type filter hook ingress device $link priority 0; ip saddr ${PRIVATE_CIDR} counter; ip saddr ${INSTANCE} counter; }; }"`,
  );
  const start = (role: string) =>
    `cat > /tmp/talk.py <<'END'\n${talk}END\nmkfifo /tmp/said; setsid python3 /tmp/talk.py ${role} </dev/null >/tmp/said 2>/tmp/log & head -n 1 /tmp/said`;
  lab.run("server", start("serve"));
  lab.run("client", start("call"));
  const listed = await startGuard();
  const got = () => Number(lab.run("client", "cat /tmp/got 2>/dev/null || echo 0"));
  for (let turn = 0; turn < 3; turn += 1) {
    lab.run("instance", "nft flush ruleset");
    await expect.poll(() => listed("egress_bench"), { timeout: 40_000 }).toContain("snat ip to");
    // The rules are back, and so is the connection, without a lost byte.
    const before = got();
    await expect.poll(got, { timeout: 40_000 }).toBeGreaterThan(before);
    await expect.poll(() => translated(), { timeout: 40_000 }).toEqual([INSTANCE]);
  }
  const [untranslated, others] = [
    ...lab.run("server", "nft list table netdev seen").matchAll(/packets (\d+)/g),
  ].map(([, count]) => Number(count));
  // The guard's output is its unit's journal.
  expect(lab.run("instance", "cat /tmp/guard.log")).toContain("something else has changed rules");
  expect({ untranslated, others }).toEqual({ untranslated: 0, others: expect.any(Number) });
  expect(others).toBeGreaterThan(100);
  // Without the table's owner the guard holds nothing: it ends, and systemd starts it again.
  lab.run("instance", "kill $(pgrep -g $(cat /tmp/guard.pid) -f '^nft -i')");
  const running = () =>
    lab.run("instance", "kill -0 $(cat /tmp/guard.pid) 2>/dev/null && echo yes || echo no");
  await expect.poll(running, { timeout: 40_000 }).toBe("no\n");
  lab.run("instance", "kill -- -$(cat /tmp/guard.pid) || :");
});

/** Tries each address and port every 10 ms until /tmp/stop exists, then prints those that ever opened. */
const knocks = `
import os, socket, sys, time
opened = set()
print("knocking", flush=True)
while not os.path.exists("/tmp/stop"):
    for place in sys.argv[1:]:
        address, port = place.split(":")
        try:
            socket.create_connection((address, int(port)), 0.05).close()
            opened.add(place)
        except OSError:
            pass
    time.sleep(0.01)
open("/tmp/opened", "w").write(repr(sorted(opened)))
`;

test("nothing from outside reaches the machine or its clients while the rules are missing", async () => {
  setUp();
  const listen = `setsid python3 -c 'import socket
with socket.create_server(("0.0.0.0", 7300)) as s:
    while True: s.accept()' </dev/null >/dev/null 2>&1 & until ss -Hltn sport = 7300 | grep -q .; do sleep 0.1; done`;
  lab.run("instance", listen);
  lab.run("client", listen);
  lab.run("server", `ip route replace ${CLIENT} via ${INSTANCE}`);
  const places = `${INSTANCE}:7300 ${CLIENT}:7300`;
  const knockThrough = async (spoil: () => Promise<void>) => {
    lab.run(
      "server",
      `rm -f /tmp/stop /tmp/opened; cat > /tmp/knocks.py <<'END'\n${knocks}END\nrm -f /tmp/fifo; mkfifo /tmp/fifo; setsid python3 /tmp/knocks.py ${places} </dev/null >/tmp/fifo 2>/tmp/log & head -n 1 /tmp/fifo`,
    );
    await spoil();
    lab.run("server", "touch /tmp/stop");
    const said = () => lab.run("server", "cat /tmp/opened 2>/dev/null || :");
    await expect.poll(said, { timeout: 40_000 }).not.toBe("");
    return said();
  };
  const flush = async () => {
    lab.run("instance", "nft flush ruleset");
    const listed = () => lab.run("instance", "nft list table inet egress_bench 2>&1 || :");
    await expect.poll(listed, { timeout: 40_000 }).toContain("snat ip to");
  };
  await startGuard();
  expect(await knockThrough(flush)).toBe("[]");
  lab.run("instance", "kill -- -$(cat /tmp/guard.pid)");
  // The check itself works: without guard and rules all are let in.
  const open = async () => {
    lab.run("instance", "nft flush ruleset");
    lab.run(
      "server",
      `timeout 40 sh -c "until timeout 1 bash -c '</dev/tcp/${CLIENT}/7300' 2>/dev/null; do sleep 0.1; done"; sleep 0.5`,
    );
  };
  expect(await knockThrough(open)).toBe(`['${CLIENT}:7300', '${INSTANCE}:7300']`);
});
