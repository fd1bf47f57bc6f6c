/** Clients in several availability zones: one way out for all, or one in each zone. */
import { topologyNamed } from "../../bench/topologies/index.ts";
import { count, money } from "../text/format.ts";
import { HOURS_PER_MONTH, sumOf } from "./bill.ts";
import { topologyCost } from "./cost.ts";
import { findPrice, type PriceBook, type PricedCloud } from "./prices.ts";
import type { Pricing } from "./pricing.ts";

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
