/**
 * What was the limit of a case: one of its ends, whose figure then says nothing about the path, or the path.
 *
 * The rules are few and only say what was seen on a host. A managed NAT is not a host: that it was the limit can
 * only be concluded from loss that neither end explains.
 *
 * @module
 */
import { formatPercent } from "../plan/quantities.ts";
import type { HostUsage, Measurement, NatDrops, Saturation } from "../results/index.ts";
import type { ProcessCpu } from "../tools/iperf3-cpu.ts";

/** Samples lie between idle seconds at either end and a full CPU still idles for moments: 100 is never seen. */
const BUSY_PERCENT = 90;
/** Of one CPU. Its share of interrupts is handled between other work, hence less than `THREAD_PERCENT`. */
const ONE_CORE_SOFTIRQ_PERCENT = 90;
/** Of one CPU. A thread that waits for the network shows at once as less. */
const THREAD_PERCENT = 95;
/** Less is single bursts, and the agents' own packets in a short case. */
const LOST_PERCENT = 1;
/** TCP over 1 ms with so much loss reaches 1.4 Gbit/s a flow (Mathis), less than any host here can. */
const DROPPED_PERCENT = 0.01;
/** Microbursts of a host far from its allowance exceed it for a few packets. */
const ALLOWANCE_PERCENT = 0.1;
/** Single flows find no place where two packets of a new one race each other. */
const CONNTRACK_FAILURES = 10;
const CONNTRACK_FULL_PERCENT = 98;

/** What was observed while a case ran. */
export interface Observation {
  readonly hosts: readonly HostUsage[];
  readonly measurement: Measurement | null;
  readonly natDrops: NatDrops | null;
  /** Of the tool's own processes, and how many CPUs each end can use; null: it does not tell. */
  readonly toolCpu: (ProcessCpu & { readonly threads: number }) | null;
  /** Concurrent flows of the case; null: not one number. */
  readonly flows: number | null;
  /** CPUs by name of host. */
  readonly cpus: ReadonlyMap<string, number>;
  /** All hosts run on the same CPUs: the lab. */
  readonly sharedCpus: boolean;
}

type Place = "client" | "server" | "path";
interface Finding {
  readonly at: Place;
  readonly text: string;
}

const places: Record<HostUsage["role"], Place | null> = {
  client: "client",
  server: "server",
  nat: "path",
  router: "path",
  // Carries logins, no test traffic.
  jump: null,
};
const order: readonly Place[] = ["client", "server", "path"];

/**
 * Null where there is no measurement, or nothing was observed. Where an end and the path were at their limits, the
 * end is named: whether the path could have carried more is not known. The explanation has all that was found.
 */
export function saturationOf(observation: Observation): Saturation | null {
  const { hosts, measurement, sharedCpus } = observation;
  if (measurement === null || hosts.every(({ cpu, network }) => cpu === null && network === null)) {
    return null;
  }
  const found = [...(sharedCpus ? [] : atHosts(observation)), ...onPath(observation)];
  const at = order.find((place) => found.some((finding) => finding.at === place));
  if (at !== undefined) {
    return { at, explanation: found.map(({ text }) => text).join("; ") };
  }
  return { at: null, explanation: sharedCpus ? sharedMachine(hosts) : unsaturated(observation) };
}

/** What CPUs, interfaces and allowances tell; of no use where hosts share CPUs. */
function atHosts({ hosts, cpus, flows, toolCpu }: Observation): Finding[] {
  const found = hosts.flatMap((host) => {
    const at = places[host.role];
    const texts = [
      busyCpu(host) ?? oneCore(host, cpus.get(host.host), flows),
      droppedPackets(host),
      exceededAllowance(host),
    ];
    return at === null ? [] : texts.flatMap((text) => (text === null ? [] : [{ at, text }]));
  });
  return [...found, ...busyTool(toolCpu)];
}

/** What a NAT box's own counters tell, whosever CPUs it runs on, and what only the measurement does. */
function onPath(observation: Observation): Finding[] {
  const { hosts } = observation;
  const full = hosts.filter(({ role }) => places[role] === "path").map(fullConntrack);
  const texts = [...full, lostInNat(observation), lostOnTheWay(observation)];
  return texts.flatMap((text) => (text === null ? [] : [{ at: "path" as const, text }]));
}

function busyCpu(host: HostUsage): string | null {
  const busy = sustained(host, "busyPercent");
  if (busy === null || busy < BUSY_PERCENT) {
    return null;
  }
  const { softirqPercent, stealPercent, busyPercent } = host.cpu ?? {};
  const share = (part: number | null | undefined) =>
    part == null || !busyPercent ? 0 : Math.min(100, (100 * part) / busyPercent);
  const parts = [
    { part: share(softirqPercent), what: "in softirq" },
    { part: share(stealPercent), what: "stolen by the hypervisor" },
  ].filter(({ part }) => part >= 10);
  const details = parts.map(({ part, what }) => `, ${whole(part)} of it ${what}`).join("");
  return `${the(host)}'s CPU was ${whole(busy)} busy${details}`;
}

