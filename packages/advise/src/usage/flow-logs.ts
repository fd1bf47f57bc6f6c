/** Fills the table from the aggregates of flow logs, which this machine's engine or another one made. */
import { groupBy } from "../../../../bench/group-by.ts";
import type { PricedCloud } from "../../../../bench/topologies/clouds.ts";
import { idleTimeoutSeconds } from "../../../../bench/topologies/limits.ts";
import { prefixOf } from "../addresses.ts";
import { endpoints } from "../endpoints.ts";
import { FormatError } from "../fields.ts";
import type { Ranges } from "../ranges.ts";
import type { Aggregate } from "../reduction/aggregates.ts";
import { classCode, type PairClass } from "../reduction/pairs.ts";
import type {
  Destination,
  Flows,
  LogCounts,
  NatReason,
  NatZones,
  OtherTraffic,
  Traffic,
  Volume,
} from "../traffic.ts";
import { emptyRow, HOUR_MS, highest, type Place, placeKey, type Statistic, type UsageRow } from "./row.ts";
import { type Facts, homesOf, nothingElse, ratesOf, trafficsOf } from "./table.ts";

/** Longer than a quiet night, shorter than a day: without NODATA a gap may be either quiet or missing. */
const GAP_MS = 20 * HOUR_MS;
/** Most destinations and prefixes that are listed one by one. */
const TOP = 50;

/** Facts of a log that its aggregates do not have. */
export interface AboutLog extends Pick<Traffic, "cloud" | "duplicateRecords"> {
  readonly logs: LogCounts;
  /** Whether records have ports, without which there are no flows. */
  readonly hasPorts: boolean;
  readonly ranges: Ranges;
  readonly regionOfZone: (zone: string) => string | null;
}

