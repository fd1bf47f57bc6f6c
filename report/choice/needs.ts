/**
 * A reader's needs of a way out: the same from the command line, the page's inputs and the page's address.
 */
import { HOURS_PER_MONTH } from "../cost/bill.ts";
import { count } from "../text/format.ts";
import type { Demand } from "./sizing.ts";

/** GB are 10^9 bytes. Null: not given, so that it decides nothing. */
export interface Needs {
  /** Received from the internet in a month. */
  readonly gbIn: number;
  /** Sent to the internet in a month. */
  readonly gbOut: number;
  /** The busiest minute, both directions together. Null: the month's mean, which it cannot be below. */
  readonly peakBitsPerSecond: number | null;
  readonly newConnectionsPerSecond: number | null;
  /** At once to the busiest destination (address, port and protocol), of all machines together. */
  readonly connections: number | null;
  /** Machines that open them. */
  readonly machines: number;
  /** Zones that have a NAT of their own, so that no traffic crosses between zones and no zone stops another. */
  readonly zones: number;
  /** The longest silence of a connection that must live on, without keep-alives. */
  readonly idleSeconds: number | null;
  /** Whether others must know the public address beforehand. */
  readonly fixedAddress: boolean;
  /** Whether no single machine may stop all traffic. */
  readonly noSinglePoint: boolean;
  /** Region of the prices. Null: where each way out was measured. */
  readonly region: string | null;
  /** Facts that only flow logs tell. @default none */
  readonly seen?: Seen;
}

/** Facts of traffic that only flow logs tell. */
export interface Seen
  extends Partial<
    Pick<Demand, "flows" | "flowsOfOneClient" | "clients" | "busyBitsPerSecond" | "peakOneWayBitsPerSecond">
  > {
  /** Part of what is sent that the cloud charges as internet egress, 0 to 1. @default 1 */
  readonly internetShare?: number;
  /** Part of the traffic whose client is in another zone than its NAT, 0 to 1. @default 0 */
  readonly crossingShare?: number;
  /** The same if one NAT served all zones. @default that of even traffic */
  readonly crossingShareOfOne?: number;
  /** Networks that have NATs, which no other one's can serve. @default 1 */
  readonly networks?: number;
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
};

type NumberKey = {
  [Key in keyof Needs]-?: Needs[Key] extends number | null ? Key : never;
}[keyof Needs];

/** A number that a reader may give. */
export interface NumberField {
  /** Name of the option, the input and the part of the page's address: `--gb-in`, `#gb-in=`. */
  readonly name: string;
  readonly key: NumberKey;
  readonly label: string;
  readonly unit: string;
  /** One unit of the input in the need's unit. */
  readonly scale: number;
  readonly least: number;
  readonly most: number;
  /** Whether only whole numbers make sense. @default false */
  readonly whole?: true;
}

/** The needs that are numbers: names, units and bounds of options, inputs and the address. */
export const numberFields: readonly NumberField[] = [
  { name: "gb-in", key: "gbIn", label: "Received", unit: "GB a month", scale: 1, least: 0, most: 1e9 },
  { name: "gb-out", key: "gbOut", label: "Sent", unit: "GB a month", scale: 1, least: 0, most: 1e9 },
  {
    name: "peak-gbit",
    key: "peakBitsPerSecond",
    label: "Peak, both ways",
    unit: "Gbit/s",
    scale: 1e9,
    least: 0,
    most: 1e5,
  },
  {
    name: "new-connections",
    key: "newConnectionsPerSecond",
    label: "New connections",
    unit: "a second",
    scale: 1,
    least: 0,
    most: 1e9,
  },
  {
    name: "connections",
    key: "connections",
    label: "Connections to one destination",
    unit: "at once",
    scale: 1,
    least: 0,
    most: 1e9,
  },
  {
    name: "machines",
    key: "machines",
    label: "Machines that connect",
    unit: "",
    scale: 1,
    least: 1,
    most: 1e6,
    whole: true,
  },
  {
    name: "zones",
    key: "zones",
    label: "Zones with a NAT each",
    unit: "",
    scale: 1,
    least: 1,
    most: 6,
    whole: true,
  },
  {
    name: "idle-seconds",
    key: "idleSeconds",
    label: "Longest silence",
    unit: "s",
    scale: 1,
    least: 0,
    most: 1e7,
  },
];

