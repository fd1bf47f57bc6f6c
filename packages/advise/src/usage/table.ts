/**
 * One table under every source: flow logs, metrics, bills and typed figures fill it, and each place's traffic is made of its rows.
 * Prices and merging are a place's; totals come last.
 */
import { groupBy } from "../../../../bench/group-by.ts";
import { FormatError } from "../fields.ts";
import type { BoundedRate, LogCounts, Traffic } from "../traffic.ts";
import { LOUD_SHARE } from "./notes.ts";
import { type NamedRow, ofMoments, onceEach } from "./once.ts";
import {
  DAY_MS,
  emptyRow,
  type FileUsage,
  HOUR_MS,
  highest,
  type Place,
  placeKey,
  placeOf,
  placeParts,
  type Statistic,
  type UsageRow,
} from "./row.ts";

type ReadCounts = Pick<LogCounts, "files" | "bytes" | "unusable"> & Partial<LogCounts>;

/** What a place's rows do not show, or what they show of gateways. */
export type Facts = Omit<
  Traffic,
  | ("logs" | "cloud" | "source" | keyof Place | "from" | "to" | "hours" | "gaps" | "total")
  | keyof ReturnType<typeof ratesOf>
>;

/**
 * The traffic of each place: account, region and network.
 *
 * @param factsOf A log's facts of a place. @default what a gateway's counters show
 * @throws {FormatError} when the files are of two kinds, or have no volumes
 */
export function trafficsOf(
  files: readonly FileUsage[],
  counts: ReadCounts,
  factsOf?: (place: string) => Facts,
): Traffic[] {
  const [{ cloud, source } = { cloud: "aws", source: "metrics" } as const] = files;
  if (files.some((one) => one.cloud !== cloud || one.source !== source)) {
    throw new FormatError("the files are of two clouds, or metrics and a bill; ask about one at a time");
  }
  const rows = onceEach(files);
  const repeated = files.flatMap(({ series }) => series.flat()).length - rows.length;
  const skipped = [
    ...new Set(files.flatMap((file) => file.skipped)),
    ...(source !== "bill" || repeated === 0 ? [] : [`${repeated} lines that another file has too`]),
  ].sort();
  if (factsOf === undefined && !rows.some(({ statistic }) => isVolume(statistic) || statistic === "hours")) {
    throw new FormatError(
      `no volumes: expected BytesOutToDestination and BytesInFromDestination (Sum), ByteCount, or a bill's lines of NAT gateways${skipped.length === 0 ? "" : `; not used: ${skipped.join(", ")}`}`,
    );
  }
  const assumed = [...new Set(files.flatMap((file) => file.assumed ?? []))];
  const isCut = files.some((file) => file.isCut === true);
  const isDerived = files.some((file) => file.isDerived === true);
  const homes = homesOf(rows);
  const homeOf = (row: Place) => homes.get(placeKey(row)) ?? row;
  return [...groupBy(rows, (row) => placeKey(homeOf(row)))].map(([key, own]) => ({
    ...{ cloud, source, ...placeOf(homeOf(own[0] ?? emptyRow)) },
    ...trafficOf(own, source, files[0]?.gapMs),
    ...(factsOf?.(key) ?? counted(own, { skipped, assumed, isCut, isDerived })),
    logs: { lines: own.length, noData: 0, skipData: 0, bad: [], cut: [], ...counts },
  }));
}

const isVolume = (statistic: Statistic) => ["out", "in", "bytes"].includes(statistic);
const hasVolume = ({ sums }: Bucket) => [...sums.keys()].some(isVolume);

/** The place that each belongs to: where parts are not named, the only one that has the others. */
export function homesOf(places: readonly Place[]): ReadonlyMap<string, Place> {
  const all = new Map(places.map((place) => [placeKey(place), place]));
  const within = (one: Place, other: Place) =>
    one !== other && placeParts.every((part) => one[part] === null || one[part] === other[part]);
  const whole = [...all.values()].filter((one) => ![...all.values()].some((other) => within(one, other)));
  return new Map(
    [...all].map(([key, place]) => {
      const [home, second] = whole.filter((other) => within(place, other));
      return [key, home !== undefined && second === undefined ? home : place];
    }),
  );
}

