/**
 * One table under every source: metrics, bills and typed figures fill it, and each place's traffic is made of its rows. Prices
 * and merging are a place's; totals come last.
 */
import { groupBy } from "../../../../bench/group-by.ts";
import { cloudRecords, type PricedCloud } from "../../../../bench/topologies/clouds.ts";
import { FormatError } from "../fields.ts";
import type { BoundedRate, LogCounts, Traffic } from "../traffic.ts";

const HOUR_MS = 3_600_000;
/** Shorter gaps are points that the service left out. */
const GAP_MS = HOUR_MS;

/**
 * What a row counts. `bytes`: both directions together. `peak`: the highest bytes per second. `hours`: gateways times hours.
 * `none`: money without a quantity, such as a discount.
 */
export type Statistic =
  | "out"
  | "in"
  | "bytes"
  | "packetsOut"
  | "packetsIn"
  | "peak"
  | "connections"
  | "newConnections"
  | "portErrors"
  | "hours"
  | "none";

/** Why money is charged. */
export type Cause = "usage" | "discount" | "credit" | "refund" | "other";

/** One row of the table. Null: the source does not say. */
export interface UsageRow {
  readonly account: string | null;
  readonly region: string | null;
  /** The VPC or virtual network. */
  readonly network: string | null;
  readonly gateway: string | null;
  /** Start and end, milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly statistic: Statistic;
  /** Bytes, packets, connections or hours. */
  readonly quantity: number;
  readonly charged: {
    readonly amount: number;
    readonly currency: string | null;
    readonly cause: Cause;
  } | null;
}

/** Rows of one file. */
export interface FileUsage {
  readonly cloud: PricedCloud;
  readonly source: "metrics" | "bill" | "typed";
  /** Rows that belong to one gateway even where none names it: a metric's series. */
  readonly series: readonly (readonly UsageRow[])[];
  /** Names of unused data in the file. */
  readonly skipped: readonly string[];
  /** Assumptions, one sentence each. */
  readonly assumed?: readonly string[];
}

/** Facts found while reading. */
export type ReadCounts = Pick<LogCounts, "files" | "bytes" | "unusable">;

/** The traffic of each place: account, region and network. @throws {FormatError} when the files are of two kinds, or have no volumes */
export function trafficsOf(files: readonly FileUsage[], counts: ReadCounts): Traffic[] {
  const [{ cloud, source } = { cloud: "aws", source: "metrics" } as const] = files;
  if (files.some((one) => one.cloud !== cloud || one.source !== source)) {
    throw new FormatError("the files are of two clouds, or metrics and a bill; ask about one at a time");
  }
  const skipped = [...new Set(files.flatMap((file) => file.skipped))].sort();
  const rows = nameGateways(files);
  if (!rows.some(({ statistic }) => isVolume(statistic) || statistic === "hours")) {
    throw new FormatError(
      `no volumes: expected BytesOutToDestination and BytesInFromDestination (Sum), ByteCount, or a bill's lines of NAT gateways${skipped.length === 0 ? "" : `; not used: ${skipped.join(", ")}`}`,
    );
  }
  const assumed = [...new Set(files.flatMap((file) => file.assumed ?? []))];
  return placesOf(rows).map((own) => ({
    ...trafficOf({ cloud, source, skipped, assumed }, own),
    logs: { ...counts, lines: own.length, noData: 0, skipData: 0, bad: [], cut: [] },
  }));
}

const isVolume = (statistic: Statistic) => ["out", "in", "bytes"].includes(statistic);

/** Rows by account, region and network. Rows that name no place belong to the only one that is named. */
function placesOf(rows: readonly NamedRow[]): NamedRow[][] {
  const keyOf = ({ account, region, network }: UsageRow) => [account, region, network].join(" ");
  const isNamed = ({ account, region, network }: UsageRow) => (account ?? region ?? network) !== null;
  const keys = [...new Set(rows.filter(isNamed).map(keyOf))];
  return [
    ...groupBy(rows, (row) => (isNamed(row) || keys.length !== 1 ? keyOf(row) : (keys[0] ?? ""))).values(),
  ];
}

type NamedRow = UsageRow & { readonly gateway: string };

type About = Pick<FileUsage, "cloud" | "source"> & {
  readonly skipped: readonly string[];
  readonly assumed: readonly string[];
};

