/** A client, an instance and a server in the local lab; the instance is not set up yet. */
import { runInHost } from "../../components/local/lab/enter.ts";
import { endHost } from "../../components/local/lab/hosts.ts";
import { makeLink } from "../../components/local/lab/links.ts";
import { hostsOf, startHosts, testLab } from "./lab-hosts.ts";
import { shared } from "./shared.ts";

export const CLIENT = "198.18.1.2";
/** An address of the client outside the private block. */
export const STRANGER = "198.18.77.2";
export const PRIVATE_CIDR = "198.18.1.0/24";
export const INSTANCE = "198.19.1.1";
export const SERVER = "198.19.1.9";

const TCP_PORT = 7000;
const UDP_PORT = 7001;

/** Returns to each caller, over TCP and UDP, its address and port as seen by the server. */
const peerServer = `
import socket, threading
def tcp(listener):
    while True:
        connection, peer = listener.accept()
        connection.sendall(("%s %d" % (peer[0].removeprefix("::ffff:"), peer[1])).encode())
        connection.close()
def udp(socket):
    while True:
        _, peer = socket.recvfrom(2048)
        socket.sendto(("%s %d" % peer).encode(), peer)
listener = socket.create_server(("::", ${TCP_PORT}), family=socket.AF_INET6, backlog=128, dualstack_ipv6=True)
datagrams = socket.socket(type=socket.SOCK_DGRAM)
datagrams.bind(("0.0.0.0", ${UDP_PORT}))
threading.Thread(target=tcp, args=(listener,)).start()
threading.Thread(target=udp, args=(datagrams,)).start()
print("listening", flush=True)
`;

/**
 * Arguments: protocol, source address, destination, flows. Prints one line per flow: the server's view, or the error.
 * The server's kernel answers ICMP, so only `reply` is known.
 */
const peerClient = `
import socket, sys
protocol, source, destination, flows = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
ECHO_REQUEST = bytes.fromhex("0800f7ff00000000")
for _ in range(flows):
    try:
        if protocol == "tcp":
            flow = socket.create_connection((destination, ${TCP_PORT}), 2, (source, 0))
        else:
            kind = (socket.SOCK_DGRAM, 0) if protocol == "udp" else (socket.SOCK_RAW, socket.IPPROTO_ICMP)
            flow = socket.socket(socket.AF_INET, *kind)
            flow.settimeout(2)
            flow.bind((source, 0))
            flow.connect((destination, ${UDP_PORT}))
            flow.send(b"?" if protocol == "udp" else ECHO_REQUEST)
        answer = flow.recv(100)
        print("reply" if protocol == "icmp" else answer.decode())
        flow.close()
    except OSError as error:
        print(type(error).__name__)
`;

export interface NatLab {
  /** Runs a shell script in a host and returns its output. @throws {Error} with its stderr if it fails. */
  run(host: "client" | "instance" | "server", script: string): string;
  /** Opens new flows and returns how the far end saw each; for a failed one the error's name as address. */
  flows(
    protocol: "tcp" | "udp" | "icmp",
    how?: { from?: string; to?: string; host?: "client" | "server"; count?: number },
  ): { readonly address: string; readonly port: number }[];
  /** Replaces the instance with a new one. Everything on client and server stays. */
  renewInstance(): Promise<void>;
}

/** Makes the three hosts; they end with the test, or when the function given to `atEnd` is called. */
export async function natLab(atEnd?: Parameters<typeof testLab>[0]): Promise<NatLab> {
  const lab = testLab(atEnd);
  await startHosts(lab, "client", "instance", "server");
  connect(lab);
  const run: NatLab["run"] = (host, script) => runInHost(lab, host, script);
  for (const host of ["client", "server"] as const) {
    run(host, background(peerServer));
  }
  return {
    run,
    flows: (protocol, { from = CLIENT, to = SERVER, host = "client", count = 1 } = {}) => {
      const printed = run(host, python(peerClient, protocol, from, to, String(count)));
      return printed
        .trim()
        .split("\n")
        .map((line) => {
          const [address = "", port] = line.split(" ");
          return { address, port: Number(port) };
        });
    },
    renewInstance: async () => {
      await Promise.all(
        hostsOf(lab)
          .filter(({ host }) => host === "instance")
          .map(endHost),
      );
      await startHosts(lab, "instance");
      connect(lab);
    },
  };
}

/**
 * One lab for all tests of a file or of a `describe`.
 *
 * @param make {@link natLab}, or a function that does more and passes on what ends the lab.
 */
export function sharedLab(make: (atEnd: Parameters<typeof testLab>[0]) => Promise<NatLab> = natLab): NatLab {
  let end: (() => Promise<void>) | undefined;
  return shared(
    () =>
      make((made) => {
        end = made;
      }),
    () => end?.(),
  );
}

/** The instance's two links: when a host goes, so do both ends of its links. */
function connect(lab: string): void {
  makeLink({
    lab,
    shape: {},
    ends: [
      {
        host: "client",
        interface: "eth0",
        address: `${CLIENT}/24`,
        routes: [{ to: "default", via: "198.18.1.1" }],
      },
      { host: "instance", interface: "eth0", address: "198.18.1.1/24", routes: [{ to: `${STRANGER}/32` }] },
    ],
  });
  makeLink({
    lab,
    shape: {},
    ends: [
      {
        host: "instance",
        interface: "eth1",
        address: `${INSTANCE}/24`,
        routes: [{ to: "default", via: SERVER }],
      },
      // A route back to the private side, so that untranslated or undropped packets would arrive.
      {
        host: "server",
        interface: "eth0",
        address: `${SERVER}/24`,
        routes: [{ to: "198.18.0.0/16", via: INSTANCE }],
      },
    ],
  });
  runInHost(lab, "client", `ip address add ${STRANGER}/32 dev eth0`);
}

function python(program: string, ...args: string[]): string {
  return `cat > /tmp/program.py <<'END_OF_PROGRAM'\n${program}END_OF_PROGRAM\npython3 /tmp/program.py ${args.join(" ")}\n`;
}

/** Starts a lasting program, and waits until it reports that it listens. */
function background(program: string): string {
  return `cat > /tmp/server.py <<'END_OF_PROGRAM'
${program}END_OF_PROGRAM
mkfifo /tmp/ready
setsid python3 /tmp/server.py </dev/null >/tmp/ready 2>/tmp/server.log &
head -n 1 /tmp/ready
`;
}
