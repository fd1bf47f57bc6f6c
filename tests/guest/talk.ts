/** A TCP connection that stays open between client and server of a guest, to test what it survives. */
import { type NatGuest, SERVER } from "./network.ts";

const PORT = 77;

/** The client exchanges the number of bytes requested over `/tmp/ask`, and answers over `/tmp/answer`. */
const program = `
import socket, sys
if sys.argv[1] == "serve":
    listener = socket.create_server(("0.0.0.0", ${PORT}))
    open("/tmp/answer", "w").write("listening\\n")
    connection, peer = listener.accept()
    while data := connection.recv(100):
        connection.sendall(data)
    sys.exit()
connection = socket.create_connection((sys.argv[2], ${PORT}), 5)
while True:
    try:
        for _ in range(int(open("/tmp/ask").read())):
            connection.sendall(b"x")
            if connection.recv(1) != b"x":
                raise OSError("closed")
        answer = "%d" % connection.getsockname()[1]
    except OSError as error:
        answer = repr(error)
    open("/tmp/answer", "w").write(answer + "\\n")
`;

export interface Talk {
  /** Sends bytes one by one and waits for each to come back. @throws {Error} when the connection is no longer whole */
  exchange(bytes: number): Promise<void>;
  /** The client's port. */
  readonly port: number;
}

/** Opens a connection; both ends live until the next one is opened, or the guest ends. */
export async function talk(guest: Pick<NatGuest, "run" | "inHost">, to = SERVER): Promise<Talk> {
  await guest.run(`for file in /tmp/talk-*.pid; do [ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null || :; done
rm -f /tmp/talk-*.pid /tmp/ask /tmp/answer; mkfifo /tmp/ask /tmp/answer
cat > /tmp/talk.py <<'END_OF_PROGRAM'\n${program}END_OF_PROGRAM`);
  const start = (role: string) =>
    `python3 /tmp/talk.py ${role} ${to} >/dev/console 2>&1 & echo $! > /tmp/talk-${role}.pid;`;
  await guest.inHost("server", `${start("serve")} cat /tmp/answer`);
  await guest.inHost("client", start("call"));
  const ask = async (bytes: number) => {
    const answer = await guest.run(`echo ${bytes} > /tmp/ask; cat /tmp/answer`);
    if (!/^\d+\n$/.test(answer)) throw new Error(`The connection is no longer whole: ${answer}`);
    return Number(answer);
  };
  const port = await ask(1);
  return {
    port,
    exchange: async (bytes) => {
      await ask(bytes);
    },
  };
}
