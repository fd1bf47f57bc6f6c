/**
 * The time that reset connections of the flowtable hold their ports, on Debian's cloud kernel, older than Linux 6.14: the
 * kernel alone keeps them for 300 s, and our setting limits that.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { RESET_SECONDS } from "../../components/nat-instance/sysctls.ts";
import { CLIENT, type NatGuest, natGuest, SERVER } from "./network.ts";

let guest: NatGuest;
beforeAll(async () => {
  guest = await natGuest();
});
afterAll(() => guest?.end());

/** Opens connections, exchanges 20 bytes over each, and resets them all. */
const resets = `
import socket, struct, threading, time
listener = socket.create_server(("${SERVER}", 7100), backlog=20)
def echo(connection):
    try:
        while data := connection.recv(100):
            connection.sendall(data)
    except OSError:
        pass
def serve():
    while True:
        threading.Thread(target=echo, args=(listener.accept()[0],), daemon=True).start()
serve()
`;
const calls = `
import socket, struct
for _ in range(5):
    flow = socket.create_connection(("${SERVER}", 7100), 5)
    for _ in range(20):
        flow.sendall(b"x")
        assert flow.recv(1) == b"x"
    flow.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    flow.close()
`;

test("are forgotten after the limit, though they count as established", async () => {
  expect(await guest.setUp()).toBe("flowtable");
  await guest.inHost(
    "server",
    `cat > /tmp/resets.py <<'END'\n${resets}END\npython3 /tmp/resets.py >/dev/null 2>&1 & while ! ss -Htln sport :7100 | grep -q .; do sleep 0.1; done`,
  );
  await guest.inHost("client", `cat > /tmp/calls.py <<'END'\n${calls}END\npython3 /tmp/calls.py`);
  const text = await guest.inHost(
    "nat",
    `sleep 2; conntrack -L -p tcp -s ${CLIENT} --dport 7100 2>/dev/null`,
  );
  const left = text
    .trim()
    .split("\n")
    .map((line) => Number(/^tcp +6 (\d+) /.exec(line)?.[1]));
  expect(left).toHaveLength(5);
  expect(Math.max(...left)).toBeLessThanOrEqual(RESET_SECONDS);
  // The kernel's behaviour without the limit, which is the reason for it.
  expect(text).toContain("ESTABLISHED");
  expect(Math.min(...left)).toBeGreaterThan(10);
});
