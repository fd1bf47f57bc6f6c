/** Payment terms of a NAT instance's machine, other than on-demand hours. */
import { machineMeter } from "../../bench/machines/index.ts";
import type { PriceBook, Term } from "./prices.ts";

export const termWords: Readonly<Record<Term, string>> = {
  "reserved-1y": "reserved for 1 year",
  "reserved-3y": "reserved for 3 years",
  "savings-1y": "1-year savings plan",
  "savings-3y": "3-year savings plan",
  spot: "spot",
};

/** The assumption behind a term's price, in one sentence. */
export function assumptionOf(term: Term): string {
  return term === "spot"
    ? "Spot is priced as the list has it: the price moves, and the cloud can take the machine away (AWS two minutes after it says so, Azure 30 seconds)."
    : `A machine that is ${term.startsWith("reserved") ? termWords[term] : `under a ${termWords[term]}`} is paid for all hours of its term, running or not.`;
}

const VM_HOUR = machineMeter("");

/** The list with machines at this term's prices only. Null: it has none. */
export function withTerm(book: PriceBook, term: Term): PriceBook | null {
  const others = book.prices.filter(({ meter }) => !meter.startsWith(VM_HOUR));
  const own = book.prices
    .filter((one) => one.term === term && one.meter.startsWith(VM_HOUR))
    .map(({ term: _, ...price }) => price);
  return own.length === 0 ? null : { ...book, term, prices: [...own, ...others] };
}
