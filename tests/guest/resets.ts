/** TCP connections that the client resets, and what the NAT instance then tracks of them. */
import { CLIENT, type NatGuest, SERVER } from "./network.ts";

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

/** Resets five connections. @returns conntrack's lines of those that are still tracked two seconds later */
export async function resetFive(guest: NatGuest): Promise<string[]> {
  await guest.inHost(
    "server",
    `cat > /tmp/resets.py <<'END'\n${resets}END\npython3 /tmp/resets.py >/dev/null 2>&1 & while ! ss -Htln sport :7100 | grep -q .; do sleep 0.1; done`,
  );
  await guest.inHost("client", `cat > /tmp/calls.py <<'END'\n${calls}END\npython3 /tmp/calls.py`);
  const text = await guest.inHost(
    "nat",
    `sleep 2; conntrack -L -p tcp -s ${CLIENT} --dport 7100 2>/dev/null`,
  );
  return text.split("\n").filter((line) => line !== "");
}

/** The seconds until an entry of TCP is forgotten, of a line of conntrack's. */
export const secondsLeft = (line: string) => Number(/^tcp +6 (\d+) /.exec(line)?.[1]);
