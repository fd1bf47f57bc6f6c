/**
 * Source addresses of the data, compared with the path proof's expectation, for every protocol and tool. On loopback, where
 * a client may have any address of 127.0.0.0/8. Behind a real NAT: tests/lab/nat-instance/measured-path.test.ts.
 */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentHost, agentHost, evaluate } from "../helpers/agent-host.ts";
import { iperf3Of, observed } from "../helpers/agent-runs.ts";

const OTHER = "127.0.0.2";

let host: AgentHost;
beforeAll(async () => {
  host = await agentHost("server");
  const { connect, iperf3, irtt } = host.ports as AgentHost["ports"] & { readonly irtt: number };
  const dataPorts = {
    tcp: [
      [iperf3, iperf3],
      [connect, connect],
    ],
    udp: [
      [iperf3, iperf3],
      [irtt, irtt],
    ],
  } as const;
  expect((await host.prepare({ dataPorts })).stderr).toBe("");
});
afterAll(() => host.dispose());

/** Ends of established connections on a port of this machine. */
const established = (port: number) =>
  execFileSync("ss", ["-Htan", "state", "established", `( sport = :${port} or dport = :${port} )`], {
    encoding: "utf8",
  })
    .split("\n")
    .filter(Boolean).length;

const watching = () => ({ observe: [observed(host)] });

test("data from another address than the proof's fails the case, and the failure names both", async () => {
  const report = await host.run({
    ...watching(),
    key: "from-elsewhere",
    command: iperf3Of(host, `-t 3 -b 2M -B ${OTHER}`),
    reducer: "iperf3",
  });
  expect(report.sourceIp).toBe("127.0.0.1");
  expect(report.failure).toMatchObject({ class: "path-mismatch" });
  expect(report.failure?.message).toContain(`the test's own TCP come from ${OTHER} (port `);
  expect(report.failure?.message).toContain("expected 127.0.0.1");
});

test("data from the expected address is in the report, with the ports that the server saw", async () => {
  const report = await host.run({
    ...watching(),
    key: "from-there",
    command: iperf3Of(host, "-u -b 2M -t 3 -P 2"),
    reducer: "iperf3",
  });
  expect(report.failure).toBeNull();
  expect(report.dataSources).toMatchObject([
    { protocol: "tcp", address: "127.0.0.1", connections: 1 },
    { protocol: "udp", address: "127.0.0.1", connections: 2 },
  ]);
  expect(report.dataSources?.flatMap(({ ports }) => ports)).toHaveLength(3);
});

test("the agent's own connect probe and irtt are checked too", async () => {
  const { connect, irtt } = host.ports as AgentHost["ports"] & { readonly irtt: number };
  // Several in a row, like the probe: the server's daemon hears of a connection a moment after its end.
  const python = (from: string) => `python3 -c 'import socket, time
for _ in range(10):
    socket.create_connection(("127.0.0.1", ${connect}), 5, ("${from}", 0)).recv(1)
    time.sleep(0.1)'`;
  const probed = await host.run({ ...watching(), key: "connect", command: python("127.0.0.1") });
  expect(probed.failure).toBeNull();
  expect(probed.dataSources).toMatchObject([{ protocol: "tcp", address: "127.0.0.1" }]);
  const astray = await host.run({ ...watching(), key: "astray", command: python(OTHER) });
  expect(astray.failure).toMatchObject({ class: "path-mismatch" });

  const trips = (from: string) => `irtt client -4 -Q -d 1s --local=${from} 127.0.0.1:${irtt}`;
  const there = await host.run({ ...watching(), key: "irtt", command: trips("127.0.0.1") });
  expect(there.failure).toBeNull();
  expect(there.dataSources).toMatchObject([{ protocol: "udp", address: "127.0.0.1", connections: 1 }]);
  const elsewhere = await host.run({ ...watching(), key: "irtt-astray", command: trips(OTHER) });
  expect(elsewhere.failure).toMatchObject({ class: "path-mismatch" });
});

test("connections from before the tool's start are not its own", async () => {
  const { iperf3 } = host.ports;
  const other = host.run({ key: "before", command: iperf3Of(host, `-t 8 -b 1M -B ${OTHER}`) });
  await expect.poll(() => established(iperf3), { timeout: 8000 }).toBeGreaterThan(2);
  // A second test is refused during the first: the server then only has the first one's.
  const asked = await host.ask({ op: "observe-start", id: "w", maxSeconds: 9 });
  expect(asked).toEqual({ ok: true });
  await other;
  expect(await host.ask({ op: "observe-stop", id: "w" })).toMatchObject({ peers: [] });
});

test("a small kernel's list of datagram sockets is read without sockets that have no peer", () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
    1: 010200C0:1451 076433C6:E2C8 01 00000000:00000000 00:00000000 00000000     0
    2: 00000000:1451 00000000:0000 07 00000000:00000000 00:00000000 00000000     0
    3: 0000000000000000FFFF0000010200C0:1451 0000000000000000FFFF0000076433C6:0007 01 0:0 0:0 0 0
    4: B80D0120000000000000000001000000:1451 B80D0120000000000000000002000000:0007 01 0:0 0:0 0 0
    5: 010200C0:1452 076433C6:E2C8 01 00000000:00000000 00:00000000 00000000     0
`;
  const read = "[list(one[:5]) for one in sockets.listed(data, lambda protocol, *ports: 5201 in ports)]";
  expect(evaluate(read, table)).toEqual([
    ["udp", "192.0.2.1", 5201, "198.51.100.7", 58056],
    ["udp", "192.0.2.1", 5201, "198.51.100.7", 7],
    ["udp", "2001:db8::1", 5201, "2001:db8::2", 7],
  ]);
});

test("ports are pairs of a first and a last by protocol", async () => {
  const wrong = ["a text", [[0, 5]], [[5, 4]], [[1, 2, 3]], [[1, true]], Array(9).fill([1, 2])];
  expect(evaluate("[checks.are_ports({'tcp': one}) for one in data]", wrong)).toEqual(wrong.map(() => false));
  expect(evaluate("checks.are_ports(data)", { sctp: [] })).toBe(false);
  expect(evaluate("checks.are_ports(data)", { tcp: [[1, 2]], udp: [[5201, 5201]] })).toBe(true);
  const outcome = await host.prepare({ dataPorts: { tcp: [[0, 5]], udp: [] } });
  expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining("dataPorts: expected") });
});
