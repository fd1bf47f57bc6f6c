/**
 * Facts of hosts that were rebooted or set up again after they had been prepared: kernel, CPUs and settings may have changed.
 */
import type { HostFacts } from "../results/index.ts";
import type { AssembleArgs } from "./assemble-args.ts";

type Known = Pick<AssembleArgs, "server" | "topologies">;

/** Facts from the newest report where a host changed; facts that only the deployment knows stay. */
export function changedFacts({ server, topologies, runs }: Known & Pick<AssembleArgs, "runs">): Known & {
  /** One sentence per changed host. */
  readonly changes: readonly string[];
} {
  const reports = runs.flatMap(({ pairs }) => pairs.map(({ report }) => report));
  const rebooted = reports.flatMap((report) => report?.rebooted ?? []);
  const setUpAgain = reports.flatMap((report) => report?.setUpAgain ?? []);
  const newest = byHost(
    reports.flatMap((report) => [...(report?.rebooted ?? []), ...(report?.setUpAgain ?? [])]),
  );
  const renewed = (before: HostFacts): HostFacts => {
    const now = newest.get(before.host);
    const { size, region, zone, burst, role } = before;
    return now === undefined ? before : { ...now, role, size, region, zone, burst };
  };
  return {
    server: server && renewed(server),
    topologies: topologies.map((one) => ({ ...one, hosts: one.hosts.map(renewed) })),
    changes: [
      ...[...byHost(rebooted).keys()].map(
        (host) => `${host} rebooted after it was prepared: its facts were read after the reboot`,
      ),
      ...[...byHost(setUpAgain).keys()].map(
        (host) =>
          `${host} was set up again, as something else had changed its rules or kernel settings: its own notes say when`,
      ),
    ],
  };
}

/** The last entry of each host. */
function byHost(all: readonly HostFacts[]): Map<string, HostFacts> {
  return new Map(all.map((facts) => [facts.host, facts]));
}
