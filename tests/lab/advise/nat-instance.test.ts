/**
 * Known traffic through a real NAT instance, and the advice from logs made of its conntrack, in both clouds' formats. A lab
 * second is a log minute. Not proved: that the clouds write their logs in this way.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { natSetup } from "../../../components/nat-instance/index.ts";
import type { Traffic } from "../../../packages/advise/src/traffic.ts";
import {
  awsLogOf,
  azureLogOf,
  readWatched,
  SCALE,
  type Watched,
  watcher,
} from "../../helpers/conntrack-logs.ts";
import { trafficOf } from "../../helpers/flow-logs.ts";
import { natLab, PRIVATE_CIDR, SERVER } from "../../helpers/nat-lab.ts";

const MORE_SERVERS = ["198.19.1.10", "198.19.1.11"] as const;
const addresses = {
  of: (lab: string) =>
    lab.startsWith("198.18.1.") ? `10.0.1.${lab.split(".")[3]}` : `203.0.113.${lab.split(".")[3]}`,
  nat: "10.0.0.220",
};

const DOWNLOAD = 20_000_000;
const FLOWS = 40;
const UPLOAD = 50_000;
const DATAGRAMS = 100;
const DATAGRAM = 1000;
const SILENCE_SECONDS = 8;
const SECONDS = 14;

const server = `
import socket, threading
def serve(connection):
    with connection:
        stream = connection.makefile("rb")
        for line in stream:
            what, size = line.split()
            if what == b"get":
                connection.sendall(bytes(int(size)))
            else:
                stream.read(int(size))
                connection.sendall(b"ok")
def tcp():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
listener = socket.create_server(("", 9100), backlog=128)
sink = socket.socket(type=socket.SOCK_DGRAM)
sink.bind(("", 9101))
threading.Thread(target=tcp, daemon=True).start()
print("listening", flush=True)
while True:
    sink.recv(2048)
`;

const client = `
import socket, threading, time
def connect(address):
    return socket.create_connection((address, 9100), 10)
def read(flow, size):
    while size > 0:
        size -= len(flow.recv(min(size, 65536)))
def download():
    with connect("${SERVER}") as flow:
        flow.sendall(b"get ${DOWNLOAD}\\n")
        read(flow, ${DOWNLOAD})
def upload(flow):
    flow.sendall(b"put ${UPLOAD}\\n" + bytes(${UPLOAD}))
    read(flow, 2)
def many():
    flows = [connect("${MORE_SERVERS[0]}") for _ in range(${FLOWS})]
    for flow in flows:
        upload(flow)
    time.sleep(3)
    # Traffic at the end of each too, so that the log shows all of them at once.
    for flow in flows:
        upload(flow)
        flow.close()
def datagrams():
    flow = socket.socket(type=socket.SOCK_DGRAM)
    for _ in range(${DATAGRAMS}):
        flow.sendto(bytes(${DATAGRAM}), ("${MORE_SERVERS[1]}", 9101))
        time.sleep(0.01)
def idle():
    with connect("${SERVER}") as flow:
        upload(flow)
        time.sleep(${SILENCE_SECONDS})
        upload(flow)
threads = [threading.Thread(target=one) for one in (download, many, datagrams, idle)]
for thread in threads: thread.start()
for thread in threads: thread.join()
`;

const inFile = (name: string, text: string) => `cat > /tmp/${name} <<'END_OF_FILE'\n${text}END_OF_FILE\n`;

const atEnd: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(atEnd.map((end) => end())));

let watched: Watched;
const logs: Record<"aws" | "azure", Traffic> = {} as never;

beforeAll(async () => {
  const lab = await natLab((end) => {
    atEnd.push(end);
  });
  lab.run(
    "instance",
    `${inFile("set-up", natSetup({ privateCidrs: [PRIVATE_CIDR] }))}sh /tmp/set-up >/tmp/out 2>&1\nsysctl -qw net.netfilter.nf_conntrack_acct=1`,
  );
  lab.run("server", MORE_SERVERS.map((address) => `ip address add ${address}/32 dev eth0`).join("\n"));
  lab.run(
    "server",
    `${inFile("known.py", server)}mkfifo /tmp/known\nsetsid python3 /tmp/known.py </dev/null >/tmp/known 2>&1 &\nhead -n 1 /tmp/known`,
  );
  const watching = `${inFile("watch.py", watcher(SECONDS))}setsid python3 /tmp/watch.py </dev/null >/tmp/watched 2>&1 &`;
  lab.run(
    "instance",
    `${watching}\nfor _ in $(seq 100); do [ -s /tmp/samples ] && exit; sleep 0.1; done; cat /tmp/watched >&2; exit 1`,
  );
  lab.run("client", `${inFile("client.py", client)}timeout 60 python3 /tmp/client.py`);
  lab.run("instance", "for _ in $(seq 600); do grep -q done /tmp/watched && exit; sleep 0.1; done; exit 1");
  watched = readWatched(lab.run("instance", "cat /tmp/samples"), lab.run("instance", "cat /tmp/events"));
  logs.aws = await trafficOf({ "vpc.log": awsLogOf(watched, addresses) });
  logs.azure = await trafficOf({ "PT1H.json": azureLogOf(watched, addresses) });
});

describe.each(["aws", "azure"] as const)("%s", (cloud) => {
  const within2Percent = (value: number, expected: number) => {
    expect(value).toBeGreaterThan(expected * 0.98);
    expect(value).toBeLessThan(expected * 1.02);
  };

  test("finds the NAT instance and counts its traffic once", () => {
    expect(logs[cloud].nats).toHaveLength(1);
    expect(logs[cloud].other.insideBytes).toBeGreaterThanOrEqual(0);
  });

  test("recovers volumes within 2 %, of the outside interface's counters and of what each flow carried", () => {
    const { total, destinations } = logs[cloud];
    const sum = (way: "in" | "out") => watched.interfaceBytes.reduce((all, one) => all + one[way], 0);
    within2Percent(total.outBytes, sum("out"));
    within2Percent(total.inBytes, sum("in"));
    const of = (lab: string) => destinations.find(({ address }) => address === addresses.of(lab))!;
    within2Percent(of(SERVER).inBytes, DOWNLOAD);
    within2Percent(of(MORE_SERVERS[1]).outBytes, DATAGRAMS * (DATAGRAM + 28));
    expect(of(MORE_SERVERS[0]).outBytes).toBeGreaterThan(2 * FLOWS * UPLOAD);
  });

  test("bounds the flows at once to the busiest destination, and counts what was opened", () => {
    const { busiest, opened, clients } = logs[cloud].flows!;
    expect(busiest).toMatchObject({ address: addresses.of(MORE_SERVERS[0]), port: 9100, protocol: 6 });
    expect(busiest!.concurrent.low).toBeLessThanOrEqual(FLOWS);
    expect(busiest!.concurrent.low).toBeGreaterThanOrEqual(FLOWS * 0.9);
    expect(busiest!.concurrent.high).toBe(FLOWS);
    // On AWS the idle flow is silent for longer than the time-out, which makes it two mappings.
    expect(opened).toBe(watched.opened + (cloud === "aws" ? 1 : 0));
    expect(clients).toBe(1);
  });

  test("bounds the busiest minute", () => {
    const { peak } = logs[cloud];
    const busiest = Math.max(...watched.interfaceBytes.map((one) => one.in));
    expect((busiest * 8) / SCALE).toBeGreaterThanOrEqual(peak!.in.least * 0.98);
    expect((busiest * 8) / SCALE).toBeLessThanOrEqual(peak!.in.most! * 1.02);
    expect(peak!.in.estimate).toBeLessThanOrEqual(peak!.in.most!);
  });

  test("sees the silence of the continuing flow", () => {
    const { silences } = logs[cloud].flows!;
    const known = SILENCE_SECONDS * SCALE;
    // Azure's figures may cover five minutes, any of which may have had traffic.
    const unseen = 2 * SCALE + (cloud === "azure" ? 300 : 0);
    expect(silences.longestSeconds).toBeGreaterThanOrEqual(known - unseen);
    expect(silences.longestSeconds).toBeLessThanOrEqual(known + SCALE);
    expect(silences.over.find(({ seconds }) => seconds === 60)?.flows).toBeGreaterThanOrEqual(1);
  });
});
