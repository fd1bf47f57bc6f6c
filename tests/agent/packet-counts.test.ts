/** Packets a second of a search's trial. `tests/lab/probes/connect.test.ts` holds them against a NAT instance's own rules. */
import { expect, test } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";

const counts = { receivedPackets: 10, sentPackets: 20, receivedBytes: 0, sentBytes: 0 };
const errors = { receiveBufferErrors: 1, sendBufferErrors: 2 };
const reading = (changes: object = {}, udp: object = {}) => ({
  links: { eth0: { ...counts, receiveDrops: 3, sendDrops: 4, ...changes } },
  queueDrops: 5,
  udp: { ...errors, ...udp },
});
const readings = {
  rose: reading({ receivedPackets: 110, sendDrops: 9 }, { receiveBufferErrors: 8 }),
  "did not answer": null,
  "has no interface but loopback": { ...reading(), links: {} },
  "remade its interface": reading({ sentPackets: 5 }),
  "reset its datagram counter": reading({}, { receiveBufferErrors: 0 }),
  "sends words for numbers": reading({ sentPackets: "99" }),
  "replaced its queue": { ...reading(), queueDrops: 4 },
  "has no queue counters": { ...reading(), queueDrops: null },
  "counts no datagrams": { ...reading(), udp: null },
};

test("are the rise of a host's counters, and unknown if a host has none", () => {
  const found = evaluate("{name: packet_counts.rise_of(data[0], one) for name, one in data[1].items()}", [
    reading(),
    readings,
  ]);
  const rise = { ...counts, receivedPackets: 100, sentPackets: 0, receiveDrops: 0, sendDrops: 5 };
  expect(found).toEqual({
    ...Object.fromEntries(Object.keys(readings).map((name) => [name, null])),
    rose: { ...rise, receiveBufferErrors: 7, sendBufferErrors: 0, queueDrops: 0 },
  });
});

test("of a queue that reports part of its drops to a socket are counted once", () => {
  const drops = [
    { sendDrops: 1, sendBufferErrors: 2, queueDrops: 9 },
    { sendDrops: 1, sendBufferErrors: 9, queueDrops: 2 },
  ];
  expect(evaluate("[packet_counts.own_drops(one) for one in data]", drops)).toEqual([10, 10]);
});

test("a host that did not answer is not asked again", () => {
  const asked = evaluate(
    `(lambda one, asked: [
      [setattr(one, "_hosts", [dict(role="nat", address=a) for a in data]), setattr(packet_counts, "read_packets", dict),
       setattr(packet_counts, "ask_all", lambda hosts, _: (asked.append([h["address"] for h in hosts]), [(None, "gone") if h["address"] == data[1] else ({}, None) for h in hosts])[1])],
      one.begin(), one.rates(1), asked][-1])(packet_counts.PacketCounts("192.0.2.1", "egress", True), [])`,
    ["192.0.2.2", "192.0.2.3"],
  );
  expect(asked).toEqual([["192.0.2.2", "192.0.2.3"], ["192.0.2.2"]]);
});
