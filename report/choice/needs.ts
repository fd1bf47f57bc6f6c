/** Needs of a way out: shared by the command line, the page's inputs and the page's address. */
import { type Candidate, candidates, type WayOut } from "../../bench/topologies/limits.ts";
import { HOURS_PER_MONTH } from "../cost/bill.ts";
import { count } from "../text/format.ts";
import type { Demand } from "./demand.ts";

/** GB are 10^9 bytes. Null: not given, so that it does not affect the choice. */
export interface Needs {
  /** Received from the internet per month. */
  readonly gbIn: number;
  /** Sent to the internet per month. */
  readonly gbOut: number;
  /** The busiest minute, both directions together. Null: the month's mean, its lower bound. */
  readonly peakBitsPerSecond: number | null;
  readonly newConnectionsPerSecond: number | null;
  /** Concurrent connections to the busiest destination (address, port and protocol), of all machines together. */
  readonly connections: number | null;
  /** Number of machines that open them. */
  readonly machines: number;
  /** Zones with a NAT each, so that traffic stays in its zone and zones fail independently. */
  readonly zones: number;
  /** The longest silence that a connection without keep-alives must survive. */
  readonly idleSeconds: number | null;
  /** Whether others must know the public address in advance. */
  readonly fixedAddress: boolean;
  /** Whether no single machine may stop all traffic. */
  readonly noSinglePoint: boolean;
  /** Region of the prices. Null: each way out's measured region. */
  readonly region: string | null;
  /** What carries the traffic now: it stays the pick unless another way out saves at least 1 a month. Null: not given. */
  readonly now: WayOut | null;
  /** Facts that only flow logs have. @default none */
  readonly seen?: Seen;
}

/** Facts of traffic that only flow logs have. */
export interface Seen
  extends Partial<
    Pick<Demand, "flows" | "flowsOfOneClient" | "clients" | "busyBitsPerSecond" | "peakOneWayBitsPerSecond">
  > {
  /** Mean bytes of a packet. @default not known */
  readonly bytesAPacket?: number;
  /** Share of sent data charged as internet egress, 0 to 1. @default 1 */
  readonly internetShare?: number;
  /** Share of the traffic whose client is in another zone than its NAT, 0 to 1. @default 0 */
  readonly crossingShare?: number;
  /** The busiest zone's share of the rates, where each zone has a NAT of its own, 0 to 1. @default all */
  readonly zoneShare?: number;
  /** Share of the traffic that would cross zones if one NAT served all of them. @default even traffic's */
  readonly crossingShareOfOne?: number;
}

/** The default needs. */
export const defaultNeeds: Needs = {
  gbIn: 1000,
  gbOut: 200,
  peakBitsPerSecond: null,
  newConnectionsPerSecond: null,
  connections: null,
  machines: 1,
  zones: 1,
  idleSeconds: null,
  fixedAddress: true,
  noSinglePoint: false,
  region: null,
  now: null,
};

/** What may carry the traffic now. */
export const presentWays: readonly Candidate[] = [...new Set(Object.values(candidates).flat())];

type NumberKey = {
  [Key in keyof Needs]-?: Needs[Key] extends number | null ? Key : never;
}[keyof Needs];

export interface NumberField {
  /** Name of the option, the input and the address's parameter: `--gb-in`, `#gb-in=`. */
  readonly name: string;
  readonly key: NumberKey;
  readonly label: string;
  readonly unit: string;
  /** Factor from the input's unit to the need's. */
  readonly scale: number;
  readonly least: number;
  readonly most: number;
  /** Whether only whole numbers make sense. @default false */
  readonly whole?: true;
}

const amount = { scale: 1, least: 0, most: 1e9 } as const;
const number = { unit: "", scale: 1, least: 1, whole: true } as const;

/** All numeric needs: names, units and bounds of options, inputs and the address. */
export const numberFields: readonly NumberField[] = [
  { ...amount, name: "gb-in", key: "gbIn", label: "Received", unit: "GB a month" },
  { ...amount, name: "gb-out", key: "gbOut", label: "Sent", unit: "GB a month" },
  {
    ...{ name: "peak-gbit", key: "peakBitsPerSecond", label: "Peak, both ways", unit: "Gbit/s" },
    ...{ scale: 1e9, least: 0, most: 1e5 },
  },
  {
    ...{ ...amount, name: "new-connections", key: "newConnectionsPerSecond" },
    ...{ label: "New connections", unit: "a second" },
  },
  {
    ...amount,
    name: "connections",
    key: "connections",
    label: "Connections to one destination",
    unit: "at once",
  },
  { ...number, name: "machines", key: "machines", label: "Machines that connect", most: 1e6 },
  { ...number, name: "zones", key: "zones", label: "Zones with a NAT each", most: 6 },
  { ...amount, name: "idle-seconds", key: "idleSeconds", label: "Longest silence", unit: "s", most: 1e7 },
];

/** A yes-or-no need. */
export const switchFields = [
  { name: "fixed-address", key: "fixedAddress", label: "Needs a fixed address" },
  { name: "no-single-point", key: "noSinglePoint", label: "Needs no single point of failure" },
] as const;

/** Digits in groups of three, as on the page: `5,000`, `5 000`, `5_000`. */
const GROUPED = /^\d{1,3}([,_ \u00a0\u202f])\d{3}(\1\d{3})*(\.\d+)?$/;

