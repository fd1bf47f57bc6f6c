/**
 * Turns a NAT gateway's counters into the traffic for advice: volumes, peaks and connections, without destinations.
 */
import { cloudRecords, type PricedCloud } from "../../../../bench/topologies/clouds.ts";
import { FormatError } from "../fields.ts";
import type { BoundedRate, LogCounts, Traffic } from "../traffic.ts";

const HOUR_MS = 3_600_000;
/** Shorter gaps are points that the service left out. */
const GAP_MS = HOUR_MS;

/** Facts found while reading. */
export type CounterCounts = Pick<LogCounts, "files" | "bytes" | "unusable">;

/** @throws {FormatError} when the files are of two kinds, or have no volumes */
export function trafficOfCounters(files: readonly Counters[], counts: CounterCounts): Traffic {
  const [{ cloud, source } = { cloud: "aws", source: "metrics" } as const] = files;
  if (files.some((one) => one.cloud !== cloud || one.source !== source)) {
    throw new FormatError("the files are of two clouds, or metrics and a bill; ask about one at a time");
  }
  const named = nameGateways(files);
  const volumes = named.filter(({ counter }) => counter === "out" || counter === "in" || counter === "bytes");
  const periodMs = 1000 * Math.max(0, ...volumes.map(periodOf));
  if (periodMs === 0) {
    throw new FormatError(
      "no volumes: expected BytesOutToDestination and BytesInFromDestination, ByteCount, or a bill's lines of NAT gateways",
    );
  }
  const buckets = bucketsOf(named, periodMs);
  const all = [...buckets.values()].map((bucket) => volumeOf(bucket));
  const sum = (key: "outBytes" | "inBytes") => all.reduce((total, one) => total + one[key], 0);
  const total = { outBytes: sum("outBytes"), inBytes: sum("inBytes") };
  const of = (counter: Counter) => [...buckets.values()].flatMap((bucket) => bucket.get(counter) ?? []);
  const added = (counter: Counter) => of(counter).reduce((one, other) => one + other, 0);
  const most = (counter: Counter) => (of(counter).length === 0 ? null : Math.max(...of(counter)));
  const known = (counter: Counter) => of(counter).length > 0;
  const names = [...new Set(named.map(({ gateway }) => gateway))].sort();
  const gateways = Math.max(names.length, Math.round((most("hours") ?? 0) / (periodMs / HOUR_MS)));
  const regions = files.flatMap(({ region }) => region ?? []);
  const currencies = [...new Set(files.flatMap((file) => file.currencies))].sort();
  return {
    ...{ cloud, source, region: regions[0] ?? null },
    logs: {
      ...counts,
      lines: named.reduce((points, one) => points + one.points.length, 0),
      ...{ noData: 0, skipData: 0, bad: [], cut: [] },
    },
    duplicateRecords: 0,
    ...periodOfAll([...buckets.keys()], periodMs),
    intervalSeconds: periodMs / 1000,
    nats: Array.from({ length: gateways }, (_, at) => ({
      name: names[at] ?? `gateway ${at + 1}`,
      reason: "counted",
    })),
    zones: null,
    total: { ...total, outPackets: added("packetsOut"), inPackets: added("packetsIn") },
    other: nothingElse,
    peak: peakOf(buckets, periodMs, source),
    byHour: periodMs > HOUR_MS ? [] : hoursOf(buckets),
    ...{ destinations: [], destinationCount: 0, prefixes: [] },
    services: [{ service: null, region: null, addresses: 0, ...total }],
    flows: null,
    counters: {
      connections: most("connections"),
      newConnectionsPerSecond: known("newConnections")
        ? (most("newConnections") ?? 0) / (periodMs / 1000)
        : null,
      portErrors: known("portErrors") ? added("portErrors") : null,
      directions: known("out") && (known("in") || known("bytes")) ? "both" : known("bytes") ? "none" : "one",
      charged:
        known("charged") && currencies.length < 2
          ? { amount: added("charged"), currency: currencies[0] ?? null }
          : null,
      skipped: [
        ...new Set(files.flatMap(({ skipped }) => skipped)),
        ...(currencies.length < 2 ? [] : [`what the lines cost, as they are in ${currencies.join(" and ")}`]),
      ].sort(),
    },
  };
}