/** A yes or no that a reader may give. */
export const switchFields = [
  { name: "fixed-address", key: "fixedAddress", label: "Needs a fixed address" },
  { name: "no-single-point", key: "noSinglePoint", label: "Needs no single point of failure" },
] as const;

/** Digits in groups of three, as the page itself writes a number: `5,000`, `5 000`, `5_000`. */
const GROUPED = /^\d{1,3}([,_ \u00a0\u202f])\d{3}(\1\d{3})*(\.\d+)?$/;

/** The need that a text gives: null for an empty one, where that is allowed; undefined: it is no such number. */
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

/** The numbers that a field takes, for messages. */
export function expectedOf({ unit, least, most, whole }: NumberField): string {
  const measure = unit === "" ? "" : ` (${unit === "s" ? "seconds" : unit})`;
  return `expected a ${whole ? "whole " : ""}number from ${count(least)} to ${count(most)}${measure}`;
}

/** Text of an input. */
export function showNumber({ key, scale }: NumberField, needs: Needs): string {
  const value = needs[key];
  return value === null ? "" : String(value / scale);
}

/** The fragment of the page's address: all that differs from what the page was made with. */
export function fragmentOf(needs: Needs, made: Needs): string {
  const parameters = new URLSearchParams();
  for (const field of numberFields.filter(({ key }) => needs[key] !== made[key])) {
    parameters.set(field.name, showNumber(field, needs));
  }
  for (const { name, key } of switchFields.filter(({ key }) => needs[key] !== made[key])) {
    parameters.set(name, needs[key] ? "yes" : "no");
  }
  if (needs.region !== made.region) {
    parameters.set("region", needs.region ?? "");
  }
  return parameters.toString();
}

/** Needs of the page's address. What is not understood there is as the page was made. */
export function needsOf(fragment: string, made: Needs): Needs {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const numbers = numberFields.flatMap((field) => {
    const text = parameters.get(field.name);
    const value = text === null ? undefined : parseNumber(field, text);
    return value === undefined ? [] : [[field.key, value]];
  });
  const switches = switchFields.flatMap(({ name, key }) => {
    const text = parameters.get(name);
    return text === "yes" || text === "no" ? [[key, text === "yes"]] : [];
  });
  const region = parameters.get("region");
  return {
    ...made,
    ...Object.fromEntries([...numbers, ...switches]),
    ...(region === null ? {} : { region: region || null }),
  };
}

/** Bits per second of a month's traffic, spread evenly, both directions together. */
function meanBitsPerSecond({ gbIn, gbOut }: Pick<Needs, "gbIn" | "gbOut">): number {
  return ((gbIn + gbOut) * 8e9) / (HOURS_PER_MONTH * 3600);
}

/** Each way out asks for the demand of the same needs. */
const demands = new WeakMap<Needs, Demand>();

/** The rate that a way out must carry for it. A peak whose directions are not known may be all in one. */
export function demandOf(needs: Needs): Demand {
  const demand = demands.get(needs) ?? workOut(needs);
  demands.set(needs, demand);
  return demand;
}

function workOut(needs: Needs): Demand {
  const { connections, machines, peakBitsPerSecond, idleSeconds, gbIn, gbOut, seen = {} } = needs;
  const {
    internetShare: _internet,
    crossingShare: _crossing,
    crossingShareOfOne: _one,
    networks: _networks,
    ...known
  } = seen;
  const mean = meanBitsPerSecond(needs);
  const peak = Math.max(mean, peakBitsPerSecond ?? 0);
  const oneWay = meanBitsPerSecond({ gbIn: Math.max(gbIn, gbOut), gbOut: 0 });
  return {
    flowsToOneDestination: connections,
    flows: connections,
    flowsOfOneClient: connections === null ? null : Math.ceil(connections / machines),
    clients: machines,
    peakOneWayBitsPerSecond: Math.max(oneWay, peakBitsPerSecond ?? 0),
    ...known,
    peakBitsPerSecond: peak,
    busyBitsPerSecond: Math.max(mean, known.busyBitsPerSecond ?? 0),
    idleSeconds,
    zones: needs.zones,
  };
}

/** The billed usage of some traffic. */
export function billedTraffic({ gbIn, gbOut, seen }: Pick<Needs, "gbIn" | "gbOut" | "seen">) {
  return { gbIn, gbOut, gbOutInternet: gbOut * (seen?.internetShare ?? 1) };
}