function trafficOf(
  { cloud, source, skipped, assumed }: About,
  rows: readonly NamedRow[],
): Omit<Traffic, "logs"> {
  const of = (...wanted: Statistic[]) => rows.filter(({ statistic }) => wanted.includes(statistic));
  const added = (statistic: Statistic) => of(statistic).reduce((sum, { quantity }) => sum + quantity, 0);
  const known = (statistic: Statistic) => of(statistic).length > 0;
  const volumes = of("out", "in", "bytes");
  const counted = volumes.length > 0 ? volumes : of("hours");
  const buckets = bucketsOf(rows);
  const most = (statistic: Statistic) =>
    known(statistic) ? Math.max(...buckets.map(({ sums }) => sums.get(statistic) ?? 0)) : null;
  const outBytes = added("out");
  const inBytes = known("in") ? added("in") : Math.max(0, added("bytes") - outBytes);
  const total = { outBytes, inBytes };
  const longestMs = Math.max(...counted.map(({ from, to }) => to - from));
  const names = [
    ...new Set(rows.filter(({ statistic }) => statistic !== "none").map(({ gateway }) => gateway)),
  ].sort();
  const busy = new Set(volumes.filter(({ quantity }) => quantity > 0).map(({ gateway }) => gateway));
  const idle = names.filter((name) => !busy.has(name));
  const gateways = atOneTime(rows);
  const [{ account, region } = { account: null, region: null }] = rows.filter((row) => row.region !== null);
  const fastest = Math.max(
    0,
    ...of("newConnections").map(({ from, to }) => (most("newConnections") ?? 0) / ((to - from) / 1000)),
  );
  return {
    ...{ cloud, source, region: region ?? null },
    duplicateRecords: 0,
    ...periodOf(counted.length > 0 ? of("out", "in", "bytes", "hours") : rows),
    intervalSeconds: longestMs / 1000,
    nats: Array.from({ length: gateways }, (_, at) => ({
      name: names[at] ?? `gateway ${at + 1}`,
      reason: "counted",
    })),
    zones: null,
    total: { ...total, outPackets: added("packetsOut"), inPackets: added("packetsIn") },
    other: nothingElse,
    peak: peakOf(buckets, source, known("in")),
    byHour: longestMs > HOUR_MS ? [] : hoursOf(buckets, known("in")),
    ...{ destinations: [], destinationCount: 0, prefixes: [] },
    services: [{ service: null, region: null, addresses: 0, ...total }],
    flows: null,
    counters: {
      connections: most("connections"),
      newConnectionsPerSecond: known("newConnections") ? fastest : null,
      portErrors: known("portErrors") ? added("portErrors") : null,
      directions:
        outBytes + inBytes === 0 || (known("out") && (known("in") || known("bytes")))
          ? "both"
          : known("bytes")
            ? "none"
            : "one",
      account: account ?? null,
      gateways: names,
      idle,
      idleAtOneTime: Math.min(gateways, atOneTime(rows.filter(({ gateway }) => !busy.has(gateway)))),
      gatewayHours: known("hours") ? added("hours") : null,
      charged: chargedOf(rows),
      skipped: skipped.concat(
        currenciesOf(rows).length < 2
          ? []
          : [`what the lines cost, as they are in ${currenciesOf(rows).join(" and ")}`],
      ),
      assumed,
    },
  };
}

const nothingElse: Traffic["other"] = {
  ...{ insideBytes: 0, ipv6Bytes: 0, localBytes: 0, publicBytes: 0, inboundBytes: 0, bypassed: [] },
  ...{ unseenBytes: 0, rejectedRecords: 0, invalidAddressRecords: 0 },
};

const currenciesOf = (rows: readonly UsageRow[]) =>
  [...new Set(rows.flatMap(({ charged }) => charged?.currency ?? []))].sort();

/** Money by cause. Null: none, or in several currencies. */
function chargedOf(rows: readonly UsageRow[]): NonNullable<Traffic["counters"]>["charged"] {
  const currencies = currenciesOf(rows);
  const charged = rows.flatMap((row) =>
    row.charged === null ? [] : [{ ...row.charged, statistic: row.statistic }],
  );
  if (charged.length === 0 || currencies.length > 1) {
    return null;
  }
  const sum = (some: readonly { readonly amount: number }[]) =>
    some.reduce((all, { amount }) => all + amount, 0);
  const causes = [
    ...groupBy(
      charged.filter(({ cause }) => cause !== "usage"),
      ({ cause }) => cause,
    ),
  ];
  return {
    amount: sum(charged),
    currency: currencies[0] ?? null,
    egress: sum(charged.filter(({ cause, statistic }) => cause === "usage" && statistic === "out")),
    causes: causes.map(([cause, own]) => ({ cause, amount: sum(own) })),
  };
}