/** The traffic of each place in a log. @throws {FormatError} where it has no usable record, or not the NAT that a person named */
export async function trafficsOfLog(
  rows: AsyncIterable<Aggregate> | Iterable<Aggregate>,
  { cloud, logs, duplicateRecords, hasPorts, ranges, regionOfZone }: AboutLog,
): Promise<Traffic[]> {
  const parts = new Map<string, Aggregate[]>();
  const contacted: Contacted[] = [];
  for await (const row of rows) {
    // A log may have millions of addresses.
    if (row.part === "destination" && row.i === 1) {
      contacted.push(contactedBy(row, ranges));
    } else {
      const own = parts.get(row.part) ?? [];
      parts.set(row.part, own);
      own.push(row);
    }
  }
  const part = (name: string) => parts.get(name) ?? [];
  assertNamed(part("asked"), part("nat"));
  const places = part("place").map(({ place: number, a, b, c, d }) => ({
    ...{ number, account: a || null, network: c || null },
    region: b || (d ? regionOfZone(d) : null),
  }));
  const homes = homesOf(places);
  const homeOf = (place: Place) => homes.get(placeKey(place)) ?? place;
  const used = new Set(contacted.map(({ place }) => place));
  const busy = places.filter(({ number }) => used.has(number));
  const byHome = groupBy(busy.length > 0 ? busy : places.slice(0, 1), (place) => placeKey(homeOf(place)));
  const nowhere = { ...emptyRow, number: 0 };
  const free: readonly (string | null)[] = endpoints[cloud].free.services;
  const isFree = ({ service }: Contacted) => free.includes(service);
  const covered = part("covered");
  const [first, last] = [covered[0]?.v1 ?? 0, covered.at(-1)?.v2 ?? 0];
  const facts = new Map<string, Facts>();
  const series = [...(byHome.size > 0 ? byHome : new Map([["", [nowhere]]]))].map(([key, own], at) => {
    const numbers = new Set(own.map(({ number }) => number));
    const of = (name: string) => part(name).filter(({ place }) => numbers.has(place));
    const destinations = contacted.filter(({ place }) => numbers.has(place));
    const total = totalOf(destinations);
    const isThere = unlessReplaced(of("minute"), of("nat zone"));
    const nats = of("nat")
      .filter(isThere)
      .map(({ a, b }) => ({ name: String(a), reason: String(b) as NatReason }));
    const { account, region, network } = homeOf(own[0] ?? nowhere);
    const row = (statistic: Statistic, quantity: number, from: number, to: number): UsageRow => ({
      ...{ ...emptyRow, account, region, network, statistic, quantity },
      ...{ from: 1000 * from, to: 1000 * to },
    });
    const minutes = of("minute").map(({ a: free, b: gateway, i, ...minute }) => ({
      free,
      rows: minuteStatistics.map(([statistic, value]) => ({
        ...row(statistic, minute[value], 60 * i, 60 * i + 60),
        gateway,
      })),
    }));
    const crossing = (free?: string) =>
      crossingOf(of("crossing"), free === undefined ? [] : of("crossing free").filter(({ c }) => c === free));
    facts.set(key, {
      ...{ counters: null, duplicateRecords, nats },
      intervalSeconds: usualLength(part("length")),
      zones: zonesOf(of("nat zone").filter(isThere), crossing()),
      other: at === 0 ? otherTraffic(part) : nothingElse,
      ...volumesOf(destinations),
      flows: hasPorts ? flowsFrom(of, null, cloud) : null,
      rest: [...new Set(minutes.flatMap(({ free }) => free ?? []))].sort().map((free) => ({
        ...{ region: free, ...crossing(free) },
        ...ratesOf(
          minutes.flatMap((one) => (one.free === free ? [] : one.rows)),
          "flow logs",
        ),
        total: totalOf(destinations.filter((one) => !(one.region === free && isFree(one)))),
        flows: hasPorts ? flowsFrom(of, free, cloud) : null,
      })),
    });
    return [
      ...covered.map(({ v1, v2 }) => row("covered", 0, v1, v2)),
      row("packetsOut", total.outPackets, first, last),
      row("packetsIn", total.inPackets, first, last),
      ...minutes.flatMap(({ rows }) => rows),
    ];
  });
  const gapMs = covered.some(({ v3 }) => v3 === 1) ? HOUR_MS : GAP_MS;
  return trafficsOf([{ cloud, source: "flow logs", series, skipped: [], gapMs }], logs, (key) => {
    const found = facts.get(key);
    if (found === undefined) throw new RangeError(`there is no place ${key}`);
    return found;
  });
}

const minuteStatistics = [
  ["out", "v1"],
  ["in", "v2"],
  ["outLeast", "v3"],
  ["inLeast", "v4"],
  ["outMost", "v5"],
  ["inMost", "v6"],
] as const satisfies (readonly [Statistic, keyof Aggregate])[];

/** @throws {FormatError} for a name that no interface has */
function assertNamed(asked: readonly Aggregate[], nats: readonly Aggregate[]): void {
  const unknown = asked.find(({ a }) => !nats.some((nat) => nat.a === a));
  if (unknown !== undefined) {
    throw new FormatError(
      `--nat: the log has no interface "${unknown.a}"; give its id as the log has it, or none`,
    );
  }
}

/** Traffic with an address that the private side contacted. */
interface Contacted extends Destination {
  readonly place: number;
  readonly outPackets: number;
  readonly inPackets: number;
}

function contactedBy({ place, a, b, v1, v2, v3, v4 }: Aggregate, { find }: Ranges): Contacted {
  const address = String(a);
  const found = find(address);
  return {
    ...{
      place,
      address,
      prefix: prefixOf(address),
      outBytes: v1,
      inBytes: v2,
      outPackets: v3,
      inPackets: v4,
    },
    // A service that the log names is more reliable than published ranges.
    ...{ service: b ?? found?.service ?? null, region: found?.region ?? null },
  };
}

function totalOf(destinations: readonly Contacted[]): Traffic["total"] {
  const sum = (key: keyof Traffic["total"]) => destinations.reduce((all, one) => all + one[key], 0);
  return {
    ...{ outBytes: sum("outBytes"), inBytes: sum("inBytes") },
    ...{ outPackets: sum("outPackets"), inPackets: sum("inPackets") },
  };
}

