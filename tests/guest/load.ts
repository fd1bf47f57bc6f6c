/**
 * Load inside a guest, and its cost there. Clock and cost are those of the guest's one processor, which sends, forwards and
 * receives the load; forwarding costs the difference to load that ends at the NAT instance's interface.
 */
import { CLIENT, type NatGuest, SERVER } from "./network.ts";

/** Port of the server, which counts and drops packets. */
const SINK_PORT = 9;
const SERVICE_PORT = 7;

/** UDP datagrams of 60 bytes (64 on the wire) by the kernel's packet generator. */
export interface PacketLoad {
  readonly packets: number;
  /** Number of flows, used in turn; as many as packets makes each packet a new flow. */
  readonly flows: number;
  /** Source port of the first flow. @default 1024 */
  readonly firstPort?: number;
  /** Number of times that all are sent. @default 1 */
  readonly rounds?: number;
}

/** Time of a load, and its arrival. */
export interface LoadResult {
  /** Time of the quickest round: other work of the guest only adds to it. */
  readonly microseconds: number;
  /** Packets that arrived, in all rounds. */
  readonly arrived: number;
}

const dropAtServer = `nft 'table ip sink { chain first { type filter hook prerouting priority raw; udp dport ${SINK_PORT} counter drop; }; }'`;
const dropAtNat = `nft 'table netdev sink { chain first { type filter hook ingress device eth0 priority 0; udp dport ${SINK_PORT} counter drop; }; }'`;

/** Sends packets from client to server through the forwarder. */
export async function sendPackets(guest: NatGuest, load: PacketLoad): Promise<LoadResult> {
  await guest.inHost("server", `nft delete table ip sink 2>/dev/null; ${dropAtServer}`);
  const microseconds = await generate(guest, load);
  return { microseconds, arrived: await counted(guest, "server", "ip") };
}

/** The same packets up to the NAT instance's interface: the cost of making them. */
export async function sendPacketsNowhere(guest: NatGuest, load: PacketLoad): Promise<LoadResult> {
  await guest.inHost("nat", dropAtNat);
  const microseconds = await generate(guest, load);
  const arrived = await counted(guest, "nat", "netdev");
  await guest.inHost("nat", "nft delete table netdev sink");
  return { microseconds, arrived };
}

/** Nanoseconds of the guest's processor per packet: including sending and receiving, and the NAT instance's own share. */
export interface PacketCost {
  readonly all: number;
  readonly forwarding: number;
}

/** Rounds: the first one makes the flows known, and the kernel may clean up in another. */
const ROUNDS = 4;

/** Cost of packets on the path that is set up, once their flows are known. @throws {Error} when any is lost */
export async function packetCost(guest: NatGuest, load: Omit<PacketLoad, "rounds">): Promise<PacketCost> {
  const rounds = { ...load, rounds: ROUNDS };
  const sent = await sendPackets(guest, rounds);
  const nowhere = await sendPacketsNowhere(guest, rounds);
  for (const { arrived } of [sent, nowhere]) {
    const all = load.packets * ROUNDS;
    if (arrived !== all) throw new Error(`Of ${all} packets ${arrived} arrived.`);
  }
  const each = (microseconds: number) => (microseconds * 1000) / load.packets;
  return { all: each(sent.microseconds), forwarding: each(sent.microseconds - nowhere.microseconds) };
}

async function generate(
  guest: NatGuest,
  { packets, flows, firstPort = 1024, rounds = 1 }: PacketLoad,
): Promise<number> {
  const settings = [
    `count ${packets}`,
    "pkt_size 60",
    "delay 0",
    `dst ${SERVER}`,
    `src_min ${CLIENT}`,
    `src_max ${CLIENT}`,
    `udp_dst_min ${SINK_PORT}`,
    `udp_dst_max ${SINK_PORT}`,
    `udp_src_min ${firstPort}`,
    // The largest port is excluded.
    `udp_src_max ${firstPort + flows}`,
  ];
  const mac = (await guest.inHost("nat", "cat /sys/class/net/eth0/address")).trim();
  const said = await guest.inHost(
    "client",
    `set -e; modprobe pktgen; cd /proc/net/pktgen
    echo rem_device_all > kpktgend_0; echo add_device eth0 > kpktgend_0
    for setting in "dst_mac ${mac}" ${settings.map((setting) => `"${setting}"`).join(" ")}; do echo "$setting" > eth0; done
    for round in {1..${rounds}}; do echo start > pgctrl; cat eth0; done
    echo rem_device_all > kpktgend_0`,
  );
  const took = [...said.matchAll(/^Result: OK: (\d+)\(/gm)].map(([, microseconds]) => Number(microseconds));
  if (took.length !== rounds) throw new Error(`pktgen did not send its packets:\n${said}`);
  return Math.min(...took);
}

async function counted(guest: NatGuest, host: "nat" | "server", family: "ip" | "netdev"): Promise<number> {
  const text = await guest.inHost(host, `nft list table ${family} sink`);
  return Number(/counter packets (\d+)/.exec(text)?.[1]);
}

/** Opens and closes TCP connections one after another; none may fail. */
const connections = `
import socket, sys, time
def serve():
    listener = socket.create_server(("0.0.0.0", ${SERVICE_PORT}), backlog=128)
    print("listening", flush=True)
    while True:
        listener.accept()[0].close()
def call(count):
    begin = time.perf_counter_ns()
    for _ in range(count):
        connection = socket.create_connection(("${SERVER}", ${SERVICE_PORT}), 5)
        assert connection.recv(1) == b""
        connection.close()
    return (time.perf_counter_ns() - begin) / count
serve() if sys.argv[1] == "serve" else print(round(min(call(25) for _ in range(8))))
`;

/**
 * Cost of a TCP connection that the server closes at once, including both ends.
 * @returns nanoseconds of the guest's processor, in the quickest of several rounds
 */
export async function connectionCost(guest: NatGuest): Promise<number> {
  await guest.run(
    `cat > /tmp/connections.py <<'END_OF_PROGRAM'\n${connections}END_OF_PROGRAM\nrm -f /tmp/ready; mkfifo /tmp/ready`,
  );
  await guest.inHost(
    "server",
    "python3 /tmp/connections.py serve >/tmp/ready 2>&1 & echo $! > /tmp/server.pid; head -n 1 /tmp/ready",
  );
  try {
    return Number(await guest.inHost("client", `python3 /tmp/connections.py call`));
  } finally {
    await guest.run("kill $(cat /tmp/server.pid)");
  }
}
