/** Masks addresses, interfaces and file names in advice; all figures stay. */
import type { Traffic } from "./traffic.ts";

/** Kinds of names, by their key. */
const kinds: Readonly<Record<string, string>> = {
  ...{ address: "address", client: "client", prefix: "block", zones: "subnet" },
  ...{ name: "interface", gateways: "interface", idle: "interface", file: "file", cut: "file" },
};

/** Traffic without names. Unusable lines are left out, since they may contain anything. */
export function maskTraffic(traffic: Traffic): Traffic {
  const numbers = new Map<string, Map<string, number>>();
  // In the order of first use, so that a name always gets the same number.
  const hidden = (kind: string, name: string) => {
    const own = numbers.get(kind) ?? new Map<string, number>();
    numbers.set(kind, own.set(name, own.get(name) ?? own.size + 1));
    return `${kind}-${own.get(name)}`;
  };
  const masked = (key: string, value: unknown): unknown => {
    const kind = kinds[key];
    return typeof value === "string"
      ? kind === undefined
        ? value
        : hidden(kind, value)
      : Array.isArray(value)
        ? key === "examples"
          ? []
          : value.map((one) => masked(key, one))
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(name, one)]))
          : value;
  };
  const { zones } = traffic;
  const all = masked("", { ...traffic, account: null, network: null }) as Traffic;
  // Zones are public names; subnets identify the owner.
  return zones?.named === true ? { ...all, zones } : all;
}
