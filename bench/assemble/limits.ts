/**
 * The limits that a case met: one of its ends, whose figure then says nothing about the path, or the path.
 *
 * The rules are few and only say what was seen on a host. A managed NAT is not a host: that it was the limit can
 * only be concluded from loss that neither end explains.
 */
import {
  type ConnectionLimits,
  type HostUsage,
  type Limit,
  type LimitKind,
  type LossPlace,
  type Measurement,
  type NatDrops,
  placeOf,
  type Role,
} from "../results/index.ts";
import type { ToolCpu } from "../tools/tool.ts";
import { sumOf } from "./host-drops.ts";
import { lossAt } from "./loss-places.ts";

/** Thresholds from which each kind counts as a limit. */
const limitBounds = {
  /** A full CPU still idles for moments, and idle seconds lie at either end of the samples, so 100 is never seen. */
  cpuBusyPercent: 90,
  /** A CPU that serves one queue or one thread does nothing else: the remaining 5 % is sampling error. */
  oneCpuBusyPercent: 95,
  /** Percent of one CPU. Interrupts are handled between other work, so the threshold is below a thread's. */
  oneCpuSoftirqPercent: 90,
  /** A thread that waits for the network shows a clearly lower share. */
  toolCpuPercent: 95,
  /** TCP over 1 ms with this loss reaches 1.4 Gbit/s per flow (Mathis), less than any host here can. */
  interfaceDropPercent: 0.01,
  /** Lower shares come from moments in which the tool was not scheduled. */
  receiveBufferPercent: 0.1,
  /** Microbursts of a host far from its allowance exceed it for a few packets. */
  allowanceExceededPercent: 0.1,
  /** Single flows fail where two packets of a new flow race each other. */
  conntrackFailures: 10,
  conntrackFullPercent: 98,
  /** Lower loss comes from single bursts, and in a short case from the agents' own packets. */
  natLossPercent: 1,
  pathLossPercent: 1,
  /** The remainder is headers, which the figure leaves out, and the ramp-up. */
  connectionBitsPercent: 90,
  connectionPacketsPercent: 90,
} as const satisfies Partial<Record<LimitKind, number>>;

/** Observations while a case ran. */
export interface Observation {
  readonly hosts: readonly HostUsage[];
  readonly measurement: Measurement | null;
  readonly natDrops: NatDrops | null;
  /** @default not known */
  readonly lossPlaces?: readonly LossPlace[] | null;
  readonly toolCpu: ToolCpu | null;
  /** Concurrent flows of the case; null: not one number. */
  readonly flows: number | null;
  /** Limits of one connection through the way out. @default no such limit */
  readonly connectionLimits?: ConnectionLimits | null;
  /** CPUs by name of host. */
  readonly cpus: ReadonlyMap<string, number>;
  /** All hosts run on the same CPUs: the lab. */
  readonly sharedCpus: boolean;
}

/**
 * Everything that was at its limit, ends first. Empty: nothing observed was at its limit. Null without a measurement or
 * without observations.
 */
export function limitsOf(observation: Observation): Limit[] | null {
  const { hosts, measurement, sharedCpus } = observation;
  if (measurement === null || hosts.every(({ cpu, network }) => cpu === null && network === null)) {
    return null;
  }
  return [...(sharedCpus ? [] : atHosts(observation)), ...socketLimits(observation), ...onPath(observation)];
}

/** Limits by CPUs, interfaces and allowances; meaningless where hosts share CPUs. */
function atHosts({ hosts, cpus, flows, toolCpu }: Observation): Limit[] {
  const carriers = hosts.filter(({ role }) => placeOf(role) !== null);
  return [
    ...carriers.flatMap((host) => [
      ...cpuLimits(host, cpus.get(host.host), flows),
      ...reached(host, "interfaceDropPercent", dropPercent(host)),
      ...allowanceLimits(host),
    ]),
    ...toolLimits(hosts, toolCpu),
  ];
}

/** Limits by a NAT instance's own counters, which hold on shared CPUs too, and by the measurement. */
function onPath(observation: Observation): Limit[] {
  const machines = observation.hosts.filter(({ role }) => placeOf(role) === "path");
  return [
    ...machines.flatMap(conntrackLimits),
    ...natLoss(observation),
    ...ofOneConnection(observation),
    ...pathLoss(observation),
  ];
}

/** The cloud's limit of one connection compared with the mean connection; null: flows or limit unknown. */
function ofOneConnection({ connectionLimits = null, flows, measurement }: Observation): Limit[] {
  if (connectionLimits === null || flows === null || flows === 0 || measurement === null) {
    return [];
  }
  const { bitsPerSecond, packetsPerSecond } = measurement;
  const share = (carried: number | null, limit: number) =>
    carried === null ? null : percent(carried / flows, limit);
  const path = { host: null, role: null };
  return [
    ...reached(path, "connectionBitsPercent", share(bitsPerSecond, connectionLimits.bitsPerSecond)),
    ...reached(path, "connectionPacketsPercent", share(packetsPerSecond, connectionLimits.packetsPerSecond)),
  ];
}

function reached(
  { host, role }: { readonly host: string | null; readonly role: Role | null },
  kind: keyof typeof limitBounds,
  value: number | null,
): Limit[] {
  const bound = limitBounds[kind];
  return value !== null && value >= bound ? [{ host, role, kind, value, bound }] : [];
}

/**
 * All CPUs together, or else each full CPU: one receive queue interrupts one CPU and one thread runs on one, so more CPUs
 * do not help. Where CPUs were not sampled one by one, a single flow is known to be handled by one CPU.
 */
