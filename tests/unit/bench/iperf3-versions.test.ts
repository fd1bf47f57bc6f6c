import { describe, expect, it } from "vitest";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import { fixture, iperf3Case } from "./fixture.ts";
import { edited, figures, parse, udpCase } from "./iperf3-case.ts";

describe("other versions", () => {
  it("3.9: UDP has the sender's figures only", () => {
    const stdout = fixture("iperf3/hand-made/3.9-udp.json");
    const measured = figures(stdout, udpCase);
    expect(measured).toMatchObject({
      sentBitsPerSecond: 199968467.8543775,
      bytes: (53565 - 47) * 1400,
      packets: 53565,
      lostPackets: 47,
      lostPercent: 0.08774386259684495,
    });
    expect(measured.bitsPerSecond).toBeCloseTo(199968467.8543775 * (1 - 47 / 53565), 3);
  });

  it("3.9: datagrams that the hosts' kernels counted as lost are lost, even if iperf3 prints none", () => {
    const none = edited("iperf3/hand-made/3.9-udp.json", ({ end }) => {
      end.sum.lost_packets = 0;
      end.sum.lost_percent = 0;
    });
    const { measurement } = parse(none, udpCase, { lostBetweenHosts: 17855 });
    expect(measurement).toMatchObject({ lostPackets: 17855, toolLostPackets: 0, countedBy: "sender" });
    expect(measurement.lostPercent).toBeCloseTo((100 * 17855) / 53565, 3);
  });

  it("3.16: CPU above 100 % is legal", () => {
    expect(figures(fixture("iperf3/hand-made/3.16-tcp.json"), iperf3Case)).toMatchObject({ retransmits: 16 });
  });

  it("before 3.21: a loss of 0 is rejected if datagrams are missing", () => {
    const measured = figures(fixture("iperf3/hand-made/3.20-udp-false-zero-loss.json"), udpCase);
    expect(measured).toMatchObject({ bitsPerSecond: 54043329.45344197, packets: 386389 });
    expect(measured).not.toHaveProperty("lostPackets");
    expect(measured).not.toHaveProperty("lostPercent");
  });

  it.each([-1, 2 ** 64 - 1, 2 ** 64 - 1616, null, undefined])("retransmits %s are unknown", (retransmits) => {
    const stdout = edited("iperf3/3.12-tcp-omit.json", ({ end, intervals }) => {
      end.sum_sent.retransmits = retransmits;
      end.streams[0].sender.retransmits = retransmits;
      intervals[1].sum.retransmits = retransmits;
    });
    const { measurement } = parse(stdout, iperf3Case);
    expect(measurement.retransmits).toBeNull();
    expect(measurement.streams[0]?.retransmits).toBeNull();
    expect(measurement.series[0]?.retransmits).toBeNull();
  });

  it("a negative loss is unknown, the rate is not", () => {
    const stdout = edited("iperf3/3.12-udp.json", ({ end }) => {
      Object.assign(end.sum_received, { lost_packets: -12, lost_percent: -0.02 });
    });
    const { measurement } = parse(stdout, udpCase);
    expect(measurement).toMatchObject({
      bitsPerSecond: 199786548.27495408,
      lostPackets: null,
      lostPercent: null,
    });
  });

  it("a mean RTT of 0 is unknown", () => {
    const stdout = edited("iperf3/3.12-tcp-omit.json", ({ end }) => {
      end.streams[0].sender.mean_rtt = 0;
    });
    expect(parse(stdout, iperf3Case).measurement.tcpRttUs).toBeNull();
  });

  it("-nan is unknown", () => {
    const { measurement } = parse(fixture("iperf3/hand-made/nan.json.txt"), udpCase);
    expect(measurement).toMatchObject({ bitsPerSecond: 199786548.27495408, lostPackets: 47, jitterMs: null });
  });

  it("text around the document is ignored", () => {
    const ingress: Iperf3Case = { ...iperf3Case, direction: "ingress" };
    const noisy = parse(fixture("iperf3/hand-made/noise.json.txt"), ingress);
    expect(noisy).toEqual(parse(fixture("iperf3/3.12-tcp-reverse.json"), ingress));
  });

  it("exit status 1 is no failure by itself", () => {
    const stdout = fixture("iperf3/3.12-tcp-omit.json");
    expect(parse(stdout, iperf3Case, { exitCode: 1 })).toEqual(parse(stdout, iperf3Case));
  });
});

describe("a warm-up that lost much", () => {
  it("leaves the test's loss unknown without the server's output", () => {
    // Measured: 147,941 of 481,080 datagrams of 5 s arrived; iperf3 and the kernels counted 547,781, including the warm-up's.
    const flood = edited("iperf3/3.12-udp.json", ({ end }) => {
      Object.assign(end.sum_sent, { packets: 481080, seconds: 5 });
      Object.assign(end.sum_received, { bytes: 147941 * 1400, seconds: 5, lost_packets: 547781 });
    });
    const { measurement } = parse(flood, { ...udpCase, omitSeconds: 2 }, { lostBetweenHosts: 547781 });
    expect(measurement).toMatchObject({ lostPackets: null, lostPercent: null, toolLostPackets: 547781 });
  });
});
