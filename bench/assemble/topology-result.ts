/** One topology of a run: its hosts, and the proof of its path. */
import type { CaseResult, ConnectionLimits, HostFacts, OwnPrice, TopologyResult } from "../results/index.ts";

/** One topology of a run with the known facts of its hosts. */
export interface TopologyRun {
  readonly name: string;
  readonly topology: string;
  /** Null: the run ended before they were collected. Each case's hosts knew them, and refused other addresses. */
  readonly expectedSourceIps: readonly string[] | null;
  /** Limits of one connection. @default no such limit */
  readonly connectionLimits?: ConnectionLimits | null;
  /** SKU or tier. @default there is one kind only */
  readonly kind?: string | null;
  /** Seconds of silence after which the path forgets a TCP connection. @default not known */
  readonly idleTimeoutSeconds?: number | null;
  /** Price of hosts that exist. @default none */
  readonly ownPrice?: OwnPrice | null;
  /** Facts of the clients, of further servers, and of the hosts between client and server. */
  readonly hosts: readonly HostFacts[];
}

/** @param cases Of all topologies. */
export function topologyResult(run: TopologyRun, cases: readonly CaseResult[]): TopologyResult {
  const own = cases.filter((one) => one.topology === run.name);
  const { name, topology, expectedSourceIps, hosts, connectionLimits = null, kind = null } = run;
  const { idleTimeoutSeconds = null, ownPrice = null } = run;
  return {
    name,
    topology,
    expectedSourceIps: [...(expectedSourceIps ?? [])],
    path: pathOf(own, expectedSourceIps),
    hosts: [...hosts],
    connectionLimits,
    kind,
    idleTimeoutSeconds,
    ownPrice,
  };
}

/** The proof of a topology's path: every source address that the server saw before a case is an expected one. */
function pathOf(cases: readonly CaseResult[], expected: readonly string[] | null): TopologyResult["path"] {
  const seen = cases.flatMap((one) => [
    ...(one.pairs ?? [one]).map(({ sourceIp }) => sourceIp),
    ...(one.dataSources ?? []).map(({ address }) => address),
  ]);
  const sourceIps = [...new Set(seen.filter((ip) => ip !== null))];
  const refused = cases.find((one) => one.failure?.class === "path-mismatch");
  if (refused !== undefined) {
    return { status: "mismatch", sourceIps, message: refused.failure?.message ?? null };
  }
  if (sourceIps.length === 0) {
    return { status: "unknown", sourceIps, message: "the server reported no source address for any case" };
  }
  if (expected === null) {
    return { status: "proved", sourceIps, message: null };
  }
  if (expected.length === 0) {
    const message = "the address that the server must see is not known before the run";
    return { status: "unknown", sourceIps, message };
  }
  const wrong = sourceIps.filter((ip) => !expected.includes(ip));
  if (wrong.length > 0) {
    const message = `the server saw ${wrong.join(", ")}; expected ${expected.join(" or ")}`;
    return { status: "mismatch", sourceIps, message };
  }
  return { status: "proved", sourceIps, message: null };
}
