/** CPU cost of forwarding a case's packets on NAT instances. */
import type { ForwardingCost, HostUsage } from "../results/index.ts";

/**
 * CPU time and interrupts of a path's NAT instances from just before to just after the case, per packet and bit that their
 * interfaces received. Null without NAT instances, where one did not report, and where hosts share their CPUs.
 */
export function forwardingCostOf(hosts: readonly HostUsage[], sharedCpus: boolean): ForwardingCost | null {
  const instances = hosts.filter(({ role }) => role === "nat");
  const costs = instances.flatMap((host) => costOf(host) ?? []);
  if (sharedCpus || costs.length === 0 || costs.length < instances.length) {
    return null;
  }
  const sum = (read: (cost: (typeof costs)[number]) => number) =>
    costs.reduce((all, one) => all + read(one), 0);
  const packets = sum((one) => one.packets);
  const bits = sum((one) => one.bits);
  const seconds = sum((one) => one.busySeconds);
  return {
    cpuMicrosecondsPerPacket: packets > 0 ? (seconds * 1e6) / packets : null,
    cpuSecondsPerGigabit: bits > 0 ? seconds / (bits / 1e9) : null,
    interruptsPerPacket:
      packets > 0 && costs.every(({ interrupts }) => interrupts !== null)
        ? sum(({ interrupts }) => interrupts ?? 0) / packets
        : null,
  };
}

function costOf({ cpuTime, network }: HostUsage) {
  if (cpuTime === undefined || network === null || network.interfaces.some(({ restarted }) => restarted)) {
    return null;
  }
  const { start, end } = cpuTime;
  return {
    packets: network.interfaces.reduce((sum, one) => sum + one.receivedPackets, 0),
    bits: network.interfaces.reduce((sum, one) => sum + 8 * one.receivedBytes, 0),
    busySeconds: Math.max(0, end.busySeconds - start.busySeconds),
    interrupts:
      start.interrupts === undefined || end.interrupts === undefined
        ? null
        : Math.max(0, end.interrupts - start.interrupts),
  };
}
