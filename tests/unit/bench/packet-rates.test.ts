/** Packets per second at sender, NAT instance and receiver: a figure of each throughput case, by the hosts' kernels. */
import { describe, expect, it } from "vitest";
import { withPacketRates } from "../../../bench/assemble/packet-rates.ts";
import { estimate } from "../../../bench/figures/estimate.ts";
import type { FigureId } from "../../../bench/figures/index.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { HostUsage, Role } from "../../../bench/results/index.ts";
import { toolOf } from "../../../bench/tools/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { toCsv, toMarkdown } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { fixture, iperf3Case, usageOf } from "./fixture.ts";
import { udpCase } from "./iperf3-case.ts";

function host(role: Role, counts: Record<string, number>, restarted = false): HostUsage {
  const { receiveBufferErrors = 0, sendBufferErrors = 0, queueDrops = 0, ...packets } = counts;
  const network = { udp: { receiveBufferErrors, sendBufferErrors }, queueDrops };
  return usageOf(role, [{ ...packets, ...(restarted && { restarted }) }], { host: role, network });
}

const hosts = [
  host("client", { sentPackets: 50_000, receivedPackets: 7, sendDrops: 3, sendBufferErrors: 2 }),
  host("nat", { receivedPackets: 49_500, sentPackets: 49_100, receiveDrops: 1 }),
  host("server", { receivedPackets: 49_000, sentPackets: 9, receiveBufferErrors: 30 }),
];
const measurement = { ...nothingMeasured, bitsPerSecond: 1e9 };
const udp = { ...udpCase, durationSeconds: 4, omitSeconds: 1 };

