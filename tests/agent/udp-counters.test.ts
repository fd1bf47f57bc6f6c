/** The agent's figures from the kernel's UDP counters: datagrams that a test's host sent, received, and dropped itself. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";

describe("the kernel's counters of UDP", () => {
  const reading = (arrived: number, sent: number, loopback: number) => ({
    ...{ receiveBufferErrors: 3, sendBufferErrors: 0, sentDatagrams: sent, arrivedDatagrams: arrived },
    ...{ damagedDatagrams: 0, fragments: 0 },
    loopbackPackets: loopback,
  });
  it.each<[string, [number, number, number], number | undefined]>([
    ["all that arrived, without loopback", [1000, 0, 0], 1000],
    ["none of the host's own datagrams", [1000 + 5000, 5000, 5000], 1000],
    ["none of the host's own beside TCP on the loopback", [9800 + 200, 200, 200 + 500], 9800],
    ["all that arrived, beside TCP only on the loopback", [1000, 0, 500], 1000],
    ["all but a few that the host answered beside TCP on the loopback", [9800 + 200, 200 + 3, 700], 9797],
    ["nothing where a counter went back or overflowed", [-500, 0, 0], undefined],
  ])("count arrived datagrams: %s", (_, [arrived, sent, loopback], expected) => {
    const rise = evaluate("kernel_counters.udp_rise(*data)", [
      reading(2 ** 32 - 600, 10, 7),
      reading(2 ** 32 - 600 + arrived, 10 + sent, 7 + loopback),
    ]) as Record<string, number> | null;
    expect(rise?.arrivedDatagrams).toBe(expected);
    expect(Object.keys(rise ?? {})).not.toContain("loopbackPackets");
  });

  it("count datagrams without room in UDP's memory as the receiver's drops, damaged and truncated ones as lost before", () => {
    // All of these are among InErrors (net/ipv4/udp.c, __udp_queue_rcv_skb; __udp4_lib_rcv: short_packet).
    const text = (received: number, full: number, memory: number, checksum: number, short: number) =>
      `Ip: InDelivers ReasmReqds
Ip: ${received} 0
Icmp: InMsgs
Icmp: 0
Tcp: InSegs RetransSegs
Tcp: 0 0
Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors
Udp: 0 0 ${full + memory + checksum + short} 0 ${full} 0 ${checksum} 0 ${memory}
`;
    const rise = evaluate("kernel_counters.udp_rise(*map(kernel_counters.udp_counters, data))", [
      text(5, 1, 2, 3, 4),
      text(1005, 101, 52, 10, 24),
    ]);
    expect(rise).toMatchObject({ receiveBufferErrors: 150, arrivedDatagrams: 973 });
  });

  it("count the firewall's drops on the test's ports, if none came in fragments", () => {
    const rise = (testDatagrams: number | undefined, fragments: number) =>
      evaluate("kernel_counters.udp_rise(*data)", [
        { ...reading(0, 0, 0), testDatagrams: testDatagrams && 0, fragments: 0 },
        { ...reading(600, 0, 0), testDatagrams, fragments },
      ]);
    expect(rise(1000, 0)).toMatchObject({ arrivedDatagrams: 600, filteredDatagrams: 400 });
    expect(rise(500, 0)).toMatchObject({ arrivedDatagrams: 500, filteredDatagrams: 0 });
    expect(rise(1000, 2)).not.toHaveProperty("filteredDatagrams");
    expect(rise(undefined, 0)).not.toHaveProperty("filteredDatagrams");
  });

  it("count the datagrams that reached a real host, without those it sent to itself, beside TCP of both families", () => {
    const program = fileURLToPath(new URL("../helpers/own-datagrams.py", import.meta.url));
    const agent = fileURLToPath(new URL("../../agent", import.meta.url));
    const { stdout, stderr } = spawnSync(
      "unshare",
      ["--map-root-user", "--net", "python3", "-B", program, agent],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    const { came, raw, dropped, rise, ofTest, handed } = JSON.parse(stdout);
    expect(came).toBe(1000);
    expect(raw).toBeGreaterThanOrEqual(2000 + 3000);
    expect(dropped).toBeGreaterThan(400);
    expect(rise).toEqual({
      ...{ arrivedDatagrams: 2000, sentDatagrams: 0, sendBufferErrors: 0 },
      ...{ receiveBufferErrors: dropped, ofTestPorts: false },
    });
    // Some came in fragments, so the firewall's drops are unknown.
    expect(ofTest).toEqual({ ...rise, arrivedDatagrams: 1000, receiveBufferErrors: 0, ofTestPorts: true });
    expect(handed).toBe(1000);
  });
});

it("counters of one moment are read: TCP's row may have a segment that IP's has not", () => {
  const readings = ["Ip 1 Tcp 2", "", "Ip 2 Tcp 2", "", "Ip 2 Tcp 2", "", "Ip 3 Tcp 3", ""];
  const read =
    "kernel_counters.__dict__.update(read_text=lambda _: data.pop(0)), kernel_counters.read_both_families()";
  expect(evaluate(`(${read})[1]`, readings)).toEqual(["Ip 2 Tcp 2", ""]);
});
