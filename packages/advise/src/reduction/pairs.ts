/** SQL of an address pair's class, as a NAT sees it. */
import { addressKinds } from "../addresses.ts";

const kind = (name: (typeof addressKinds)[number]) => addressKinds.indexOf(name);

/**
 * Kind of a pair of addresses, as a NAT sees it.
 *
 * - `outside`: between the private side and a public address: traffic for a NAT
 * - `inside`: between private addresses
 * - `forwarded`: the inside leg of such traffic at a machine that forwards it
 * - `ipv6`: to public IPv6, which needs no NAT
 * - `local`: multicast, link-local, loopback
 * - `public`: between public addresses; which one is the owner's cannot be seen
 * - `invalid`: one is not an address
 */
const pairClasses = ["outside", "inside", "forwarded", "ipv6", "local", "public", "invalid"] as const;
export type PairClass = (typeof pairClasses)[number];

const either = (name: (typeof addressKinds)[number]) => `(ka = ${kind(name)} or kb = ${kind(name)})`;
const classes: readonly (readonly [string, PairClass])[] = [
  [either("invalid"), "invalid"],
  [either("local"), "local"],
  [`ka = ${kind("private")} and kb = ${kind("private")}`, "inside"],
  [
    `(${either("public")} or ${either("nat64")}) and (dir = 'I' and not swap or dir = 'O' and swap)`,
    "forwarded",
  ],
  [`${either("private")} and (${either("public")} or ${either("nat64")})`, "outside"],
  [`${either("public6")} and ${either("nat64")}`, "outside"],
  [either("public6"), "ipv6"],
];

/** The class of a pair by `ka`, `kb`, `dir` and `swap`. */
export const pairClass = `case ${classes.map(([when, name]) => `when ${when} then ${classCode(name)}`).join(" ")}
  else ${classCode("public")} end`;

/** Whether the destination is the private side, by the kinds of both. */
export function isSwapped(source: string, destination: string): string {
  return `not (${source} = ${kind("private")} or (${source} = ${kind("public6")} and ${destination} = ${kind("nat64")}))`;
}

export function classCode(name: PairClass): number {
  return pairClasses.indexOf(name);
}
