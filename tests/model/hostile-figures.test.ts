/** Hosts are not trusted: a host's invented figure must not spoil the others' results. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RunReport } from "../../bench/agent/protocol.ts";
import { readRunReport } from "../../bench/agent/read-report.ts";
import { assembleResults } from "../../bench/assemble/assemble.ts";
import type { CaseRun } from "../../bench/assemble/case-result.ts";
import type { Case } from "../../bench/plan/plan.ts";
import { type HostUsage, type Results, resultsSchema } from "../../bench/results/index.ts";
import { fixture, onePair, planOf, silentFacts, silentReport } from "../unit/bench/fixture.ts";
import { udpCase } from "../unit/bench/iperf3-case.ts";
import { fourStreams, printed } from "../unit/bench/printed.ts";

/** Of each tool, and of several pairs. */
const all: typeof printed = [
  ...printed,
  [{ ...fourStreams, pairs: 2 }, fixture("iperf3/3.12-tcp-parallel-4.json")],
  [{ ...udpCase, pairs: 2 }, fixture("iperf3/3.12-udp-64B.json")],
];

/** A NAT instance with all samples. */
const usage: HostUsage = {
  host: "instance",
  role: "nat",
  cpu: {
    ...{ busyPercent: 40, userPercent: 5, systemPercent: 5, softirqPercent: 30, stealPercent: 1 },
    series: [1, 2, 3].map((second) => ({
      at: at(second),
      busyPercent: 40,
      softirqPercent: 30,
      stealPercent: 1,
    })),
  },
  network: {
    interfaces: [
      {
        ...{ name: "eth0", receivedPackets: 1000, sentPackets: 900, receivedBytes: 1e6, sentBytes: 9e5 },
        ...{ receiveDrops: 3, sendDrops: 2 },
      },
    ],
    tcpRetransmits: 1,
    udp: null,
    softnetDrops: null,
    queueDrops: null,
    conntrack: { peak: 100, limit: 65_536, failures: 0 },
    series: [1, 2, 3].map((second) => ({
      ...{ at: at(second), receivedBitsPerSecond: 1e9, sentBitsPerSecond: 1e9, drops: 1, conntrack: 80 },
      ...{ receivedPacketsPerSecond: 1e5, sentPacketsPerSecond: 1e5, tcpRetransmits: 0 },
    })),
  },
  problem: null,
  allowances: { bw_out_allowance_exceeded: 12 },
  cpuTime: {
    start: { uptimeSeconds: 3600, busySeconds: 1200 },
    end: { uptimeSeconds: 3660, busySeconds: 1230 },
  },
};
const instance = {
  ...silentFacts("instance", "nat"),
  cpus: 2,
  burst: {
    cpu: { creditsPerHour: 24, maximumCredits: 576, initialCredits: 0, mode: "standard" as const },
    network: { baselineBitsPerSecond: 1e8, peakBitsPerSecond: 5e9 },
  },
};

function at(second: number): string {
  return `2026-11-21T08:00:0${second}.000Z`;
}

/** Numbers, some barely plausible and some impossible. */
const borderline = ["0", "-1", "1e-12", "1e-40", "-1e-40", "4294967296", "9007199254740993", "1e18", "-1e18"];
const impossible = ["5e-324", "1e19", "1e154", "-1.7e308", "1e999"];

/** `text` with one in `sparsity` of its numbers replaced. */
const madeUp = (text: string) => {
  const number = fc
    .oneof(
      { weight: 3, arbitrary: fc.constant(borderline) },
      { weight: 1, arbitrary: fc.constant([...borderline, ...impossible]) },
    )
    .chain((numbers) => fc.infiniteStream(fc.constantFrom(...numbers)));
  return fc
    .tuple(number, fc.infiniteStream(fc.nat(999)), fc.constantFrom(1, 2, 10, 50))
    .map(([numbers, dice, sparsity]) =>
      text.replace(/-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi, (old) =>
        (dice.next().value as number) % sparsity === 0 ? (numbers.next().value as string) : old,
      ),
    );
};

/** A report of a case with invented figures in the tool's output and the hosts' samples. */
const reportOf = (stdout: string) =>
  fc
    .tuple(madeUp(stdout), madeUp(JSON.stringify([usage])), fc.constantFrom(0, 1, 1e300))
    .map(([output, hosts, startedAfterMs]) =>
      readRunReport(
        JSON.stringify({ ...silentReport, stdout: output, hosts: "HOSTS", startedAfterMs }).replace(
          '"HOSTS"',
          hosts,
        ),
      ),
    );

function assemble(benchCase: Case, reports: readonly (RunReport | null)[]): Results {
  const [first = null, second = null] = reports;
  const pairs = [first, second].map((report, index) => ({
    client: `c${index}`,
    server: `s${index}`,
    report,
  }));
  const several = "pairs" in benchCase && benchCase.pairs === 2;
  const run = (report: RunReport | null): CaseRun => ({
    topology: "nat",
    case: benchCase,
    command: "x",
    pairs: onePair(report),
  });
  const runs = several ? [{ ...run(first), pairs }] : reports.map(run);
  return assembleResults({
    ...{ stack: "s", cloud: "aws", runId: "1", server: null, notes: [] },
    plan: planOf([benchCase], { most: several ? 1 : 3, withinPercent: 5 }),
    topologies: [{ name: "nat", topology: "nat-instance", expectedSourceIps: [], hosts: [instance] }],
    runs,
  });
}

it.each(all.map(([benchCase, stdout]) => ({ name: benchCase.id, benchCase, stdout })))(
  "$name has a result whatever figures come",
  ({ benchCase, stdout }) => {
    fc.assert(
      fc.property(fc.array(reportOf(stdout), { minLength: 2, maxLength: 3 }), (reports) => {
        const document = JSON.stringify(assemble(benchCase, reports));
        expect(JSON.stringify(resultsSchema.parse(JSON.parse(document)))).toBe(document);
      }),
    );
  },
);