/** A flow's packets are handled by the CPU that its queue interrupts, so that more CPUs do not help a single one. */
function oneCore(host: HostUsage, cpus: number | undefined, flows: number | null): string | null {
  const softirq = sustained(host, "softirqPercent");
  if (softirq === null || cpus === undefined || flows !== 1) {
    return null;
  }
  const ofOne = softirq * cpus;
  return ofOne < ONE_CORE_SOFTIRQ_PERCENT
    ? null
    : `${the(host)} spent ${whole(ofOne)} of one of its ${cpus} CPUs in softirq, about all that a single flow can use`;
}

function droppedPackets(host: HostUsage): string | null {
  const interfaces = host.network?.interfaces ?? [];
  const dropped = interfaces.reduce((sum, one) => sum + one.receiveDrops + one.sendDrops, 0);
  const share = percent(dropped, packetsOf(host) + dropped);
  return share < DROPPED_PERCENT
    ? null
    : `${the(host)}'s interfaces dropped ${dropped} packets (${formatPercent(share)})`;
}

function exceededAllowance(host: HostUsage): string | null {
  const exceeded = Object.entries(host.allowances ?? {}).filter(([, packets]) =>
    host.network === null ? packets > 0 : percent(packets, packetsOf(host)) >= ALLOWANCE_PERCENT,
  );
  const counters = exceeded.map(([name, packets]) => `${name} ${packets}`).join(", ");
  return counters === "" ? null : `${the(host)} used up an allowance of its instance: ${counters}`;
}

function busyTool(toolCpu: Observation["toolCpu"]): Finding[] {
  return (["client", "server"] as const).flatMap((at) => {
    const used = toolCpu?.[at] ?? 0;
    const threads = toolCpu?.threads ?? 1;
    const can =
      threads === 1
        ? "one CPU, all that its one thread can use"
        : `${threads} CPUs, all that its threads can use`;
    return used < THREAD_PERCENT * threads
      ? []
      : [{ at, text: `the ${at}'s iperf3 took ${whole(used / threads)} of ${can}` }];
  });
}

function fullConntrack(host: HostUsage): string | null {
  const { peak, limit, failures } = host.network?.conntrack ?? { peak: 0, limit: null, failures: 0 };
  if (failures >= CONNTRACK_FAILURES) {
    return `${the(host)} had no place for ${failures} flows`;
  }
  return limit !== null && percent(peak, limit) >= CONNTRACK_FULL_PERCENT
    ? `${the(host)}'s table of flows was full: ${peak} of ${limit}`
    : null;
}

/** Where the receiver lacks nothing, the box's interfaces merged packets (UDP GRO) and count fewer out than in. */
function lostInNat({ natDrops, measurement }: Observation): string | null {
  const lost = natDrops?.lostPercent ?? 0;
  return lost < LOST_PERCENT || (measurement?.lostPercent ?? LOST_PERCENT) < LOST_PERCENT
    ? null
    : `the NAT box did not pass on ${formatPercent(lost)} of the packets it received`;
}

/** Loss that nothing explains: only where both ends and every NAT box were observed, each on CPUs of its own. */
function lostOnTheWay(observation: Observation): string | null {
  const { hosts, measurement, natDrops, sharedCpus } = observation;
  const lost = measurement?.lostPercent ?? 0;
  const observed = (role: HostUsage["role"]) =>
    hosts.some((host) => host.role === role && host.cpu !== null && host.network !== null);
  const hasNat = hosts.some(({ role }) => role === "nat");
  const explained =
    atHosts(observation).some(({ at }) => at !== "path") || (natDrops?.lostPercent ?? 0) >= LOST_PERCENT;
  if (sharedCpus || explained || lost < LOST_PERCENT || !observed("client") || !observed("server")) {
    return null;
  }
  return hasNat && natDrops === null
    ? null
    : `${formatPercent(lost)} of the packets were lost on the way, while neither end was at its limit`;
}

function unsaturated({ hosts }: Observation): string {
  return `no host was at its limit: CPU ${busyList(hosts)}`;
}

function sharedMachine(hosts: readonly HostUsage[]): string {
  const busy = hosts.map((host) => sustained(host, "busyPercent")).filter((value) => value !== null);
  const most = busy.length > 0 ? ` (${whole(Math.max(...busy))} busy)` : "";
  return `all hosts share one machine's CPUs${most}, so that they cannot tell who was the limit`;
}

function busyList(hosts: readonly HostUsage[]): string {
  const told = hosts.filter(({ role }) => places[role] !== null);
  return told
    .map((host) => {
      const busy = sustained(host, "busyPercent");
      return `of ${the(host)} ${busy === null ? "not sampled" : `${whole(busy)} busy`}`;
    })
    .join(", ");
}

/** The median second, which the idle ones around the test do not move; null: not sampled. */
function sustained({ cpu }: HostUsage, key: "busyPercent" | "softirqPercent"): number | null {
  const values = (cpu?.series ?? []).flatMap((one) => one[key] ?? []).sort((a, b) => a - b);
  return values.length < 3 ? (cpu?.[key] ?? null) : (values[Math.floor(values.length / 2)] as number);
}

function packetsOf({ network }: HostUsage): number {
  return (network?.interfaces ?? []).reduce((sum, one) => sum + one.receivedPackets + one.sentPackets, 0);
}

function percent(part: number, all: number): number {
  return all > 0 ? (100 * part) / all : 0;
}

function whole(value: number): string {
  return `${Math.round(value)} %`;
}

function the({ role }: HostUsage): string {
  return `the ${role === "nat" ? "NAT box" : role}`;
}