const nothingElse: Traffic["other"] = {
  ...{ insideBytes: 0, ipv6Bytes: 0, localBytes: 0, publicBytes: 0, inboundBytes: 0, bypassed: [] },
  ...{ unseenBytes: 0, rejectedRecords: 0, invalidAddressRecords: 0 },
};

type NamedSeries = Series & { readonly gateway: string };

/**
 * Points that several files contain count once, as exports overlap. A series without a name is assigned to the first gateway whose
 * points it does not contradict. A bill's lines are summed instead, since its files are parts.
 */
function nameGateways(files: readonly Counters[]): NamedSeries[] {
  const seen = new Map<string, Map<number, number>>();
  return files.flatMap(({ cloud, source, series }) =>
    // CloudWatch does not split counters: two series without a name are two gateways, or one gateway twice.
    (source === "metrics" && !cloudRecords[cloud].splitsMetrics ? series : merged(series)).map(
      (one): NamedSeries => {
        const pointsOf = (gateway: string) =>
          seen.get(`${one.counter} ${gateway}`) ?? new Map<number, number>();
        const fits = (gateway: string) =>
          source === "bill" ||
          one.points.every(({ t, value }) => (pointsOf(gateway).get(t) ?? value) === value);
        let gateway = one.gateway ?? "gateway 1";
        for (let number = 2; one.gateway === null && !fits(gateway); number++) {
          gateway = `gateway ${number}`;
        }
        const known = pointsOf(gateway);
        const points = source === "bill" ? one.points : one.points.filter(({ t }) => !known.has(t));
        seen.set(
          `${one.counter} ${gateway}`,
          new Map([...known, ...points.map(({ t, value }) => [t, value] as const)]),
        );
        return { ...one, gateway, points };
      },
    ),
  );
}

/** One series per counter and gateway: a file may split it by protocol. */
function merged(series: readonly Series[]): Series[] {
  const all = new Map<string, Series & { readonly sums: Map<number, number> }>();
  for (const one of series) {
    const key = `${one.counter} ${one.gateway}`;
    const entry = all.get(key) ?? { ...one, sums: new Map<number, number>() };
    for (const { t, value } of one.points) {
      entry.sums.set(t, (entry.sums.get(t) ?? 0) + value);
    }
    all.set(key, entry);
  }
  return [...all.values()].map(({ sums, ...one }) => ({
    ...one,
    points: [...sums].map(([t, value]) => ({ t, value })),
  }));
}

/** The smallest distance of a series' points, if the file does not state the period. @throws {FormatError} */
function periodOf({ periodSeconds, points }: Series): number {
  if (periodSeconds !== null || points.length === 0) {
    return periodSeconds ?? 0;
  }
  const times = [...new Set(points.map(({ t }) => t))].sort((a, b) => a - b);
  const steps = times.slice(1).map((t, at) => t - (times[at] ?? 0));
  if (steps.length === 0) {
    throw new FormatError(
      "a metric has one point, whose period the file does not name; ask with --period 60",
    );
  }
  return Math.min(...steps) / 1000;
}

type Bucket = Map<Counter, number>;

/** Counters of rates and concurrent items: a gateway's maximum in a period, summed over gateways. */
const ofMoments: ReadonlySet<Counter> = new Set(["peak", "connections"]);

function bucketsOf(series: readonly NamedSeries[], periodMs: number): Map<number, Bucket> {
  const buckets = new Map<number, Bucket>();
  const highest = new Map<string, number>();
  const add = (t: number, counter: Counter, value: number) => {
    const bucket = buckets.get(t) ?? new Map();
    buckets.set(t, bucket.set(counter, (bucket.get(counter) ?? 0) + value));
  };
  for (const { counter, gateway, points } of series) {
    for (const { t, value } of points) {
      const start = Math.floor(t / periodMs) * periodMs;
      if (ofMoments.has(counter)) {
        const key = `${start} ${counter} ${gateway}`;
        const before = highest.get(key) ?? 0;
        highest.set(key, Math.max(before, value));
        add(start, counter, Math.max(0, value - before));
      } else {
        add(start, counter, value);
      }
    }
  }
  return new Map([...buckets].sort(([a], [b]) => a - b));
}