/** The largest destinations and blocks, and all services. */
function volumesOf(
  all: readonly Contacted[],
): Pick<Traffic, "destinations" | "destinationCount" | "prefixes" | "services"> {
  const by = <T extends object>(key: (one: Contacted) => string, named: (one: Contacted) => T) =>
    [...groupBy(all, key)]
      .map(([name, own]) => ({
        ...{ name, named: named(own[0] as Contacted), addresses: own.length },
        outBytes: own.reduce((sum, one) => sum + one.outBytes, 0),
        inBytes: own.reduce((sum, one) => sum + one.inBytes, 0),
      }))
      .toSorted(larger)
      .map(({ name: _, named: names, ...volume }) => ({ ...names, ...volume }));
  const byAddress = by(
    ({ address }) => address,
    ({ address, prefix, service, region }) => ({ address, prefix, service, region }),
  );
  return {
    destinations: byAddress.slice(0, TOP).map(({ addresses: _, ...one }) => one),
    destinationCount: byAddress.length,
    prefixes: by(
      ({ prefix }) => prefix,
      ({ prefix }) => ({ prefix }),
    ).slice(0, TOP),
    services: by(
      ({ service, region }) => `${service} ${region}`,
      ({ service, region }) => ({ service, region }),
    ),
  };
}

/** Orders by bytes, then by name. */
function larger(a: Volume & { readonly name: string }, b: Volume & { readonly name: string }): number {
  return b.outBytes + b.inBytes - (a.outBytes + a.inBytes) || (a.name < b.name ? -1 : 1);
}

/** The longest time that one record covers, except for one record in a hundred; seconds. */
function usualLength(lengths: readonly Aggregate[]): number {
  const total = lengths.reduce((sum, { v1 }) => sum + v1, 0);
  let upTo = 0;
  return (
    lengths
      .toSorted((a, b) => a.i - b.i)
      .find(({ v1 }) => {
        upTo += v1;
        return upTo >= 0.99 * total;
      })?.i ?? 0
  );
}

/** Traffic that no NAT carried. @throws {FormatError} when no record has two addresses */
function otherTraffic(part: (name: string) => readonly Aggregate[]): OtherTraffic {
  const rows = part("class");
  const of = (name: PairClass) => rows.filter(({ i }) => i === classCode(name));
  const sum = (some: readonly Aggregate[], key: "v1" | "v2") => some.reduce((all, row) => all + row[key], 0);
  const accepted = (name: PairClass) =>
    sum(
      of(name).filter(({ j }) => j === 1),
      "v2",
    );
  const invalidAddressRecords = sum(of("invalid"), "v1");
  if (invalidAddressRecords > 0 && invalidAddressRecords === sum(rows, "v1")) {
    throw new FormatError(`no record could be used: all ${invalidAddressRecords} have no valid address`);
  }
  // By client if the log has the NATs' inside legs with at least half the bytes of the outside.
  const byClient = sum(part("inside"), "v1") >= 0.5 * sum(part("carried"), "v1");
  return {
    insideBytes: accepted("inside"),
    ipv6Bytes: accepted("ipv6"),
    localBytes: accepted("local"),
    publicBytes: accepted("public"),
    inboundBytes: sum(part("destination"), "v1") + sum(part("destination"), "v2"),
    rejectedRecords: sum(
      rows.filter(({ j }) => j === 0),
      "v1",
    ),
    invalidAddressRecords,
    bypassed: part("past").map(({ i, v1 }) => ({ path: i, bytes: v1 })),
    unseenBytes:
      part("nat").length === 0 ? 0 : sum(part(byClient ? "unseen by client" : "unseen by server"), "v1"),
  };
}