/**
 * Points that several files contain count once, as exports overlap. A series without a name is assigned to the first gateway whose
 * points it does not contradict. A bill's lines are summed instead, since its files are parts.
 */
function nameGateways(files: readonly FileUsage[]): NamedRow[] {
  const seen = new Map<string, Map<number, number>>();
  return files.flatMap(({ cloud, source, series }) =>
    // CloudWatch does not split counters: two series without a name are two gateways, or one gateway twice.
    (source === "metrics" && cloudRecords[cloud].splitsMetrics ? merged(series) : series).flatMap((rows) => {
      if (source !== "metrics") {
        return rows.map((row) => ({ ...row, gateway: row.gateway ?? "gateway 1" }));
      }
      const [{ statistic, gateway: own } = { statistic: "none", gateway: null } as const] = rows;
      const pointsOf = (gateway: string) => seen.get(`${statistic} ${gateway}`) ?? new Map<number, number>();
      const fits = (gateway: string) =>
        rows.every(({ from, quantity }) => (pointsOf(gateway).get(from) ?? quantity) === quantity);
      let gateway = own ?? "gateway 1";
      for (let number = 2; own === null && !fits(gateway); number++) {
        gateway = `gateway ${number}`;
      }
      const known = pointsOf(gateway);
      const fresh = rows.filter(({ from }) => !known.has(from));
      seen.set(
        `${statistic} ${gateway}`,
        new Map([...known, ...fresh.map(({ from, quantity }) => [from, quantity] as const)]),
      );
      return fresh.map((row) => ({ ...row, gateway }));
    }),
  );
}

/** One series per statistic and gateway: a file may split it by protocol. */
function merged(series: readonly (readonly UsageRow[])[]): UsageRow[][] {
  const bySeries = groupBy(series.flat(), ({ statistic, gateway }) => `${statistic} ${gateway}`);
  return [...bySeries.values()].map((rows) =>
    [...groupBy(rows, ({ from }) => from).values()].flatMap((own) => {
      const [first] = own;
      return first === undefined
        ? []
        : [{ ...first, quantity: own.reduce((sum, { quantity }) => sum + quantity, 0) }];
    }),
  );
}