function cpuLimits(host: HostUsage, cpus: number | undefined, flows: number | null): Limit[] {
  const all = reached(host, "cpuBusyPercent", sustained(host, "busyPercent"));
  const perCpu = host.cpu?.perCpu ?? [];
  if (all.length > 0 || perCpu.length > 0) {
    return all.length > 0 ? all : oneCpuLimits(host, perCpu);
  }
  const softirq = sustained(host, "softirqPercent");
  const ofOne = softirq === null || cpus === undefined || flows !== 1 ? null : softirq * cpus;
  return reached(host, "oneCpuSoftirqPercent", ofOne);
}

type PerCpu = NonNullable<NonNullable<HostUsage["cpu"]>["perCpu"]>;

function oneCpuLimits(host: HostUsage, perCpu: PerCpu): Limit[] {
  return perCpu.flatMap(({ cpu, busyPercent, softirqPercent }) =>
    reached(host, "oneCpuBusyPercent", busyPercent).map((limit) => ({
      ...limit,
      cpu,
      mostly: 2 * softirqPercent >= busyPercent ? ("softirq" as const) : ("tool" as const),
    })),
  );
}

/** A host's own socket counter, which also holds on shared CPUs. */
function socketLimits({ hosts, lossPlaces = null }: Observation): Limit[] {
  const counted = hosts.filter(({ network }) => (network?.udp?.receiveBufferErrors ?? 0) > 0);
  const most = counted.toSorted((a, b) => errorsOf(b) - errorsOf(a))[0];
  const { host = null, role = null } = most ?? {};
  return reached({ host, role }, "receiveBufferPercent", lossAt(lossPlaces, "receiver-socket"));
}

function errorsOf({ network }: HostUsage): number {
  return network?.udp?.receiveBufferErrors ?? 0;
}

function dropPercent({ network }: HostUsage): number {
  const dropped = network === null ? 0 : sumOf(network, "receiveDrops") + sumOf(network, "sendDrops");
  return percent(dropped, packetsOf(network) + dropped);
}

/** Where the host's packets were not counted, any packet beyond an allowance counts as a limit. */
function allowanceLimits(host: HostUsage): Limit[] {
  const most = Math.max(0, ...Object.values(host.allowances ?? {}));
  const kind = "allowanceExceededPercent";
  if (host.network !== null) {
    return reached(host, kind, percent(most, packetsOf(host.network)));
  }
  return most > 0 ? [{ host: host.host, role: host.role, kind, value: null, bound: limitBounds[kind] }] : [];
}

function toolLimits(hosts: readonly HostUsage[], toolCpu: Observation["toolCpu"]): Limit[] {
  return (["client", "server"] as const).flatMap((role) => {
    const used = toolCpu?.[role] ?? null;
    const host = hosts.find((one) => one.role === role)?.host ?? null;
    return reached({ host, role }, "toolCpuPercent", used === null ? null : used / (toolCpu?.threads ?? 1));
  });
}

function conntrackLimits(host: HostUsage): Limit[] {
  const { peak, limit, failures } = host.network?.conntrack ?? { peak: 0, limit: null, failures: 0 };
  const refused = reached(host, "conntrackFailures", failures);
  return refused.length > 0
    ? refused
    : reached(host, "conntrackFullPercent", limit === null ? null : percent(peak, limit));
}

/** Where the receiver lacks nothing, interfaces merged packets (UDP GRO), so fewer are counted out than in. */
function natLoss({ hosts, natDrops, measurement }: Observation): Limit[] {
  const bound = limitBounds.natLossPercent;
  const instances = hosts.filter(({ role }) => role === "nat");
  const host = instances.length === 1 ? (instances[0]?.host ?? null) : null;
  return (measurement?.lostPercent ?? bound) < bound
    ? []
    : reached({ host, role: "nat" }, "natLossPercent", natDrops?.lostPercent ?? null);
}

/** Unexplained loss: only where both ends and every NAT instance were observed, each on CPUs of its own. */
function pathLoss(observation: Observation): Limit[] {
  const { hosts, measurement, natDrops, sharedCpus, lossPlaces = null } = observation;
  const observed = (role: Role) =>
    hosts.some((host) => host.role === role && host.cpu !== null && host.network !== null);
  const uncountedNat = natDrops === null && hosts.some(({ role }) => role === "nat");
  if (sharedCpus || uncountedNat || !observed("client") || !observed("server")) {
    return [];
  }
  const explained =
    atHosts(observation).some(({ role }) => placeOf(role) !== "path") ||
    (natDrops?.lostPercent ?? 0) >= limitBounds.natLossPercent;
  const lost = lossPlaces === null ? (measurement?.lostPercent ?? null) : lossAt(lossPlaces, "path");
  return explained ? [] : reached({ host: null, role: null }, "pathLossPercent", lost);
}

/** The median second, which idle seconds around the test do not move; null: not sampled. */
function sustained({ cpu }: HostUsage, key: "busyPercent" | "softirqPercent"): number | null {
  const values = (cpu?.series ?? []).flatMap((one) => one[key] ?? []).sort((a, b) => a - b);
  return values.length < 3 ? (cpu?.[key] ?? null) : (values[Math.floor(values.length / 2)] as number);
}

function packetsOf(network: HostUsage["network"]): number {
  return network === null ? 0 : sumOf(network, "receivedPackets") + sumOf(network, "sentPackets");
}

function percent(part: number, all: number): number {
  return all > 0 ? (100 * part) / all : 0;
}
