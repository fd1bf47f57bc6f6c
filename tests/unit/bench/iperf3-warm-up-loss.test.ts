/** UDP loss after a warm-up: real tests of iperf3 3.12, compared datagram by datagram with a packet socket on the server. */
import { describe, expect, it } from "vitest";
import { iperf3 } from "../../../bench/tools/iperf3/index.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { fixture } from "./fixture.ts";
import { edited, parse, udpCase } from "./iperf3-case.ts";

interface Recorded {
  readonly name: string;
  /** Datagrams of the whole test that never reached the server. */
  readonly kernelsLost: number;
  /** Sent after the last one that arrived in the warm-up, except those that arrived after the receiver had stopped. */
  readonly behindWarmUp: { readonly packets: number; readonly lost: number };
  readonly document: { readonly end: { readonly streams: readonly unknown[] } };
}
const recorded = fixture("iperf3/3.12-udp-omit-beside-truth.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

const published = ({ document, kernelsLost }: Recorded, change: object = {}) =>
  parse(
    JSON.stringify({ ...document, ...change }),
    { ...udpCase, streams: document.end.streams.length, omitSeconds: 2 },
    { lostBetweenHosts: kernelsLost },
  ).measurement;

describe("loss behind a warm-up", () => {
  it.each(recorded.map((one) => [one.name, one] as const))("%s: is exact, to the datagram", (_, one) => {
    const { lostPackets, packets, lostPercent } = published(one);
    expect({ packets, lost: lostPackets }).toEqual(one.behindWarmUp);
    expect(lostPercent).toBeCloseTo((100 * one.behindWarmUp.lost) / one.behindWarmUp.packets, 9);
  });

  it("is the same from a reduced document, which keeps one line of the server's output", () => {
    for (const one of recorded) {
      const reduced = evaluate(`json_reducer.reduce_json(data, "iperf3")`, one.document) as object;
      expect(JSON.stringify(reduced)).not.toContain("Interval");
      const { packets, lostPackets, lostPercent } = published(one);
      expect(published(one, { ...reduced })).toMatchObject({ packets, lostPackets, lostPercent });
    }
  });

  it("is unknown if only the client's document is left, whose count has the warm-up's losses", () => {
    const deep = recorded.find(({ name }) => name === "deep") as Recorded;
    expect(published(deep, { server_output_text: null })).toMatchObject({
      lostPackets: null,
      lostPercent: null,
    });
    expect(published(deep, { server_output_text: "0/12 (0%)  receiver" }).lostPackets).toBeNull();
  });

  it("is unknown without the server's output if the warm-up lost much", () => {
    // Measured: 147,941 of 481,080 datagrams of 5 s arrived; iperf3 and the kernels counted 547,781, including the warm-up's.
    const flood = edited("iperf3/3.12-udp.json", ({ end }) => {
      Object.assign(end.sum_sent, { packets: 481080, seconds: 5 });
      Object.assign(end.sum_received, { bytes: 147941 * 1400, seconds: 5, lost_packets: 547781 });
    });
    const { measurement } = parse(flood, { ...udpCase, omitSeconds: 2 }, { lostBetweenHosts: 547781 });
    expect(measurement).toMatchObject({ lostPackets: null, lostPercent: null, toolLostPackets: 547781 });
  });

  it("ignores a negative count of the server, as with duplicated datagrams", () => {
    const twice = recorded.find(({ name }) => name === "rand") as Recorded;
    // 6,935 arrived, 30 of them duplicates.
    const text = "-30/6905 (-0.4%)  receiver";
    expect(published(twice, { server_output_text: text }).lostPackets).toBeNull();
  });

  it("is found quickly also in a hostile server's output", () => {
    for (const text of ["1/1 (".repeat(800_000), "1".repeat(4e6), `1/1 (1%)${" ".repeat(4e6)}`]) {
      expect(published(recorded[0] as Recorded, { server_output_text: text }).lostPackets).toBeNull();
    }
  });

  it("is exact without the server's output if the client receives", () => {
    // Recorded: 6,146 of the 8,637 datagrams after the warm-up were lost; the sender had sent 8,746 in that time.
    const ingress = edited("iperf3/3.12-udp-reverse.json", ({ end }) => {
      Object.assign(end.sum_sent, { packets: 8746 });
      Object.assign(end.sum_received, { packets: 8637, bytes: 2491 * 1400, lost_packets: 6146 });
    });
    const benchCase = { ...udpCase, direction: "ingress" as const, omitSeconds: 2 };
    const { lostPackets, packets } = parse(ingress, benchCase, { lostBetweenHosts: 8488 }).measurement;
    // The last 109 of those that were sent never came, by the kernels.
    expect({ lostPackets, packets }).toEqual({ lostPackets: 6146 + 109, packets: 8637 + 109 });
  });
});

it("the server's output is requested if its count is needed and it is not too long", () => {
  const asks = (change: object) =>
    iperf3.command({ ...udpCase, ...change }, "198.18.0.2").includes("server-output");
  expect(asks({ omitSeconds: 2 })).toBe(true);
  expect(asks({ omitSeconds: 0 })).toBe(true);
  expect(asks({ omitSeconds: 2, direction: "ingress" })).toBe(false);
  expect(asks({ omitSeconds: 2, protocol: "tcp" })).toBe(false);
  expect(asks({ omitSeconds: 2, streams: 128, durationSeconds: 3600 })).toBe(false);
});
