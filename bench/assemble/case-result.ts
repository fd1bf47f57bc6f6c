/** Builds the result of a case from the hosts' reports. */
import { type Case, pairsOf } from "../plan/plan.ts";
import type { CaseResult, ConnectionLimits, ForwardingCost, HostUsage } from "../results/index.ts";
import { isReversed, toolOf } from "../tools/index.ts";
import { type Bursts, withBurst } from "./burst.ts";
import { natDropsOf } from "./host-drops.ts";
import { limitsOf } from "./limits.ts";
import { lossPlacesOf } from "./loss-places.ts";
import { notRun, readReport } from "./outcome.ts";
import { withPacketRates } from "./packet-rates.ts";
import { type PairRun, sumPairs } from "./pairs.ts";

export interface CaseRun {
  /** Name of the topology entry. */
  readonly topology: string;
  readonly case: Case;
  /** As it was given to the client. */
  readonly command: string;
  /** The client-server pairs that measured it together, most often one. */
  readonly pairs: readonly PairRun[];
}

/** Facts about the hosts beside a case's report. */
export interface Machines {
  /** CPUs by name of host. @default unknown */
  readonly cpus?: ReadonlyMap<string, number>;
  /** All hosts run on the same CPUs: the lab. @default false */
  readonly sharedCpus?: boolean;
  /** @default none burst */
  readonly bursts?: Bursts;
  /** Limits of one connection by topology name. @default no such limit */
  readonly connectionLimits?: ReadonlyMap<string, ConnectionLimits>;
}

export function caseResult(run: CaseRun, machines: Machines = {}): CaseResult {
  const { sharedCpus = false, bursts = new Map() } = machines;
  const { topology, case: benchCase, command, pairs } = run;
  const report = pairs[0]?.report ?? null;
  const outcomes = pairs.map((pair) => ({ ...pair, ...outcomeOf(benchCase, pair) }));
  const outcome = {
    ...(outcomes[0] ?? notRun()),
    ...(outcomes.length > 1 ? sumPairs(benchCase, outcomes) : { pairs: null, hosts: report?.hosts ?? [] }),
  };
  const attempts = pairs.flatMap((pair) => pair.report?.attempts ?? []);
  const hosts = outcome.hosts.map((usage) => withBurst(usage, bursts));
  const natDrops = natDropsOf(benchCase, hosts);
  const measurement = withPacketRates(outcome.measurement, benchCase, hosts, natDrops);
  const lossPlaces = lossPlacesOf(benchCase, { hosts, measurement, natDrops, sharedCpus });
  return {
    id: benchCase.id,
    topology,
    tool: benchCase.tool,
    toolVersion: outcome.version,
    command,
    status: outcome.failure === null ? "ok" : "failed",
    failure: outcome.failure,
    startedAt: extreme(attempts, "startedAt", (a, b) => a < b),
    finishedAt: extreme(attempts, "finishedAt", (a, b) => a > b),
    attempts: report?.attempts ?? [],
    measurement,
    repetitions: null,
    pairs: outcome.pairs,
    limits: limitsIn(run, outcome.version, { hosts, measurement, natDrops, lossPlaces }, machines),
    natDrops,
    forwardingCost: measurement === null ? null : forwardingCostOf(hosts, sharedCpus),
    lossPlaces,
    // In a reversed run the client saw the server's address, which proves no way out; a wrong address has failed the case.
    sourceIp: isReversed(benchCase) ? null : (report?.sourceIp ?? null),
    dataSources: isReversed(benchCase) ? null : dataSourcesOf(pairs),
    hosts,
    rawFile: report?.rawFile ?? null,
  };
}

function limitsIn(
  { topology, case: benchCase, pairs }: CaseRun,
  version: string | null,
  seen: Pick<CaseResult, "hosts" | "measurement" | "natDrops" | "lossPlaces">,
  { cpus = new Map(), sharedCpus = false, connectionLimits }: Machines,
): CaseResult["limits"] {
  const tool = toolOf(benchCase);
  const flows = tool.flows(benchCase, seen.measurement);
  return limitsOf({
    ...seen,
    cpus,
    sharedCpus,
    toolCpu: tool.cpu?.(pairs[0]?.report?.stdout ?? "", version, benchCase) ?? null,
    flows: flows === null ? null : flows * pairsOf(benchCase),
    connectionLimits: connectionLimits?.get(topology) ?? null,
  });
}

function dataSourcesOf(pairs: readonly Pick<PairRun, "report">[]): CaseResult["dataSources"] {
  const all = pairs.flatMap(({ report }) => report?.dataSources ?? []);
  return all.length === 0 ? null : all;
}

function outcomeOf(benchCase: Case, { report }: PairRun) {
  return report === null ? notRun() : readReport(benchCase, report);
}

/** Compared as instants: agents may write fractions of a second with any number of digits. */
export function extreme<Key extends "startedAt" | "finishedAt">(
  cases: readonly { readonly [key in Key]: string | null }[],
  key: Key,
  better: (a: number, b: number) => boolean,
): string | null {
  return cases.reduce<string | null>((best, one) => {
    const at = one[key];
    return at !== null && (best === null || better(Date.parse(at), Date.parse(best))) ? at : best;
  }, null);
}

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
