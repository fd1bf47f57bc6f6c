/**
 * Facts of hosts that were booted after they had been prepared: kernel, CPUs and settings may be others since.
 *
 * @module
 */
import type { HostFacts } from "../results/index.ts";
import type { AssembleArgs } from "./assemble.ts";

type Known = Pick<AssembleArgs, "server" | "topologies">;

/** Facts as the newest report has them, where a host was booted; what only the deployment knows stays. */
export function factsSinceBoot({ server, topologies, runs }: Known & Pick<AssembleArgs, "runs">): Known & {
  /** Names of hosts. */
  readonly rebooted: readonly string[];
} {
  const reports = runs.flatMap(({ report, pairs }) => pairs?.map((pair) => pair.report) ?? [report]);
  const newest = new Map(
    reports.flatMap((report) => report?.rebooted ?? []).map((facts) => [facts.host, facts]),
  );
  const renewed = (before: HostFacts): HostFacts => {
    const now = newest.get(before.host);
    const { size, region, zone, burst, role } = before;
    return now === undefined ? before : { ...now, role, size, region, zone, burst };
  };
  return {
    server: server && renewed(server),
    topologies: topologies.map((one) => ({ ...one, hosts: one.hosts.map(renewed) })),
    rebooted: [...newest.keys()],
  };
}

export function rebootNotes(hosts: readonly string[]): string[] {
  return hosts.map(
    (host) => `${host} was booted after it had been prepared: its facts are those of after that`,
  );
}
