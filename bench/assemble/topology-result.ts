/** One topology of a run: its hosts, and the proof of its path. */
import type { CaseResult, HostFacts, TopologyResult } from "../results/index.ts";
import { isReversed } from "../tools/index.ts";
import type { CaseRun } from "./case-result.ts";

/** Facts of a topology that not each has. */
type OwnFacts = "connectionLimits" | "kind" | "idleTimeoutSeconds" | "ownPrice";

/** One topology of a run with the known facts of its hosts. */
export interface TopologyRun
  extends Readonly<Pick<TopologyResult, "name" | "topology"> & Partial<Pick<TopologyResult, OwnFacts>>> {
  /** Null: the run ended before they were collected. Each case's hosts knew them, and refused other addresses. */
  readonly expectedSourceIps: readonly string[] | null;
  /** Facts of the clients, of further servers, and of the hosts between client and server. */
  readonly hosts: readonly HostFacts[];
}

/** @param cases Of all topologies. @param runs Of all topologies. */
export function topologyResult(
  run: TopologyRun,
  cases: readonly CaseResult[],
  runs: readonly CaseRun[],
): TopologyResult {
  const refused = cases.find(
    (one) => one.topology === run.name && one.failure?.class === "path-mismatch",
  )?.failure;
  return {
    ...{ connectionLimits: null, kind: null, idleTimeoutSeconds: null, ownPrice: null, ...run },
    expectedSourceIps: [...(run.expectedSourceIps ?? [])],
    path: pathOf(sightingsOf(run, runs), refused?.message),
    hosts: [...run.hosts],
  };
}

/** Source addresses that the server saw in one measurement, and those expected then. */
interface Sighting {
  readonly seen: readonly string[];
  readonly expected: readonly string[] | null;
}

/**
 * Addresses that the server saw in each measurement. An address may have changed since, so a report's own expectation counts; the
 * present one counts where none was known then.
 */
function sightingsOf({ name, expectedSourceIps }: TopologyRun, runs: readonly CaseRun[]): Sighting[] {
  // A reversed run's address is the server's own.
  const own = runs.filter((one) => one.topology === name && !isReversed(one.case));
  return own.flatMap(({ pairs }) =>
    pairs.flatMap(({ report }) => {
      const data = report?.dataSources ?? [];
      const seen = [report?.sourceIp, ...data.map(({ address }) => address)].filter((ip) => ip != null);
      const then = report?.expectedSourceIps ?? [];
      return seen.length === 0 ? [] : [{ seen, expected: then.length > 0 ? then : expectedSourceIps }];
    }),
  );
}

/**
 * The proof of a topology's path: every source address that the server saw was an expected one. @param refused Message of
 * a case that failed because it was not
 */
function pathOf(sightings: readonly Sighting[], refused: string | undefined): TopologyResult["path"] {
  const sourceIps = [...new Set(sightings.flatMap(({ seen }) => seen))];
  if (refused !== undefined) {
    return { status: "mismatch", sourceIps, message: refused };
  }
  if (sourceIps.length === 0) {
    return { status: "unknown", sourceIps, message: "the server reported no source address for any case" };
  }
  const judged = sightings.flatMap(({ seen, expected }) =>
    expected === null || expected.length === 0
      ? []
      : [{ expected, wrong: seen.filter((ip) => !expected.includes(ip)) }],
  );
  const strayed = judged.find(({ wrong }) => wrong.length > 0);
  if (strayed !== undefined) {
    const wrong = [...new Set(judged.flatMap((one) => one.wrong))];
    const message = `the server saw ${wrong.join(", ")}; expected ${strayed.expected.join(" or ")}`;
    return { status: "mismatch", sourceIps, message };
  }
  if (sightings.some(({ expected }) => expected?.length === 0)) {
    const message = "the address that the server must see is not known before the run";
    return { status: "unknown", sourceIps, message };
  }
  return { status: "proved", sourceIps, message: null };
}
