/** Tables of measurement conditions: machines and runs. */
import { groupBy } from "../../bench/group-by.ts";
import { formatBitRate } from "../../bench/plan/quantities.ts";
import type { HostFacts, Results } from "../../bench/results/index.ts";
import { said } from "../../bench/said.ts";
import { cell, headOf, type ReportTable, type TableCell } from "../document/table.ts";
import type { Report } from "../report.ts";
import { counted, timeOf } from "../text/format.ts";

/** Number of hosts above which equal ones share rows. */
const MOST_HOSTS = 100;

/** Machines: one row per host. Among many hosts, equal ones share a row. */
export function hostsTable({ comparison }: Report): ReportTable {
  const servers = [...new Set(comparison.columns.map(({ results }) => results))].flatMap(
    ({ server, stack }) =>
      server === null ? [] : [{ owner: `server of ${stack}`, column: null, facts: server }],
  );
  const others = comparison.columns.flatMap(({ label, index, topology }) =>
    topology.hosts.map((facts) => ({ owner: label, column: index, facts })),
  );
  const all = [...others, ...servers].map(({ owner, column, facts }) => hostRow(owner, column, facts));
  const head = headOf(["Topology", "Host", "Machine", "System", "Network", "Tools"]);
  const likeness = ([_, host, ...machine]: TableCell[]) => JSON.stringify([host?.notes, machine]);
  return {
    head,
    rows: all.length <= MOST_HOSTS ? all : [...groupBy(all, likeness).values()].flatMap(firstOf),
  };
}

/** The first of several rows, with the number of the others. */
function firstOf([first, ...others]: TableCell[][]): TableCell[][] {
  const [owner, ...rest] = first ?? [];
  return owner === undefined
    ? []
    : [
        others.length === 0
          ? [owner, ...rest]
          : [{ ...owner, notes: [...owner.notes, `and ${others.length} of the same machine`] }, ...rest],
      ];
}

function hostRow(owner: string, column: number | null, facts: HostFacts): TableCell[] {
  const or = (value: string | number | null, unit = "") => (value === null ? "unknown" : `${value}${unit}`);
  const memory =
    facts.memoryBytes === null ? "memory unknown" : `${(facts.memoryBytes / 2 ** 30).toFixed(1)} GiB`;
  const network = facts.interfaces.map(
    ({ name, mtu, driver, qdisc }) => `${name}: MTU ${or(mtu)}, ${or(driver)}, ${or(qdisc)}`,
  );
  const place = [facts.size, facts.region, facts.zone === null ? null : `zone ${facts.zone}`];
  return [
    cell(owner, column),
    cell(facts.host, null, [facts.role]),
    cell(`${or(facts.cpus)} CPUs, ${memory}, ${or(facts.architecture)}`, null, [
      ...place.filter((part) => part !== null),
      ...burstTexts(facts.burst),
    ]),
    cell(or(facts.kernel), null, [
      or(facts.os),
      `congestion control ${or(facts.congestionControl)}`,
      `tuning: ${facts.tuning}`,
      ...(facts.dataPlane === null ? [] : [`data plane: ${facts.dataPlane}`]),
      ...facts.notes,
    ]),
    { ...cell(network.join("; ") || "unknown", null), ...offloadsOf(facts) },
    cell(
      Object.entries(facts.tools)
        .map(([name, version]) => `${name} ${version}`)
        .join(", ") || "unknown",
    ),
  ];
}

function burstTexts(burst: HostFacts["burst"]): string[] {
  const { cpu = null, network = null } = burst ?? {};
  const mode = cpu?.mode == null ? "" : ` (${cpu.mode})`;
  return said(
    cpu !== null && `earns ${cpu.creditsPerHour} CPU credits an hour${mode}`,
    network !== null &&
      `holds ${formatBitRate(network.baselineBitsPerSecond)}, bursts to ${formatBitRate(network.peakBitsPerSecond)}`,
  );
}

/** Offloads of each interface, a dozen names, folded: they matter where two machines differ. */
function offloadsOf({ interfaces }: HostFacts): Pick<TableCell, "folded"> {
  const texts = interfaces.flatMap(({ name, offloads }) => {
    const names = (on: boolean) => Object.keys(offloads).filter((one) => offloads[one] === on);
    const states = [["on", names(true)] as const, ["off", names(false)] as const].flatMap(([state, list]) =>
      list.length === 0 ? [] : [`${state}: ${list.join(", ")}`],
    );
    return states.length === 0 ? [] : [`${name}: ${states.join("; ")}`];
  });
  return texts.length === 0 ? {} : { folded: { summary: "offloads", text: texts.join(". ") } };
}

function orderNotes({ seed, pauseSeconds, repeat }: Results["plan"]): string[] {
  const { least, most, withinPercent } = repeat;
  const times = least === most ? `${least} times each` : `${least} to ${most} times each`;
  const until = withinPercent === null ? "" : `, until within ${withinPercent} %`;
  return [
    ...(seed === null ? [] : [`seed ${seed}`]),
    ...(pauseSeconds === 0 ? [] : [`pause of ${pauseSeconds} s before each`]),
    ...(most === 1 ? [] : [`${times}${until}`]),
  ];
}

/** The runs: one row per results document. */
export function runsTable({ comparison }: Report): ReportTable {
  const runs = new Map<Results, string>(comparison.columns.map(({ results, source }) => [results, source]));
  return {
    head: headOf(["Source", "Stack", "Plan", "Order", "Started", "Finished", "Path proof"]),
    rows: [...runs].map(([results, source]) => [
      cell(source),
      cell(`${results.stack} (${results.cloud})`, null, [
        `run ${results.runId}`,
        `egress-bench ${results.egressBenchVersion}`,
      ]),
      cell(`${results.plan.name}, ${counted(results.plan.cases.length, "case")}`),
      cell(results.plan.order, null, orderNotes(results.plan)),
      cell(timeOf(results.startedAt)),
      cell(timeOf(results.finishedAt)),
      cell(
        results.topologies
          .map(
            ({ name, path }) =>
              `${name}: ${path.status}${path.sourceIps.length ? ` (${path.sourceIps.join(", ")})` : ""}`,
          )
          .join("; "),
      ),
    ]),
  };
}
