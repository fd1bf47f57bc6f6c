/** Loss whose place single counters of the hosts would name wrongly. */
import { expect, it } from "vitest";
import { lossPlacesOf } from "../../../bench/assemble/loss-places.ts";
import { host, lost } from "./counted-host.ts";
import { udpCase as egress } from "./iperf3-case.ts";

const facts = { natDrops: null, sharedCpus: false };

it.each([
  ["most are others' datagrams", { queueDrops: 5751, sentPackets: 2935 }, [2500, 141], []],
  ["some are others' datagrams", { queueDrops: 3000, sentPackets: 8000 }, [10_000, 2500], [2000]],
  ["a control connection sends a few", { queueDrops: 1000, sentPackets: 9040 }, [10_000, 1000], [1000]],
] as const)(
  "a queue of the sender lost of the test what others cannot have lost: %s",
  (_, counts, own, places) => {
    const hosts = [host("client", counts), host("server")];
    const found = lossPlacesOf(egress, { ...facts, hosts, measurement: lost(own[1], own[0]) });
    // Datagrams in the queue that may be the test's or others' do not count for the path either.
    expect(found).toMatchObject(places.map((packets) => ({ place: "sender", packets })));
  },
);

it("fragmented datagrams do not count as other programs' packets", () => {
  const hosts = [host("client", { queueDrops: 600, sentPackets: 5400 }), host("server")];
  const large = { ...egress, datagramBytes: 8000 };
  const found = lossPlacesOf(large, { ...facts, hosts, measurement: lost(100, 1000) });
  expect(found).toMatchObject([{ place: "sender", packets: 100 }]);
});

it.each([
  [2000, []],
  [1900, [100]],
])(
  "datagrams that came to the receiver's interface were not lost on the path: %d of 2,000",
  (receivedPackets, path) => {
    // As its rules of a device dropped 100, which no counter of its sockets has; 23 packets are the control connection's.
    const sent = host("client", { sentPackets: 2023 });
    const hosts = [sent, host("server", { receivedPackets: receivedPackets + 23 })];
    const found = lossPlacesOf(egress, { ...facts, hosts, measurement: lost(100, 2000) });
    expect(found).toMatchObject(path.map((packets) => ({ place: "path", packets })));
  },
);