/** The most gateways at one time. A gateway counts by its hours where a bill has them, else from its first to its last row. */
function atOneTime(rows: readonly NamedRow[]): number {
  const counted = rows.filter(({ statistic }) => statistic !== "none");
  const intervals = [...groupBy(counted, ({ gateway }) => gateway).values()].flatMap((own) => {
    const hours = own.filter(({ statistic }) => statistic === "hours");
    return hours.length > 0
      ? hours.map(({ from, to, quantity }) => ({ from, to, share: (quantity * HOUR_MS) / (to - from) }))
      : [
          {
            from: Math.min(...own.map(({ from }) => from)),
            to: Math.max(...own.map(({ to }) => to)),
            share: 1,
          },
        ];
  });
  const most = Math.max(
    0,
    ...segmentsOf(intervals).map(({ active }) => active.reduce((sum, { share }) => sum + share, 0)),
  );
  return most === 0 ? 0 : Math.max(1, Math.round(most));
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Times between which the same intervals hold, each with these intervals. */
function segmentsOf<T extends Interval>(
  intervals: readonly T[],
): (Interval & { readonly active: readonly T[] })[] {
  const times = [...new Set(intervals.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const sorted = intervals.toSorted((a, b) => a.from - b.from);
  let next = 0;
  let active: T[] = [];
  return times.slice(0, -1).flatMap((from, at) => {
    active = active.filter(({ to }) => to > from);
    for (; (sorted[next]?.from ?? Number.POSITIVE_INFINITY) <= from; next++) {
      active.push(sorted[next] as T);
    }
    return active.length === 0 ? [] : [{ from, to: times[at + 1] ?? from, active: [...active] }];
  });
}

/** Sums of all gateways for one interval. */
interface Bucket extends Interval {
  readonly sums: Map<Statistic, number>;
}

/** Statistics of rates and concurrent items: a gateway's maximum in a period, summed over gateways. */
const ofMoments: ReadonlySet<Statistic> = new Set(["peak", "connections"]);

function bucketsOf(rows: readonly NamedRow[]): Bucket[] {
  const byInterval = groupBy(rows, ({ from, to }) => `${from} ${to}`);
  return [...byInterval.values()].flatMap((own): Bucket[] => {
    const [first] = own;
    const sums = new Map<Statistic, number>();
    const highest = new Map<string, number>();
    for (const { statistic, gateway, quantity } of own) {
      const key = `${statistic} ${gateway}`;
      const before = ofMoments.has(statistic) ? (highest.get(key) ?? 0) : 0;
      highest.set(key, Math.max(before, quantity));
      sums.set(statistic, (sums.get(statistic) ?? 0) + Math.max(0, quantity - before));
    }
    return first === undefined ? [] : [{ from: first.from, to: first.to, sums }];
  });
}

/** Bytes by direction. Bytes without a direction, minus those known to be sent, count as received. */
function volumeOf(value: (statistic: Statistic) => number, hasIn: boolean) {
  const outBytes = value("out");
  return { outBytes, inBytes: hasIn ? value("in") : Math.max(0, value("bytes") - outBytes) };
}

/** Start and end, and the time without rows between them. */
function periodOf(intervals: readonly Interval[]): Pick<Traffic, "from" | "to" | "hours" | "gaps"> {
  const sorted = intervals.toSorted((a, b) => a.from - b.from);
  const first = sorted[0]?.from ?? 0;
  let last = first;
  const gaps: Interval[] = [];
  for (const { from, to } of sorted) {
    if (from - last > GAP_MS) {
      gaps.push({ from: last, to: from });
    }
    last = Math.max(last, to);
  }
  const missing = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
  return {
    ...{ from: iso(first), to: iso(last) },
    hours: (last - first - missing) / HOUR_MS,
    gaps: gaps.map(({ from, to }) => ({ from: iso(from), to: iso(to) })),
  };
}

const iso = (ms: number) => new Date(ms).toISOString();

/** At least a period's mean; at most its highest ten seconds, or all its bytes in one minute. A bill has no upper bound. */
function peakOf(buckets: readonly Bucket[], source: FileUsage["source"], hasIn: boolean): Traffic["peak"] {
  const counted = buckets.filter(({ sums }) => [...sums.keys()].some(isVolume));
  const rates = segmentsOf(counted).map(({ from, active }) => {
    const rate = (statistic: Statistic) =>
      active.reduce(
        (sum, { sums, ...one }) => sum + ((sums.get(statistic) ?? 0) * 8000) / (one.to - one.from),
        0,
      );
    const { outBytes, inBytes } = volumeOf(rate, hasIn);
    return { from, out: outBytes, in: inBytes, both: outBytes + inBytes };
  });
  const [first] = rates;
  if (first === undefined) {
    return null;
  }
  const longestMs = Math.max(...counted.map(({ from, to }) => to - from));
  const at = rates.reduce((one, other) => (other.both > one.both ? other : one), first).from;
  const tenSeconds = buckets.some(({ sums }) => sums.has("peak"))
    ? Math.max(...buckets.map(({ sums }) => (sums.get("peak") ?? 0) * 8))
    : null;
  const bounded = (key: "out" | "in" | "both"): BoundedRate => {
    const mean = Math.max(...rates.map((one) => one[key]));
    const packed = source === "metrics" ? mean * Math.max(1, longestMs / 60_000) : null;
    const most = tenSeconds === null ? packed : Math.max(mean, tenSeconds);
    // A mean over many minutes is no peak; the gateway's own counter is.
    const estimate = key === "both" && longestMs > 60_000 ? Math.max(mean, tenSeconds ?? 0) : mean;
    return { least: mean, estimate, most };
  };
  return { out: bounded("out"), in: bounded("in"), both: bounded("both"), at: iso(at) };
}

function hoursOf(buckets: readonly Bucket[], hasIn: boolean): Traffic["byHour"] {
  const byHour = groupBy(buckets, ({ from }) => Math.floor(from / HOUR_MS) * HOUR_MS);
  return [...byHour]
    .sort(([a], [b]) => a - b)
    .map(([hour, own]) => ({
      hour: iso(hour),
      ...volumeOf((statistic) => own.reduce((sum, { sums }) => sum + (sums.get(statistic) ?? 0), 0), hasIn),
    }));
}