/** The need in a text: null for an empty one, where allowed; undefined for an invalid number. */
export function parseNumber(field: NumberField, text: string): number | null | undefined {
  const { least, most, scale, key, whole = false } = field;
  if (text.trim() === "") {
    return defaultNeeds[key] === null ? null : undefined;
  }
  const given = text.trim();
  const digits = GROUPED.test(given) ? given.replace(/[^\d.]/g, "") : given;
  const value = /^(\d+\.?\d*|\.\d+)$/.test(digits) ? Number(digits) : Number.NaN;
  return value >= least && value <= most && !(whole && value % 1 !== 0) ? value * scale : undefined;
}

/** The numbers that a field accepts, for messages. */
export function expectedOf({ unit, least, most, whole }: NumberField): string {
  const measure = unit === "" ? "" : ` (${unit === "s" ? "seconds" : unit})`;
  return `expected a ${whole ? "whole " : ""}number from ${count(least)} to ${count(most)}${measure}`;
}

/** Text of an input. */
export function showNumber({ key, scale }: NumberField, needs: Needs): string {
  const value = needs[key];
  return value === null ? "" : String(value / scale);
}

/** Fragment of the page's address: all needs that differ from the page's initial ones. */
export function fragmentOf(needs: Needs, made: Needs): string {
  const parameters = new URLSearchParams();
  for (const field of numberFields.filter(({ key }) => needs[key] !== made[key])) {
    parameters.set(field.name, showNumber(field, needs));
  }
  for (const { name, key } of switchFields.filter(({ key }) => needs[key] !== made[key])) {
    parameters.set(name, needs[key] ? "yes" : "no");
  }
  for (const key of ["region", "now"] as const) {
    if (needs[key] !== made[key]) {
      parameters.set(key, needs[key] ?? "");
    }
  }
  return parameters.toString();
}

/** Parts of the page's address without effect, as a name or value is mistyped: `gb_in=5`. @param regions The page's own */
export function unknownInFragment(fragment: string, regions: readonly string[]): string[] {
  const values = new Map<string, readonly string[]>([
    ...switchFields.map(({ name }) => [name, ["yes", "no"]] as const),
    ...([
      ["region", ["", ...regions]],
      ["now", ["", ...presentWays]],
    ] as const),
  ]);
  const isValid = (name: string, text: string) => {
    const field = numberFields.find((one) => one.name === name);
    return field === undefined
      ? values.get(name)?.includes(text) === true
      : parseNumber(field, text) !== undefined;
  };
  return [...parametersOf(fragment)].flatMap(([name, text]) =>
    isValid(name, text) ? [] : [`${name}=${text}`],
  );
}

const parametersOf = (fragment: string) => new URLSearchParams(fragment.replace(/^#/, ""));

/** Needs in the page's address. Invalid ones keep the page's initial value. */
export function needsOfFragment(fragment: string, made: Needs): Needs {
  const parameters = parametersOf(fragment);
  const numbers = numberFields.flatMap((field) => {
    const text = parameters.get(field.name);
    const value = text === null ? undefined : parseNumber(field, text);
    return value === undefined ? [] : [[field.key, value]];
  });
  const switches = switchFields.flatMap(({ name, key }) => {
    const text = parameters.get(name);
    return text === "yes" || text === "no" ? [[key, text === "yes"]] : [];
  });
  const [region, now] = [parameters.get("region"), parameters.get("now")];
  return {
    ...made,
    ...Object.fromEntries([...numbers, ...switches]),
    ...(region === null ? {} : { region: region || null }),
    ...(now === null ? {} : { now: presentWays.find((name) => name === now) ?? null }),
  };
}

/** Bits per second of a month's traffic spread evenly, both directions together. */
function meanBitsPerSecond({ gbIn, gbOut }: Pick<Needs, "gbIn" | "gbOut">): number {
  return ((gbIn + gbOut) * 8e9) / (HOURS_PER_MONTH * 3600);
}

/** The load that a way out must carry. A peak of unknown direction may be entirely in one. */
export function demandOf(needs: Needs): Demand {
  const { connections, machines, peakBitsPerSecond, idleSeconds, gbIn, gbOut, seen = {} } = needs;
  const {
    internetShare: _internet,
    crossingShare: _crossing,
    crossingShareOfOne: _one,
    zoneShare: _zone,
    bytesAPacket,
    ...known
  } = seen;
  const mean = meanBitsPerSecond(needs);
  const peak = Math.max(mean, peakBitsPerSecond ?? 0);
  const oneWay = meanBitsPerSecond({ gbIn: Math.max(gbIn, gbOut), gbOut: 0 });
  return {
    flowsToOneDestination: connections,
    flows: null,
    flowsOfOneClient: connections === null ? null : Math.ceil(connections / machines),
    clients: machines,
    peakOneWayBitsPerSecond: Math.max(oneWay, peakBitsPerSecond ?? 0),
    ...known,
    peakBitsPerSecond: peak,
    busyBitsPerSecond: Math.max(mean, known.busyBitsPerSecond ?? 0),
    idleSeconds,
    newConnectionsPerSecond: needs.newConnectionsPerSecond,
    packetsPerSecond: bytesAPacket === undefined ? null : peak / 8 / bytesAPacket,
    zones: needs.zones,
  };
}

export function billedTraffic({ gbIn, gbOut, seen }: Pick<Needs, "gbIn" | "gbOut" | "seen">) {
  return { gbIn, gbOut, gbOutInternet: gbOut * (seen?.internetShare ?? 1) };
}
