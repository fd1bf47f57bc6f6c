/**
 * Idle time-outs of a NAT instance, with the flowtable of Debian's cloud kernel: late answers pass by the default
 * time-outs, and are lost by the owner's shorter ones. The guest's clock runs fast while nothing happens, so that minutes
 * cost little.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { idleDefaults } from "../../components/nat-instance/idle-timeouts.ts";
import type { NatSetupArgs } from "../../components/nat-instance/index.ts";
import { type NatGuest, natGuest, SERVER } from "./network.ts";

let guest: NatGuest;
beforeAll(async () => {
  guest = await natGuest();
  const said = await guest.inHost(
    "server",
    `cat > /tmp/server.py <<'END'\n${server}END\nmkfifo /tmp/said; python3 /tmp/server.py >/tmp/said 2>&1 & head -n 1 /tmp/said`,
  );
  expect(said).toBe("listening\n");
});
afterAll(() => guest?.end());

/** Answers a datagram or a half-closed connection after the seconds that its last message asks for. */
const server = `
import socket, threading, time
datagrams = socket.socket(type=socket.SOCK_DGRAM)
datagrams.bind(("${SERVER}", 7200))
listener = socket.create_server(("${SERVER}", 7200))
def late(seconds, peer):
    time.sleep(seconds)
    datagrams.sendto(b"late", peer)
def half_closed(connection):
    seconds = 0
    while data := connection.recv(100):
        seconds = int(data)
        if not seconds:
            connection.sendall(b"now")
    time.sleep(seconds)
    connection.sendall(b"late")
    connection.close()
def run(*what):
    threading.Thread(target=what[0], args=what[1:], daemon=True).start()
def answer():
    while True:
        data, peer = datagrams.recvfrom(100)
        run(late, int(data), peer)
run(answer)
print("listening", flush=True)
while True:
    run(half_closed, listener.accept()[0])
`;

/** Arguments: the seconds of each kind of silence. Prints the answers as JSON. */
const client = `
import json, socket, sys, threading, time
unanswered, udp, half_closed = map(int, sys.argv[1:])
found = {}
def datagrams(name, seconds, before):
    one = socket.socket(type=socket.SOCK_DGRAM)
    one.connect(("${SERVER}", 7200))
    for _ in range(before):
        one.settimeout(5)
        one.send(b"0")
        one.recv(100)
    one.settimeout(seconds + 5)
    one.send(b"%d" % seconds)
    found[name] = one.recv(100).decode()
def connection(name, seconds):
    one = socket.create_connection(("${SERVER}", 7200), 5)
    for _ in range(20):
        one.sendall(b"0")
        assert one.recv(100) == b"now"
    one.sendall(b"%d" % seconds)
    # A FIN right behind data may be sent again, which tracking takes for the other side's.
    time.sleep(1)
    one.shutdown(socket.SHUT_WR)
    one.settimeout(seconds + 5)
    found[name] = one.recv(100).decode()
def tried(name, what, *args):
    try:
        what(name, *args)
    except OSError as error:
        found[name] = type(error).__name__
threads = [
    threading.Thread(target=tried, args=args)
    for args in (
        ("udpUnanswered", datagrams, unanswered, 0),
        ("udp", datagrams, udp, 20),
        ("tcpHalfClosed", connection, half_closed),
    )
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(found))
`;

/** Results for answers this much earlier than the default time-outs. */
async function answers(args: Partial<NatSetupArgs>): Promise<unknown> {
  expect(await guest.setUp(args)).toBe("flowtable");
  const { udpUnanswered, udp, tcpHalfClosed } = idleDefaults;
  const silences = [udpUnanswered, udp, tcpHalfClosed].map((seconds) => seconds - EARLIER_SECONDS);
  return JSON.parse(
    await guest.inHost(
      "client",
      `cat > /tmp/client.py <<'END'\n${client}END\npython3 /tmp/client.py ${silences.join(" ")}`,
    ),
  );
}

const EARLIER_SECONDS = 10;

test("late answers pass to a single datagram, an offloaded UDP flow, and a half-closed connection", async () => {
  expect(await answers({})).toEqual({ udpUnanswered: "late", udp: "late", tcpHalfClosed: "late" });
});

test("the owner's shorter time-outs are in force for each kind of flow", async () => {
  const late = { udpUnanswered: "late", udp: "late", tcpHalfClosed: "late" };
  for (const kind of ["udpUnanswered", "udp", "tcpHalfClosed"] as const) {
    // An offloaded flow has the time-out of an answered one.
    expect(await answers({ idleTimeouts: { [kind]: 20 } }), kind).toEqual({
      ...late,
      [kind]: "TimeoutError",
    });
  }
});
