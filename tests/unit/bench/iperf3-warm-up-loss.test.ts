/** UDP loss after a warm-up: real tests of iperf3 3.12, compared datagram by datagram with a packet socket on the server. */
import { describe, expect, it } from "vitest";
import { iperf3 } from "../../../bench/tools/iperf3/index.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { fixture } from "./fixture.ts";
import { edited, parse, udpCase } from "./iperf3-case.ts";

interface Recorded {
  readonly name: string;
  /** Datagrams of the whole test that never reached the server. */
  readonly kernelsLost: number;
  /** Sent after the last one that arrived in the warm-up; if none was lost behind the receiver's end, as far as it read. */
  readonly behindWarmUp: { readonly packets: number; readonly lost: number };
  readonly document: {
    readonly start: { readonly test_start: { readonly num_streams: number; readonly omit: number } };
  };
}
const recorded = fixture("iperf3/3.12-udp-omit-beside-truth.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

function published({ document, kernelsLost }: Recorded, change: object = {}) {
  const { num_streams: streams, omit: omitSeconds } = document.start.test_start;
  const text = JSON.stringify({ ...document, ...change });
  return parse(text, { ...udpCase, streams, omitSeconds }, { lostBetweenHosts: kernelsLost }).measurement;
}

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

  // Recorded: 6,146 of the 8,637 datagrams after the warm-up were lost; the sender had sent 8,746 in that time.
  it.each([
    ["the last 109 of those that were sent never came", 2233, 109],
    ["the last 109 came and were not read: all others were lost in the warm-up", 2342, 0],
    ["the last 50 never came, the others were not read", 2292, 50],
    ["nobody knows where the others were lost", null, null],
  ])("without the server's output if the client receives: %s", (_, inWarmUp, last) => {
    const ingress = edited("iperf3/3.12-udp-reverse.json", (document) => {
      Object.assign(document, { omitted_lost_packets: inWarmUp });
      Object.assign(document.end.sum_sent, { packets: 8746 });
      Object.assign(document.end.sum_received, { packets: 8637, bytes: 2491 * 1400, lost_packets: 6146 });
    });
    const benchCase = { ...udpCase, direction: "ingress" as const, omitSeconds: 2 };
    const { lostPackets, packets } = parse(ingress, benchCase, { lostBetweenHosts: 8488 }).measurement;
    expect({ lostPackets, packets }).toEqual({
      lostPackets: last === null ? null : 6146 + last,
      packets: last ? 8746 : 8637,
    });
  });

  it.each([
    ["what was read is no whole number of them", 21 * 1392],
    ["what was read is less than the receiver's numbers", 42 * 700],
  ])("a test whose datagrams were cut on their way is refused: %s", (_, lacking) => {
    const cut = edited("iperf3/3.12-udp-reverse.json", ({ end }) => {
      end.sum_received.bytes -= lacking;
    });
    const read = () => parse(cut, { ...udpCase, direction: "ingress" });
    expect(read).toThrow(toolFailure("bad-output", "datagrams were cut on their way"));
  });
});

it("a test is refused if the receiver counts many as lost that its kernel got: it reads two that were cut as one", () => {
  const lost = (between: number) => {
    const counted = { lostBetweenHosts: between, testDatagrams: 53_560 - between };
    const text = edited("iperf3/3.12-udp-reverse.json", ({ end }) => {
      Object.assign(end.sum_received, { lost_packets: 1011, bytes: end.sum_received.bytes - 1000 * 1400 });
    });
    return parse(text, { ...udpCase, direction: "ingress" }, counted).measurement.lostPackets;
  };
  expect(() => lost(0)).toThrow(toolFailure("bad-output", "cut on their way"));
  expect(lost(1000)).toBe(1011);
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