describe("packets a second", () => {
  it("are the kernels' packets over the tool's whole sending time, with drops", () => {
    const natDrops = { receivedPackets: 49_500, sentPackets: 49_100, lostPercent: 0.8 };
    expect(withPacketRates(measurement, udp, hosts, natDrops)!.packetRates).toEqual({
      ...{ sender: 10_000, senderDrops: 5 },
      ...{ nat: 9_900, natDrops: 400 },
      ...{ receiver: 9_800, receiverDrops: 30 },
    });
  });

  it("include a queue's late drops, and have unknown drops if queues were not counted", () => {
    const drops = (queueDrops: number | null) => {
      const [client, nat] = [host("client", { sendDrops: 3, sendBufferErrors: 2 }), host("nat", {})];
      const counted = [client, nat].map((one) => ({ ...one, network: { ...one.network!, queueDrops } }));
      const { senderDrops, natDrops } = withPacketRates(measurement, iperf3Case, counted, null)!.packetRates!;
      return [senderDrops, natDrops];
    };
    expect([900, 1, null].map(drops)).toEqual([
      [903, 900],
      [5, 1],
      [null, null],
    ]);
  });

  it("use the server's sent packets if the server sends, and under TCP the drops of the NAT's interfaces", () => {
    const ingress = { ...iperf3Case, direction: "ingress" as const, durationSeconds: 1, omitSeconds: 0 };
    expect(withPacketRates(measurement, ingress, hosts, null)!.packetRates).toMatchObject({
      ...{ sender: 9, receiver: 7, nat: 49_500, natDrops: 1 },
    });
  });

  it("have the sum of both directions if both are loaded at once, and each one separately", () => {
    const [both] = parsePlan({
      cases: [{ tool: "iperf3", bothWays: true, durationSeconds: 4, omitSeconds: 1 }],
    }).cases;
    // Egress: 250,000 data packets; ingress: 350,000, of which the client's interface dropped 5,000.
    const ends = [
      host("client", { sentPackets: 250_000, receivedPackets: 345_000, receiveDrops: 5000 }),
      host("server", { sentPackets: 350_000, receivedPackets: 249_000, sendDrops: 7 }),
      host("nat", { receivedPackets: 600_000, sentPackets: 594_000, receiveDrops: 2, sendDrops: 1 }),
    ];
    const { packetRates } = withPacketRates(measurement, both!, ends, null)!;
    expect(packetRates).toEqual({
      ...{ sender: 120_000, senderDrops: 7, receiver: 118_800, receiverDrops: 5000 },
      ...{ nat: 120_000, natDrops: 3 },
      bothWays: {
        egress: { sender: 50_000, senderDrops: 0, receiver: 49_800, receiverDrops: 0 },
        ingress: { sender: 70_000, senderDrops: 7, receiver: 69_000, receiverDrops: 5000 },
      },
    });
    const lacking = withPacketRates(measurement, both!, ends.slice(1), null)!.packetRates;
    expect(lacking).toMatchObject({ sender: null, receiverDrops: null, nat: 120_000 });
    expect(withPacketRates(measurement, udp, ends, null)!.packetRates).not.toHaveProperty("bothWays");
  });

  it("of a search are its last trial's at the figure, by the tool's count", () => {
    const [one] = parsePlan({
      cases: [{ tool: "search", goal: "ndr", durationSeconds: 10, maxBitrate: "1G" }],
    }).cases;
    const trial = (offered: number, packets: number | null, lostPackets: number, passed: boolean) => ({
      ...{ offeredBitsPerSecond: offered, streams: 1, durationSeconds: 10, sentBitsPerSecond: offered },
      ...{ receivedBitsPerSecond: offered, packets, lostPackets, lostPercent: 0, passed, problem: null },
    });
    const search = (packets: number | null, found: number | null) => ({
      ...{
        goal: "ndr" as const,
        found,
        lossBoundPercent: 0,
        limitedBy: "path" as const,
        confirmed: true,
        goals: null,
      },
      trials: [trial(2e8, packets, 0, true), trial(4e8, 9e5, 7e4, false), trial(3e8, packets, 10, true)],
    });
    const rates = (packets: number | null, found: number | null) =>
      withPacketRates({ ...measurement, search: search(packets, found) }, one!, hosts, null)?.packetRates;
    expect(rates(260_000, 3e8)).toMatchObject({
      sender: 26_000,
      receiver: 25_999,
      nat: null,
      natDrops: null,
    });
    expect(rates(260_000, 2e8)).toMatchObject({ receiver: 26_000 });
    expect(rates(null, 3e8)).toBeUndefined();
    expect(rates(260_000, null)).toBeUndefined();
  });

  it("of a search are its agent's counts in the best trial, for streams and rates alike", () => {
    const [peak] = parsePlan({ cases: [{ tool: "search", goal: "peak", durationSeconds: 1 }] }).cases;
    const packetRates = { sender: 9, senderDrops: 0, nat: 12, natDrops: 1, receiver: 8, receiverDrops: 0 };
    const recorded = JSON.parse(fixture("search/3.12-peak.json"));
    const parse = (stdout: object) =>
      toolOf(peak!).parse(JSON.stringify(stdout), {
        ...{ case: peak!, exitCode: 0, timedOut: false, stderr: "" },
      }).measurement;
    const found = parse({ ...recorded, packetRates });
    expect(withPacketRates(found, peak!, hosts, null)!.packetRates).toEqual(packetRates);
    // An earlier agent: its hosts count over all trials.
    expect(withPacketRates(parse(recorded), peak!, hosts, null)).not.toHaveProperty("packetRates");
  });

  it("are unknown for missing hosts and recreated interfaces, and absent for other kinds of case", () => {
    const again = [hosts[0]!, host("server", { receivedPackets: 5 }, true)];
    expect(withPacketRates(measurement, udp, again, null)!.packetRates).toMatchObject({
      ...{ sender: 10_000, nat: null, natDrops: null, receiver: null, receiverDrops: null },
    });
    const [connect] = parsePlan({ cases: [{ tool: "connect", durationSeconds: 1 }] }).cases;
    expect(withPacketRates(measurement, connect!, hosts, null)).not.toHaveProperty("packetRates");
  });

  it("are figures in tables and CSV", () => {
    const whole = handMadeResults();
    const cases = whole.cases
      .filter((one) => one.id === "tcp-egress" && one.measurement !== null)
      .map((one) => ({ ...one, measurement: withPacketRates(one.measurement, udp, hosts, null) }));
    const ids = ["packetsSent", "packetsForwarded", "packetsReceived"] as FigureId[];
    expect(ids.map((id) => estimate(id, [cases[0]!])?.value)).toEqual([10_000, 9_900, 9_800]);
    const report = reportOf({ ...whole, cases });
    expect(toMarkdown(report)).toMatch(/Packets a second, NAT instance.*9,900\/s/);
    expect(toMarkdown(report)).toMatch(/Packets dropped, receiver.*30/);
    expect(toCsv(report)).toMatch(/packetsForwarded,1\/s,9900/);
  });
});
