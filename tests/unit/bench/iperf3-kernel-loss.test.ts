/** UDP loss of iperf3 by the hosts' kernel counters. */
import { expect, it } from "vitest";
import { fixture } from "./fixture.ts";
import { edited, parse, udpCase } from "./iperf3-case.ts";

it("loss excludes the sender's other programs: without a warm-up iperf3 reports how many it sent", () => {
  const { packets } = JSON.parse(fixture("iperf3/3.12-udp.json")).end.sum_sent;
  const lost = (omitSeconds: number) => {
    const text = edited("iperf3/3.12-udp.json", ({ end }) => {
      end.sum_received.bytes = (packets - 300) * 1400;
      end.sum_received.lost_packets = 0;
    });
    // 200 were lost and 100 on their way; the client's other programs sent 5,000.
    const counted = { lostBetweenHosts: 5200, arrivedDatagrams: packets + udpCase.streams - 200 };
    return parse(text, { ...udpCase, omitSeconds }, counted).measurement.lostPackets;
  };
  expect(lost(0)).toBe(200);
  expect(lost(1)).toBe(300);
});
