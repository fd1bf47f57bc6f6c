/** Others' published figures next to ours for the same case. They never enter a ratio. */

import { z } from "zod";
import { type FigureId, figures } from "../../bench/figures/index.ts";
import { formatBitRate, formatMicroseconds, formatPercent } from "../../bench/plan/quantities.ts";
import { connect, iperf3, sockperf } from "../../bench/tools/registry.ts";
import type { CloudName } from "../../bench/topologies/clouds.ts";
import published from "../../results/published.json" with { type: "json" };
import type { CaseInfo } from "../comparison/cases.ts";
import type { Comparison } from "../comparison/comparison.ts";

/** A published figure and our measurement of the same case on the same kind of topology. */
export interface PublishedFigure {
  readonly id: string;
  readonly cloud: string;
  readonly conditions: string;
  readonly what: string;
  readonly topology: string;
  readonly theirs: string;
  readonly ours: readonly { readonly label: string; readonly cloud: CloudName; readonly text: string }[];
}

const publicationSchema = z.object({
  id: z.string(),
  cloud: z.string(),
  conditions: z.string(),
  natSize: z.string().optional(),
  /** Rates that a NAT instance of a size held, both directions together. */
  natRates: z
    .array(
      z.object({
        size: z.string(),
        bitsPerSecond: z.number(),
        lostPercent: z.number().optional(),
        note: z.string(),
      }),
    )
    .default([]),
  cases: z.array(z.record(z.string(), z.union([z.string(), z.number()]))).default([]),
});
const publications = z.object({ results: z.array(publicationSchema) }).parse(published).results;

interface Match {
  readonly publication: string;
  /** Published case; null: the case names the topology, and `key` the figure. */
  readonly case: string | null;
  readonly key?: string;
  readonly what: string;
  readonly metric: FigureId;
  /** Whether a case is the published one, by the same tool. */
  readonly same: (info: CaseInfo) => boolean;
  /** Plan that the case must belong to, e.g. because the distance matters. */
  readonly plan?: string;
  readonly theirs: (value: string | number) => string;
}

const flow = (protocol: string, direction: string, datagramBytes: number | null) => (info: CaseInfo) =>
  info.tool === iperf3.name &&
  !info.bothWays &&
  info.protocol === protocol &&
  info.direction === direction &&
  info.datagramBytes === datagramBytes &&
  info.streams === 1 &&
  // The published floods were as fast as the sender could.
  (protocol === "tcp" ? info.bitsPerSecond === null : info.bitsPerSecond === 0);

const rate = (unit: number) => (value: string | number) => formatBitRate(Number(value) * unit);
const lostOfTotal = (value: string | number) => {
  const [lost = Number.NaN, total = Number.NaN] = String(value).split("/").map(Number);
  return formatPercent((lost / total) * 100);
};

const floods: readonly Match[] = (["egress", "ingress"] as const).flatMap((direction) => [
  match("tcp", direction, null, "throughput", `tcp-${direction}`, rate(1e9)),
  match("udp", direction, null, "throughput", `udp-${direction}`, rate(1e9)),
  match("udp", direction, null, "loss", `udp-${direction}-loss`, lostOfTotal),
  match("udp", direction, 64, "throughput", `udp-${direction}-64`, rate(1e6)),
  match("udp", direction, 64, "loss", `udp-${direction}-64-loss`, lostOfTotal),
]);

function match(
  protocol: string,
  direction: string,
  bytes: number | null,
  metric: FigureId,
  name: string,
  theirs: Match["theirs"],
): Match {
  const what = `${protocol.toUpperCase()} ${direction}${bytes ? `, ${bytes} B` : ""}${metric === "loss" ? ", loss" : ""}`;
  return {
    publication: "azure-nat-2025-11",
    case: name,
    what,
    metric,
    same: flow(protocol, direction, bytes),
    theirs,
  };
}

const connects: readonly Match[] = (
  [
    ["mean", "latencyMean"],
    ["p99", "latencyP99"],
  ] as const
).map(([name, metric]) => ({
  publication: "azure-nat-2025-11",
  case: `tcp-connect-latency-${name}`,
  what: `TCP connect latency, ${name}`,
  metric,
  same: ({ tool }) => tool === connect.name,
  theirs: (value) => formatMicroseconds(Number(value) * 1000),
}));