/** Whether a NAT, `a`, is there still: none of its zone began when it ended, in the same minute at the earliest. */
function unlessReplaced(minutes: readonly Aggregate[], natZones: readonly Aggregate[]) {
  const lives = [...groupBy(minutes, ({ b }) => b)].map(([name, own]) => ({
    ...{ name, zone: natZones.find(({ a }) => a === name)?.c },
    from: own.reduce((least, { i }) => Math.min(least, i), Number.POSITIVE_INFINITY),
    to: highest(own.map(({ i }) => i)),
  }));
  return ({ a }: Aggregate) => {
    const one = lives.find(({ name }) => name === a);
    return (
      one === undefined ||
      !lives.some(({ zone, from }) => zone === one.zone && from >= one.to && from > one.from)
    );
  };
}

/** Null: no NAT is known, or the log names neither zones nor subnets. */
function zonesOf(rows: readonly Aggregate[], crossing: ReturnType<typeof crossingOf>): NatZones | null {
  const places = [...groupBy(rows, ({ a }) => a).values()].flatMap((own) => {
    const named = own.filter(({ c }) => c !== null);
    return named.length > 0 ? named : own.slice(0, 1);
  });
  return places.every(({ c }) => c === null)
    ? null
    : {
        gateways: places.length,
        zones: [...new Set(places.flatMap(({ c }) => c ?? []))].sort(),
        named: places.every(({ d }) => d !== null),
        ...crossing,
      };
}

/** Shares of bytes between zones, `a` the client's and `b` the NAT's. @param less Bytes that do not count */
function crossingOf(between: readonly Aggregate[], less: readonly Aggregate[]) {
  const sum = (wanted: (one: Aggregate) => boolean) => {
    const of = (some: readonly Aggregate[]) => some.reduce((all, one) => all + (wanted(one) ? one.v1 : 0), 0);
    return of(between) - of(less);
  };
  const all = sum(() => true);
  const ofZones = [...new Set(between.map(({ a }) => a))].map((zone) => sum(({ a }) => a === zone));
  return all === 0
    ? { crossingShare: null, crossingShareOfOne: null }
    : { crossingShare: sum(({ a, b }) => a !== b) / all, crossingShareOfOne: 1 - Math.max(...ofZones) / all };
}

/** @param free The region whose free endpoints' flows are left out; where it is not the place's, all are counted. Null: none are */
function flowsFrom(
  parts: (name: string) => readonly Aggregate[],
  free: string | null,
  cloud: PricedCloud,
): Flows {
  const leftOut = parts("spans").some(({ b }) => b === free) ? free : null;
  const of = (name: string) => parts(name).filter(({ b }) => b === leftOut);
  const [spans, silence] = [of("spans")[0], of("silence")[0]];
  const count = (name: string, group: string) => of(name).find(({ a }) => a === group);
  const bounds = (group: string) => ({
    low: count("least at once", group)?.v1 ?? 0,
    high: count("most at once", group)?.v1 ?? 0,
  });
  const opened = (group: string) => (count("opened", group)?.v1 ?? 0) / 60;
  const busiest = count("most at once", "destination");
  return {
    ...{ opened: spans?.v1 ?? 0, clients: spans?.v2 ?? 0, concurrent: bounds("all") },
    openedPerSecond: opened("all"),
    busiest:
      busiest === undefined
        ? null
        : {
            ...{ address: String(busiest.c), port: busiest.i, protocol: busiest.j },
            concurrent: bounds("destination"),
            openedPerSecond: opened("destination"),
          },
    perClient: bounds("clientAndDestination"),
    silences: {
      longestSeconds: silence?.v1 ?? null,
      over: [60, idleTimeoutSeconds[cloud], 3600].map((seconds, at) => ({
        seconds,
        flows: [silence?.v2, silence?.v3, silence?.v4][at] ?? 0,
      })),
      longest: of("longest silence")
        .toSorted((one, other) => one.v2 - other.v2)
        .map(({ a, c, i, j, v1 }) => ({
          ...{ client: String(a), address: String(c), port: i, protocol: j, seconds: v1 },
        })),
    },
  };
}
