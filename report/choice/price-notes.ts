/** Notes on the prices in a report's bills. */
import { said } from "../../bench/said.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import { type Charge, HOURS_PER_MONTH, sumOf } from "../cost/bill.ts";
import { topologyCost } from "../cost/cost.ts";
import { fillsGaps, findPrice, type PriceBook, type PricedCloud, SHIPPED_CURRENCY } from "../cost/prices.ts";
import type { Pricing } from "../cost/pricing.ts";
import { assumptionOf } from "../cost/terms.ts";
import type { Input } from "../inputs.ts";
import { count, money } from "../text/format.ts";
import type { Answer } from "./answer.ts";
import type { Needs } from "./needs.ts";

const origins = {
  snapshot: "the shipped snapshot",
  live: "the cloud's price service",
  cache: "the cloud's price service, cached",
  file: "your own list",
} as const;

interface NotesOptions {
  readonly madeAt: string;
  readonly needs: Pick<Needs, "gbOut">;
}

/** One sentence each. */
export function priceNotesOf(
  answers: readonly Answer[],
  books: Readonly<Record<PricedCloud, PriceBook>>,
  inputs: readonly Input[],
  { madeAt, needs }: NotesOptions,
): string[] {
  const used = answers.map(({ cloud, assessed }) => {
    const measured = assessed.filter(({ way }) => way.column !== null);
    const sizes = measured.flatMap(({ way }) => way.machine?.size ?? []);
    const machines = sizes.length === 0 ? "" : ` NAT machine: ${[...new Set(sizes)].join(", ")}.`;
    const regions = [...new Set(measured.map(({ region }) => region))].join(" and ");
    return `Prices of ${[cloudRecords[cloud].title, regions].filter((word) => word !== "").join(", ")}${age(books[cloud].asOf, madeAt)}: ${listText(books[cloud])}${machines}`;
  });
  return said(
    ...used,
    inputs.some(({ results }) => cloudRecords[results.cloud].isLab) &&
      "The local lab costs nothing, is not a real network, and does not count in the answer.",
    ...hostsNotes(inputs, needs),
    ...unverified(answers.flatMap(({ assessed }) => assessed.flatMap(({ bill }) => bill.charges))),
    "Client and server are yours and not in the bill.",
  );
}

/** Where a price list is from, and what its prices are. */
export function listText(book: PriceBook): string {
  const { origin, asOf, note, discounts = [], term } = book;
  const gaps = origin === "file" ? gapsOf(book) : "";
  const less = discounts.map(
    ({ percent, meter, for: what }) => `, less ${percent} % of ${meter ?? "all"} (${what})`,
  );
  const assumed = term === undefined ? "" : ` ${assumptionOf(term)}`;
  return `${origins[origin]} of ${asOf}${gaps}${less.join("")}. ${note.replace(/\.$/, "")}.${assumed}`;
}

/** How the gaps of a user's own list are filled. */
function gapsOf(book: PriceBook): string {
  return !fillsGaps(book)
    ? `, the only one in ${book.currency}: what it lacks has no price`
    : `, with its gaps filled from the shipped snapshot${book.perUsd === undefined ? "" : ` times ${book.perUsd}`}`;
}

/** Notes on existing hosts, which are not a cloud's way out: their owner's price is shown and does not affect the choice. */
function hostsNotes(inputs: readonly Input[], { gbOut }: NotesOptions["needs"]): string[] {
  const own = inputs.filter(({ results }) => cloudRecords[results.cloud].isExisting);
  return own.flatMap(({ results: { stack, topologies } }) =>
    topologies.map(({ name, ownPrice }) => {
      const where = `${stack} ${name}, hosts that exist:`;
      if (ownPrice === null) {
        return `${where} no price is known.`;
      }
      const month = money(
        ownPrice.usdPerHour * HOURS_PER_MONTH + ownPrice.usdPerGbSent * gbOut,
        SHIPPED_CURRENCY,
      );
      return `${where} ${month} a month of ${HOURS_PER_MONTH} hours and ${count(gbOut)} GB sent, at its owner's price.`;
    }),
  );
}

/** Names the prices of some charges that have no second source. */
export function unverified(charges: readonly Charge[], start = "Unverified prices"): string[] {
  const meters = charges
    .filter(({ cost, checked }) => cost !== null && checked === null)
    .map(({ meter }) => meter);
  return meters.length === 0
    ? []
    : [`${start}, from memory of the page that is named: ${[...new Set(meters)].join(", ")}.`];
}

/** Age of the prices when a report is made, if more than a day. */
function age(asOf: string, madeAt: string): string {
  const days = Math.floor((Date.parse(madeAt) - Date.parse(asOf)) / 86_400_000);
  return days > 1 ? ` (${days} days old)` : "";
}

/** Number of zones that most regions have at least. */
const ZONES = 3;

/**
 * A sentence for each kind of NAT in clouds that charge both ends for a GB between zones, i.e. AWS. Traffic is assumed to be
 * even over the zones.
 */
export function zoneSentences(
  columns: Pricing["columns"],
  { gbIn, gbOut }: { readonly gbIn: number; readonly gbOut: number },
  books: Readonly<Record<PricedCloud, PriceBook>>,
): string[] {
  const sentences = columns.flatMap(({ column, priced }) => {
    const book = books[priced.cloud];
    const nat = topologyNamed(priced.topology)?.nat ?? null;
    const crossing = findPrice(book, "cross-az-gb", priced.region);
    const bill = topologyCost(priced, { hours: HOURS_PER_MONTH, gbIn: 0, gbOut: 0 }, book);
    const own = sumOf(bill, ["service", "address", "disk"]);
    const atEachEnd = crossing?.tiers[0]?.price;
    return nat === null || own === null || atEachEnd === undefined
      ? []
      : [sentence(column.label, own, 2 * atEachEnd, gbIn + gbOut, book.currency)];
  });
  return [...new Set(sentences)];
}

/** @param own Monthly cost of one, before traffic. @param crossing Price of a GB to a NAT in another zone */
function sentence(label: string, own: number, crossing: number, gb: number, currency: string): string {
  const elsewhere = (ZONES - 1) / ZONES;
  const forAll = own + crossing * elsewhere * gb;
  const breakEvenGb = ((ZONES - 1) * own) / (crossing * elsewhere);
  return `${label}, clients in ${ZONES} zones: one for all of them costs ${money(forAll, currency)} a month before its data and egress, ${money(forAll - own, currency)} of it for crossing zones; one in each zone costs ${money(ZONES * own, currency)} and crosses none, which is cheaper above ${count(Math.round(breakEvenGb))} GB a month.`;
}