/** A place's traffic by all sources. */
function trafficOf(rows: readonly NamedRow[], source: Traffic["source"], gapMs = HOUR_MS) {
  const { added, known } = sumsOf(rows);
  const [outBytes, outPackets, inPackets] = [added("out"), added("packetsOut"), added("packetsIn")];
  const timed = (...statistics: Statistic[]) =>
    rows.filter(({ statistic }) => statistics.includes(statistic));
  const [times = rows] = [timed("covered"), timed("out", "in", "bytes", "hours")].filter(
    ({ length }) => length > 0,
  );
  const there = new Set(ofNow(rows).map(({ gateway }) => gateway));
  const { byGateway, ...rates } = ratesOf(rows, source);
  return {
    ...periodOf(times, gapMs),
    total: { ...volumeOf(added, known("in")), outPackets, inPackets, outBytes },
    ...{ ...rates, byGateway: byGateway.filter(({ name }) => there.has(name)) },
  };
}

/** The busiest minute, each hour, and each gateway's part of them. */
export function ratesOf(rows: readonly UsageRow[], source: Traffic["source"]) {
  const { known } = sumsOf(rows);
  const rates = (some: readonly UsageRow[]): Pick<Traffic, "peak" | "byHour"> => {
    const buckets = bucketsOf(some);
    return {
      peak: peakOf(buckets, source, known),
      byHour: longest(buckets.filter(hasVolume)) > HOUR_MS ? [] : hoursOf(buckets, known("in")),
    };
  };
  const all = rates(rows);
  const named = rows.filter(({ gateway, statistic }) => gateway !== null && isRated(statistic));
  const byGateway = [...groupBy(named, ({ gateway }) => gateway ?? "")].map(([name, own]) => {
    const { outBytes, inBytes } = volumeOf(sumsOf(own).added, known("in"));
    return { name, bytes: outBytes + inBytes, share: shareOf(rates(own), all) };
  });
  return { ...all, byGateway: byGateway.toSorted((a, b) => b.bytes - a.bytes) };
}

const isRated = (statistic: Statistic) => isVolume(statistic) || /^peak$|Least$|Most$/.test(statistic);

/** The most that one's rates are of another's. */
function shareOf(
  ...[own, all]: readonly [Pick<Traffic, "peak" | "byHour">, Pick<Traffic, "peak" | "byHour">]
) {
  const ratesIn = ({ peak, byHour }: typeof own) => [
    ...(["out", "in", "both"] as const).flatMap((way) => [peak?.[way].estimate ?? 0, peak?.[way].most ?? 0]),
    highest(byHour.map(({ outBytes, inBytes }) => outBytes + inBytes)),
  ];
  const whole = ratesIn(all);
  return Math.min(1, highest(ratesIn(own).map((rate, at) => (rate === 0 ? 0 : rate / (whole[at] ?? 0)))));
}

/** Sums by statistic, and which there are. */
function sumsOf(rows: readonly UsageRow[]) {
  const sums = new Map<Statistic, number>();
  for (const { statistic, quantity } of rows) {
    sums.set(statistic, (sums.get(statistic) ?? 0) + quantity);
  }
  return { added: (one: Statistic) => sums.get(one) ?? 0, known: (one: Statistic) => sums.has(one) };
}

const longest = (intervals: readonly Interval[]) => highest(intervals.map(({ from, to }) => to - from));

/** What is known of the reading of all files. With `isCut` lines may be missing, so that no gateway is known to be idle. */
type Reading = Required<Pick<FileUsage, "skipped" | "assumed" | "isCut" | "isDerived">>;

