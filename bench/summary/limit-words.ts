/** Describes limits for the summary and the report. */
import { formatPercent } from "../plan/quantities.ts";
import type { CaseResult, HostUsage, Limit, LimitKind, Role } from "../results/index.ts";

/** A host by its role, as a sentence names it. */
export const roleNames: Readonly<Record<Role, string>> = {
  client: "client",
  server: "server",
  nat: "NAT instance",
  router: "router",
  jump: "jump host",
};

/** A limit in a word or two: `client CPU`, `NAT instance loss`. */
export function shortLimit({ role, kind, cpu, mostly }: Limit): string {
  const one = cpu === undefined ? shortKinds[kind] : `CPU ${cpu} (${mostly ?? "busy"})`;
  return `${role === null ? "path" : roleNames[role]} ${one}`;
}

const shortKinds: Readonly<Record<LimitKind, string>> = {
  cpuBusyPercent: "CPU",
  oneCpuBusyPercent: "one CPU",
  oneCpuSoftirqPercent: "packet handling on one CPU",
  toolCpuPercent: "tool's threads",
  receiveBufferPercent: "socket buffer",
  interfaceDropPercent: "interface drops",
  allowanceExceededPercent: "allowance",
  conntrackFailures: "flow table",
  conntrackFullPercent: "flow table",
  natLossPercent: "loss",
  pathLossPercent: "loss",
  connectionBitsPercent: "rate of one connection",
  connectionPacketsPercent: "packets of one connection",
};

/** Each limit of a case as a clause: `the client's CPU was 96 % busy`. */
export function describeLimits({ limits, hosts }: Pick<CaseResult, "limits" | "hosts">): string[] {
  return (limits ?? []).map((limit) =>
    describe(
      limit,
      hosts.find(({ host }) => host === limit.host),
    ),
  );
}

function describe({ role, kind, value, bound, cpu, mostly }: Limit, usage: HostUsage | undefined): string {
  const the = role === null ? "the path" : `the ${roleNames[role]}`;
  const figure = value ?? bound ?? 0;
  switch (kind) {
    case "cpuBusyPercent":
      return `${the}'s CPU was ${whole(figure)} busy${busyWith(usage)}`;
    case "oneCpuBusyPercent":
      return `${the}'s CPU ${cpu ?? "?"} was ${whole(figure)} busy${mostly === undefined ? "" : `, ${whatTook[mostly]}`}`;
    case "oneCpuSoftirqPercent":
      return `${the} spent ${whole(figure)} of one CPU in softirq, about all that a single flow can use`;
    case "toolCpuPercent":
      return `${the}'s tool took ${whole(figure)} of the CPU that its threads can use`;
    case "receiveBufferPercent":
      return `${formatPercent(figure)} of the datagrams reached ${the} and found its tool's socket full`;
    case "interfaceDropPercent":
      return `${the}'s interfaces dropped ${formatPercent(figure)} of the packets`;
    case "allowanceExceededPercent":
      return `${the} used up an allowance of its instance${counters(usage)}`;
    case "conntrackFailures":
      return `${the} had no room for ${figure} flows`;
    case "conntrackFullPercent":
      return `${the}'s table of flows was ${whole(figure)} full`;
    case "natLossPercent":
      return `${the} did not pass on ${formatPercent(figure)} of the packets it received`;
    case "pathLossPercent":
      return `${formatPercent(figure)} of the packets were lost on the way, while neither end was at its limit`;
    case "connectionBitsPercent":
      return `its connections carried ${whole(figure)} of the bit rate that ${the} allows one connection: more streams may carry more`;
    case "connectionPacketsPercent":
      return `its connections carried ${whole(figure)} of the packet rate that ${the} allows one connection: more streams may carry more`;
  }
}

const whatTook = {
  softirq: "most of it in softirq: all packets came by one receive queue",
  tool: "most of it in a program: more CPUs do not help one thread",
} as const;

/** Uses of CPU time that take a tenth or more. */
function busyWith(usage: HostUsage | undefined): string {
  const { softirqPercent, stealPercent, busyPercent } = usage?.cpu ?? {};
  const share = (part: number | null | undefined) =>
    part == null || !busyPercent ? 0 : Math.min(100, (100 * part) / busyPercent);
  return [
    { part: share(softirqPercent), what: "in softirq" },
    { part: share(stealPercent), what: "stolen by the hypervisor" },
  ]
    .filter(({ part }) => part >= 10)
    .map(({ part, what }) => `, ${whole(part)} of it ${what}`)
    .join("");
}

function counters(usage: HostUsage | undefined): string {
  const exceeded = Object.entries(usage?.allowances ?? {}).filter(([, packets]) => packets > 0);
  return exceeded.length === 0
    ? ""
    : `: ${exceeded.map(([name, packets]) => `${name} ${packets}`).join(", ")}`;
}

function whole(value: number): string {
  return `${Math.round(value)} %`;
}
