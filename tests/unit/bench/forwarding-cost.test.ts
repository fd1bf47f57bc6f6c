/** A NAT instance's cost of a packet and a gigabit. The counts are made up. */
import { expect, it } from "vitest";
import { forwardingCostOf } from "../../../bench/assemble/case-result.ts";
import type { Role } from "../../../bench/results/index.ts";
import { usageOf } from "./fixture.ts";

const nat = (changes: object = {}, role: Role = "nat") =>
  usageOf(
    role,
    [
      // In by one, out by the other: each packet is received once.
      { receivedPackets: 1e6, receivedBytes: 1e9, sentPackets: 5e5, sentBytes: 1e7 },
      { receivedPackets: 1e6, receivedBytes: 1e9, sentPackets: 1.5e6, sentBytes: 2e9 },
    ],
    {
      cpuTime: {
        start: { uptimeSeconds: 100, busySeconds: 50, interrupts: 7000 },
        end: { uptimeSeconds: 130, busySeconds: 54, interrupts: 507_000 },
      },
      ...changes,
    },
  );

it("is its CPU time and interrupts, divided by received packets and bits", () => {
  expect(forwardingCostOf([nat(), nat({}, "client")], false)).toEqual({
    cpuMicrosecondsPerPacket: 2,
    cpuSecondsPerGigabit: 0.25,
    interruptsPerPacket: 0.25,
  });
});

it("of two is that of both", () => {
  expect(forwardingCostOf([nat(), nat()], false)).toEqual(forwardingCostOf([nat()], false));
});

it("is unknown in a lab, without a NAT instance, and for one that does not report", () => {
  expect(forwardingCostOf([nat()], true)).toBeNull();
  expect(forwardingCostOf([nat({}, "server")], false)).toBeNull();
  expect(forwardingCostOf([nat(), nat({ cpuTime: undefined })], false)).toBeNull();
  const old = { start: { uptimeSeconds: 1, busySeconds: 1 }, end: { uptimeSeconds: 2, busySeconds: 2 } };
  expect(forwardingCostOf([nat({ cpuTime: old })], false)).toMatchObject({ interruptsPerPacket: null });
});