const roundTrips: readonly Match[] = (
  [
    ["mean", "latencyMean"],
    ["p50", "latencyP50"],
    ["p99", "latencyP99"],
  ] as const
).map(([key, metric]) => ({
  publication: "azure-rtt-2024-05",
  case: null,
  key,
  what: `TCP round trip between two regions, ${key}`,
  metric,
  same: ({ tool, protocol }) => tool === sockperf.name && protocol === "tcp",
  plan: "rtt",
  theirs: (value) => formatMicroseconds(Number(value)),
}));

/** Streams of a sweep: the publication's `P1`, `P16` and so on. */
const sweep: readonly Match[] = [1, 16, 28, 32, 40, 48, 64].map((streams) => ({
  publication: "azure-vm-bandwidth",
  case: null,
  key: `P${streams}`,
  what: `TCP egress, ${streams} streams`,
  metric: "throughput",
  same: (info) =>
    info.tool === iperf3.name &&
    !info.bothWays &&
    info.protocol === "tcp" &&
    info.direction === "egress" &&
    info.streams === streams,
  theirs: rate(1e9),
}));

/** Conditions of the publications behind figures, one sentence each, by the publication's id. */
export function publishedConditions(figures: readonly PublishedFigure[]): Map<string, string> {
  return new Map(figures.map(({ id, cloud, conditions }) => [id, `${id} (${cloud}): ${conditions}.`]));
}

/** Every published figure whose case and kind of topology were measured. */
export function publishedFigures(comparison: Comparison): PublishedFigure[] {
  return [...floods, ...connects, ...roundTrips, ...sweep].flatMap((wanted) => figuresOf(wanted, comparison));
}

function figuresOf(wanted: Match, { rows, columns }: Comparison): PublishedFigure[] {
  const publication = publications.find(({ id }) => id === wanted.publication);
  const row = rows.find(({ info }) => wanted.same(info));
  if (publication === undefined || row === undefined) {
    return [];
  }
  return valuesOf(wanted, publication).flatMap(([topology, value]) => {
    const ours = columns.flatMap(({ index, label, topology: own, results }) => {
      const found = row.cells[index]?.estimates[wanted.metric];
      const planned = wanted.plan === undefined || wanted.plan === results.plan.name;
      return own.topology === topology && planned && found
        ? [{ label, cloud: results.cloud, text: figures[wanted.metric].format(found.value) }]
        : [];
    });
    const { id, cloud, conditions } = publication;
    return ours.length === 0
      ? []
      : [{ id, cloud, conditions, what: wanted.what, topology, theirs: wanted.theirs(value), ours }];
  });
}

/** Published values by topology: a publication's `case` holds either the case or the topology. */
function valuesOf(wanted: Match, { cases }: (typeof publications)[number]): [string, string | number][] {
  if (wanted.case !== null) {
    const { case: _, unit: __, ...values } = cases.find((entry) => entry.case === wanted.case) ?? {};
    return Object.entries(values);
  }
  return cases.flatMap((entry): [string, string | number][] => {
    const value = entry[wanted.key ?? ""];
    return value === undefined ? [] : [[String(entry.case), value]];
  });
}

/** A published rate of a NAT instance of one size. */
export interface PublishedNatRate {
  readonly bitsPerSecond: number;
  /** Id of the publication. */
  readonly by: string;
  /** Conditions of this rate. */
  readonly note: string;
}

/** What others published for a NAT instance of this size: TCP in the slower direction, or a rate that was held. Null: nothing. */
export function publishedNatRate(size: string): PublishedNatRate | null {
  const [first] = publications.flatMap(({ id: by, natSize, natRates, cases }): PublishedNatRate[] => {
    const of = (name: string) =>
      cases.flatMap((one) =>
        one.case === name && one.unit === "Gbit/s" ? [Number(one["nat-instance"])] : [],
      );
    const [out, back] = [of("tcp-egress")[0], of("tcp-ingress")[0]];
    const held = natRates.find((one) => one.size === size);
    return [
      ...(natSize === size && out !== undefined && back !== undefined
        ? [{ bitsPerSecond: Math.min(out, back) * 1e9, by, note: "TCP, the slower direction" }]
        : []),
      ...(held === undefined ? [] : [{ bitsPerSecond: held.bitsPerSecond, by, note: held.note }]),
    ];
  });
  return first ?? null;
}