/** The facts that gateways' own counters show. */
function counted(rows: readonly NamedRow[], { skipped, assumed, isCut, isDerived }: Reading): Facts {
  const { added, known } = sumsOf(rows);
  const of = (...wanted: Statistic[]) => rows.filter(({ statistic }) => wanted.includes(statistic));
  const volumes = of("out", "in", "bytes");
  const buckets = bucketsOf(rows);
  const most = (statistic: Statistic) =>
    known(statistic) ? highest(buckets.map(({ sums }) => sums.get(statistic) ?? 0)) : null;
  const { outBytes, inBytes } = volumeOf(added, known("in"));
  const names = [
    ...new Set(rows.filter(({ statistic }) => statistic !== "none").map(({ gateway }) => gateway)),
  ].sort();
  // One whose lines could not all be read may have carried something.
  const isBusy = ({ quantity, charged, statistic }: NamedRow) =>
    charged?.cause === "unread" || (isVolume(statistic) && quantity > 0);
  const busy = new Set(rows.filter(isBusy).map(({ gateway }) => gateway));
  // Lines of bytes without a name are of a gateway whose hours have one.
  const hasNames = rows.some(({ says, statistic }) => says.at(-1) !== null && statistic === "hours");
  const isLoose = ({ says, statistic }: NamedRow) =>
    hasNames && says.at(-1) === null && statistic !== "hours";
  const there = ofNow(rows);
  const now = (there.length > 0 ? there : rows).filter((row) => !isLoose(row));
  const gateways = atOneTime(now);
  const idle =
    isCut || rows.some((row) => isLoose(row) && isBusy(row))
      ? []
      : there.filter(({ gateway }) => !busy.has(gateway));
  const newConnections = of("newConnections").map(
    ({ from, to }) => (most("newConnections") ?? 0) / ((to - from) / 1000),
  );
  return {
    duplicateRecords: 0,
    intervalSeconds: longest(volumes.length > 0 ? volumes : of("hours")) / 1000,
    nats: Array.from({ length: gateways }, (_, at) => ({
      name: names[at] ?? `gateway ${at + 1}`,
      reason: "counted",
    })),
    zones: null,
    other: nothingElse,
    ...{ destinations: [], destinationCount: 0, prefixes: [] },
    services: [{ service: null, region: null, addresses: 0, outBytes, inBytes }],
    ...{ flows: null, rest: [] },
    counters: {
      connections: most("connections"),
      newConnectionsPerSecond: known("newConnections") ? highest(newConnections) : null,
      portErrors: known("portErrors") ? added("portErrors") : null,
      directions:
        outBytes + inBytes === 0 ||
        (known("out") &&
          (known("bytes") || [...groupBy(volumes, ({ gateway }) => gateway).values()].every(areTogether)))
          ? "both"
          : known("bytes")
            ? "none"
            : "one",
      gateways: names,
      idle: [...new Set(idle.map(({ gateway }) => gateway))].sort(),
      idleAtOneTime: Math.min(gateways, atOneTime(idle)),
      gatewayHours: known("hours") ? added("hours") : null,
      charged: chargedOf(rows),
      skipped: skipped.concat(
        currenciesOf(rows).length < 2
          ? []
          : [`what the lines cost, as they are in ${currenciesOf(rows).join(" and ")}`],
      ),
      ...{ assumed, isDerived },
    },
  };
}

/** No traffic that a NAT did not carry. */
export const nothingElse: Traffic["other"] = {
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
  const usage = rows.filter(({ charged: own, statistic }) => own?.cause === "usage" && statistic !== "out");
  const causes = [
    ...groupBy(
      charged.filter(({ cause }) => cause !== "usage"),
      ({ cause }) => cause,
    ),
  ];
  return {
    amount: sum(charged),
    currency: currencies[0] ?? null,
    listed: usage.every(({ listed }) => listed !== null)
      ? usage.reduce((all, { listed }) => all + (listed ?? 0), 0)
      : null,
    egress: sum(charged.filter(({ cause, statistic }) => cause === "usage" && statistic === "out")),
    causes: causes.map(([cause, own]) => ({ cause, amount: sum(own) })),
  };
}

/** Whether both directions are there, up to 5 % of the time. */
function areTogether(rows: readonly NamedRow[]): boolean {
  const times = segmentsOf(rows).map(({ from, to, active }) => ({
    ms: to - from,
    both: ["out", "in"].every((one) => active.some(({ statistic }) => statistic === one)),
  }));
  const lengthOf = (some: typeof times) => some.reduce((sum, { ms }) => sum + ms, 0);
  return lengthOf(times.filter(({ both }) => !both)) <= LOUD_SHARE * lengthOf(times);
}

/** Rows of gateways that are there on their file's last day, with as many hours in their last line as others have in that time. */
function ofNow(rows: readonly NamedRow[]): NamedRow[] {
  const usage = rows.filter(({ statistic }) => statistic !== "none");
  const lives = [...groupBy(usage, ({ gateway }) => gateway).values()].map((own) => {
    const to = highest(own.map((row) => row.to));
    const last = own.filter((row) => row.to === to && row.statistic === "hours");
    const hours = last.reduce((sum, { quantity }) => sum + quantity, 0);
    return { own, to, time: `${last[0]?.from} ${to}`, hours: last.length === 0 ? null : hours };
  });
  return lives.flatMap(({ own, to, time, hours }) => {
    const most = highest(lives.map((one) => (one.time === time ? (one.hours ?? 0) : 0)));
    const isThere = own.some(({ end }) => to > end - DAY_MS) && (hours === null || hours >= 0.9 * most);
    return isThere ? own : [];
  });
}