/** Bytes by direction. Bytes without a direction, minus those known to be sent, count as received. */
function volumeOf(bucket: Bucket) {
  const outBytes = bucket.get("out") ?? 0;
  const inBytes = bucket.get("in") ?? Math.max(0, (bucket.get("bytes") ?? 0) - outBytes);
  return { outBytes, inBytes };
}

function periodOfAll(
  starts: readonly number[],
  periodMs: number,
): Pick<Traffic, "from" | "to" | "hours" | "gaps"> {
  const [first = 0, last = 0] = [starts[0], starts.at(-1)];
  const gaps = starts.slice(1).flatMap((t, at) => {
    const end = (starts[at] ?? 0) + periodMs;
    return t - end > GAP_MS ? [{ from: iso(end), to: iso(t), ms: t - end }] : [];
  });
  const missing = gaps.reduce((sum, { ms }) => sum + ms, 0);
  return {
    ...{ from: iso(first), to: iso(last + periodMs) },
    hours: (last + periodMs - first - missing) / HOUR_MS,
    gaps: gaps.map(({ from, to }) => ({ from, to })),
  };
}

const iso = (ms: number) => new Date(ms).toISOString();

/** At least a period's mean; at most its highest ten seconds, or all its bytes in one minute. A bill has no upper bound. */
function peakOf(
  buckets: ReadonlyMap<number, Bucket>,
  periodMs: number,
  source: Counters["source"],
): Traffic["peak"] {
  const rates = [...buckets].map(([t, bucket]) => {
    const { outBytes, inBytes } = volumeOf(bucket);
    const rate = (bytes: number) => (bytes * 8000) / periodMs;
    const peak = bucket.get("peak");
    return { t, out: rate(outBytes), in: rate(inBytes), both: rate(outBytes + inBytes), peak };
  });
  const [first] = rates;
  if (first === undefined) {
    return null;
  }
  const at = rates.reduce((one, other) => (other.both > one.both ? other : one), first).t;
  const tenSeconds = rates.some(({ peak }) => peak !== undefined)
    ? Math.max(...rates.map(({ peak = 0 }) => peak * 8))
    : null;
  const bounded = (key: "out" | "in" | "both"): BoundedRate => {
    const mean = Math.max(...rates.map((one) => one[key]));
    const packed = source === "bill" ? null : mean * Math.max(1, periodMs / 60_000);
    const most = tenSeconds === null ? packed : Math.max(mean, tenSeconds);
    // A mean over many minutes is no peak; the gateway's own counter is.
    const estimate = key === "both" && periodMs > 60_000 ? Math.max(mean, tenSeconds ?? 0) : mean;
    return { least: mean, estimate, most };
  };
  return { out: bounded("out"), in: bounded("in"), both: bounded("both"), at: iso(at) };
}

function hoursOf(buckets: ReadonlyMap<number, Bucket>): Traffic["byHour"] {
  const hours = new Map<number, { outBytes: number; inBytes: number }>();
  for (const [t, bucket] of buckets) {
    const start = Math.floor(t / HOUR_MS) * HOUR_MS;
    const { outBytes, inBytes } = volumeOf(bucket);
    const before = hours.get(start) ?? { outBytes: 0, inBytes: 0 };
    hours.set(start, { outBytes: before.outBytes + outBytes, inBytes: before.inBytes + inBytes });
  }
  return [...hours].map(([t, sums]) => ({ hour: iso(t), ...sums }));
}

/** Kinds of counters. `bytes`: both directions together. `peak`: bytes per second. `hours`: a bill's gateways times hours. */
export type Counter =
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
  | "charged";

/** One counter of one gateway. */
export interface Series {
  readonly counter: Counter;
  /** Null: the file names none. */
  readonly gateway: string | null;
  /** Seconds per point. Null: derived from the points' distances. */
  readonly periodSeconds: number | null;
  /** `t`: the period's first millisecond since 1970. */
  readonly points: readonly { readonly t: number; readonly value: number }[];
}

/** Series of one file. */
export interface Counters {
  readonly cloud: PricedCloud;
  readonly source: "metrics" | "bill";
  /** Null: the file does not name it. */
  readonly region: string | null;
  readonly series: readonly Series[];
  /** Names of unused data in the file. */
  readonly skipped: readonly string[];
  /** Currency of `charged`. Null: nothing is charged, or it is not named. */
  readonly currencies: readonly string[];
}