/**
 * The most gateways at one time. A gateway counts by its hours where a bill has them, else from its first to its last row. Several
 * under one name, as without resource ids, are no more than in the last two days: the last one may be incomplete.
 */
function atOneTime(rows: readonly NamedRow[]): number {
  const counted = rows.filter(({ statistic }) => statistic !== "none");
  const intervals = [...groupBy(counted, ({ gateway }) => gateway).values()].flatMap((own) => {
    const hours = own.filter(({ statistic }) => statistic === "hours");
    const end = highest((hours.length > 0 ? hours : own).map(({ to }) => to));
    if (hours.length === 0) {
      const from = own.reduce((least, one) => Math.min(least, one.from), Number.POSITIVE_INFINITY);
      return [{ from, to: end, share: 1 }];
    }
    const lines = hours.map(({ from, to, quantity }) => ({
      from,
      to,
      share: (quantity * HOUR_MS) / (to - from),
    }));
    const times = segmentsOf(lines).map(({ active, ...time }) => ({ ...time, share: sharesOf(active) }));
    const last = highest(times.filter(({ to }) => to > end - 2 * DAY_MS).map(({ share }) => share));
    return times.map((time) => ({ ...time, share: Math.min(time.share, last) }));
  });
  const most = highest(segmentsOf(intervals).map(({ active }) => sharesOf(active)));
  return most === 0 ? 0 : Math.max(1, Math.round(most));
}

const sharesOf = (some: readonly { readonly share: number }[]) =>
  some.reduce((sum, { share }) => sum + share, 0);

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

function bucketsOf(rows: readonly UsageRow[]): Bucket[] {
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
function periodOf(
  intervals: readonly Interval[],
  gapMs: number,
): Pick<Traffic, "from" | "to" | "hours" | "gaps"> {
  const sorted = intervals.toSorted((a, b) => a.from - b.from);
  const first = sorted[0]?.from ?? 0;
  let last = first;
  const gaps: Interval[] = [];
  for (const { from, to } of sorted) {
    if (from - last > gapMs) {
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

/**
 * At least a period's mean; at most its highest ten seconds, or all its bytes in one minute. A bill and typed figures have no upper
 * bound. A log says itself what was within a minute at least, and at most.
 */
function peakOf(
  all: readonly Bucket[],
  source: Traffic["source"],
  known: (statistic: Statistic) => boolean,
): Traffic["peak"] {
  const buckets = all.filter(hasVolume);
  const rates = segmentsOf(buckets).map(({ from, active }) => {
    const rate = (statistic: Statistic) =>
      active.reduce(
        (sum, { sums, ...one }) => sum + ((sums.get(statistic) ?? 0) * 8000) / (one.to - one.from),
        0,
      );
    const { outBytes, inBytes } = volumeOf(rate, known("in"));
    const bound = (of: "Least" | "Most") => ({ out: rate(`out${of}`), in: rate(`in${of}`) });
    return { from, mean: { out: outBytes, in: inBytes }, least: bound("Least"), most: bound("Most") };
  });
  const [first] = rates;
  if (first === undefined) {
    return null;
  }
  const both = (one: (typeof rates)[number]) => one.mean.out + one.mean.in;
  const at = rates.reduce((one, other) => (both(other) > both(one) ? other : one), first).from;
  const tenSeconds = known("peak") ? highest(all.map(({ sums }) => (sums.get("peak") ?? 0) * 8)) : null;
  const periodMs = longest(buckets);
  const bounded = (key: "out" | "in" | "both"): BoundedRate => {
    const of = (bound: "mean" | "least" | "most") =>
      highest(rates.map((one) => (key === "both" ? one[bound].out + one[bound].in : one[bound][key])));
    const mean = of("mean");
    if (source === "flow logs") {
      return { least: of("least"), estimate: mean, most: of("most") };
    }
    const packed = source === "metrics" ? mean * Math.max(1, periodMs / 60_000) : null;
    const most = tenSeconds === null ? packed : Math.max(mean, tenSeconds);
    // A mean over many minutes is no peak; the gateway's own counter is.
    const estimate = key === "both" && periodMs > 60_000 ? Math.max(mean, tenSeconds ?? 0) : mean;
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
