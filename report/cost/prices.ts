/** Prices: cost per unit of each meter, with source and date. */

import { z } from "zod";
import { groupBy } from "../../bench/group-by.ts";
import { LARGEST } from "../../bench/results/plausible.ts";
import { type PricedCloud, pricedClouds } from "../../bench/topologies/clouds.ts";
import aws from "./aws.json" with { type: "json" };
import awsMachines from "./aws-machines.json" with { type: "json" };
import awsServices from "./aws-services.json" with { type: "json" };
import azure from "./azure.json" with { type: "json" };
import azureDisks from "./azure-disks.json" with { type: "json" };
import azureMachines from "./azure-machines.json" with { type: "json" };
import { priceZone } from "./zones.ts";

export type { PricedCloud };

const tierSchema = z.object({
  from: z.number().nonnegative().max(LARGEST),
  price: z.number().nonnegative().max(LARGEST),
});

/** Terms of a machine's price, besides on-demand hours. */
export const terms = ["reserved-1y", "reserved-3y", "savings-1y", "savings-3y", "spot"] as const;
/** One of {@link terms}. */
export type Term = (typeof terms)[number];

const priceSchema = z.object({
  /** Name that ends in its unit: `-hour`, `-gb` (10^9 bytes) or `-month`; machine sizes follow a colon. */
  meter: z.string(),
  /** Region of the cloud, or a zone of several (`zones.ts`); null: the same in every region. */
  region: z.string().nullable(),
  /** Price per unit from this many monthly units on, ascending, the first from 0. */
  tiers: z.array(tierSchema).min(1),
  /** The term of a machine's hourly price (`vm-hour:SIZE`), with upfront payments spread over the term. @default on demand */
  term: z.enum(terms).optional(),
  /** Where readers can check the figure. */
  source: z.string(),
  /** The second source of the figure; `null`: none, so that it is unverified. */
  checked: z.string().nullable(),
});
/** A list price, with its source and second source. */
export type Price = z.infer<typeof priceSchema>;

/** The currency of the shipped prices and of the clouds' price services. */
export const SHIPPED_CURRENCY = "USD";

/** Schema of a snapshot of a cloud's prices. */
export const priceBookSchema = z.object({
  cloud: z.enum(pricedClouds),
  origin: z.enum(["snapshot", "live", "cache", "file"]),
  /** Date of the figures, `YYYY-MM-DD`. */
  asOf: z.iso.date(),
  note: z.string(),
  /** Currency of all figures, as ISO 4217 names it. @default "USD" */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "expected three capital letters, such as EUR")
    .default(SHIPPED_CURRENCY),
  /**
   * Price of one USD in that currency, which converts shipped prices where this list has none.
   *
   * @default missing prices stay unknown unless the currency is USD
   */
  perUsd: z
    .number()
    .min(1 / LARGEST)
    .max(LARGEST)
    .optional(),
  /**
   * Discounts on list prices that this book does not replace: for one meter, for a prefix of meters (`vm-hour`,
   * `vm-hour:t4g.micro`, `egress-gb`), or for all. The most specific one applies.
   */
  discounts: z
    .array(
      z.object({
        meter: z.string().optional(),
        percent: z.number().min(0).max(100),
        /** The discount's name in the report: `EDP`, `1-year Compute Savings Plan`, `spot`. */
        for: z.string(),
      }),
    )
    .optional(),
  prices: z.array(priceSchema),
});
export type PriceBook = z.infer<typeof priceBookSchema> & {
  /** Term of all its machines. @default on demand */
  readonly term?: Term;
};

function withTables(book: PriceBook, tables: readonly PriceTable[]): PriceBook {
  const known = new Set(book.prices.map(({ meter, region }) => `${meter} ${region}`));
  const more = tables.flatMap(tablePrices).filter(({ meter, region }) => !known.has(`${meter} ${region}`));
  return { ...book, prices: [...book.prices, ...more] };
}

/** An error for prices in two currencies, which cannot be added or compared. */
export class MixedCurrencies extends RangeError {
  override readonly name = "MixedCurrencies";
}

interface InCurrency {
  readonly whose: string;
  readonly currency: string;
}

/** The common currency of some prices; without any, the shipped prices'. @throws {MixedCurrencies} naming the two */
export function currencyOf([first, ...rest]: readonly InCurrency[]): string {
  const other = rest.find(({ currency }) => currency !== first?.currency);
  if (first !== undefined && other !== undefined) {
    throw new MixedCurrencies(
      `prices of ${first.whose} are in ${first.currency}, and those of ${other.whose} in ${other.currency}: expected one currency; give a price list of each cloud in it, or leave one out`,
    );
  }
  return first?.currency ?? SHIPPED_CURRENCY;
}

/** The currency of some clouds' price lists. @throws {MixedCurrencies} */
export function currencyOfBooks(
  books: Readonly<Record<PricedCloud, PriceBook>>,
  clouds: readonly PricedCloud[],
): string {
  return currencyOf(clouds.map((cloud) => ({ whose: cloud, currency: books[cloud].currency })));
}

/** The dated prices that ship with this package, used when the price services cannot be reached. */
export const priceSnapshots: Readonly<Record<PricedCloud, PriceBook>> = {
  azure: withTables(priceBookSchema.parse(azure), [azureMachines, azureDisks]),
  aws: withTables(priceBookSchema.parse(aws), [awsMachines, ...awsServices]),
};

const indexes = new WeakMap<PriceBook, ReadonlyMap<string, readonly Price[]>>();

/** Indexes a book's prices by meter, since sizing looks up thousands. */
function byMeter(book: PriceBook): ReadonlyMap<string, readonly Price[]> {
  const known = indexes.get(book);
  if (known !== undefined) {
    return known;
  }
  const index = groupBy(
    book.prices.filter(({ term }) => term === undefined),
    ({ meter }) => meter,
  );
  indexes.set(book, index);
  return index;
}

/** Price of a meter: the region's, else its zone's, else the global one, else null. */
export function findPrice(book: PriceBook, meter: string, region: string): Price | null {
  const candidates = byMeter(book).get(meter) ?? [];
  const zone = priceZone(book.cloud, region);
  return (
    candidates.find((price) => price.region === region) ??
    candidates.find((price) => zone !== undefined && price.region === zone) ??
    candidates.find((price) => price.region === null) ??
    null
  );
}

/** A region, or a zone of several, with prices. */
export interface PricedPlace {
  readonly region: string;
  /** Region whose price replaces one that `region` lacks. @default none: the price is not known */
  readonly standIn?: string | undefined;
}

/** A meter's price at a place. `pricedIn`: the region that stands in for the place; null: the price is its own, or there is none. */
export function priceAt(
  book: PriceBook,
  meter: string,
  { region, standIn }: PricedPlace,
): { readonly price: Price | null; readonly pricedIn: string | null } {
  const own = findPrice(book, meter, region);
  const other = own === null && standIn !== undefined ? findPrice(book, meter, standIn) : null;
  return { price: own ?? other, pricedIn: other === null ? null : (standIn ?? null) };
}

/** A list price with its most specific discount. */
function discounted(price: Price, { discounts = [] }: PriceBook): Price {
  const [first] = discounts
    .filter(({ meter = "" }) => price.meter.startsWith(meter))
    .toSorted((a, b) => (b.meter ?? "").length - (a.meter ?? "").length);
  return first === undefined
    ? price
    : {
        ...price,
        tiers: timesPrice(price.tiers, 1 - first.percent / 100),
        source: `${price.source}, less ${first.percent} % (${first.for})`,
      };
}

function timesPrice(tiers: Price["tiers"], factor: number): Price["tiers"] {
  return tiers.map(({ from, price }) => ({ from, price: price * factor }));
}

/** Whether shipped prices can fill a list's gaps: it has their currency, or an exchange rate. */
export function fillsGaps({ currency, perUsd }: PriceBook): boolean {
  return currency === SHIPPED_CURRENCY || perUsd !== undefined;
}

/**
 * Live prices, with the snapshot for missing meters and regions. Currencies are never mixed: without an exchange rate, a list in
 * another currency than the snapshot's stands alone.
 */
export function mergePrices(live: PriceBook, snapshot: PriceBook): PriceBook {
  if (!fillsGaps(live)) {
    return live;
  }
  const factor = live.currency === SHIPPED_CURRENCY ? 1 : (live.perUsd ?? 1);
  const converted = factor === 1 ? "" : `, times ${factor}`;
  const keyOf = ({ meter, region, term }: Price) => `${meter} ${region} ${term}`;
  const known = new Set(live.prices.map(keyOf));
  const rest = snapshot.prices
    .filter((price) => !known.has(keyOf(price)))
    .map((price) => ({
      ...price,
      tiers: timesPrice(price.tiers, factor),
      source: `${price.source} (snapshot of ${snapshot.asOf}${converted})`,
    }))
    .map((price) => discounted(price, live));
  return { ...live, prices: [...live.prices, ...rest] };
}

/** Prices of some meters in some regions, all from one list; `tools/reference/prices.ts` makes them. */
export interface PriceTable {
  /** The cloud's page where readers can check them. */
  readonly page: string;
  /** The list and its date. `null`: no list was read, so the prices are unverified. */
  readonly checked: string | null;
  readonly regions: readonly string[];
  /** Monthly units from which each tier applies. @default one tier, from 0 */
  readonly from?: readonly number[];
  /** By meter: a price for each region, in their order, its tiers joined by `/`; `-` where not known. */
  readonly rows: Readonly<Record<string, string>>;
}

function tablePrices({ page, checked, regions, from = [0], rows }: PriceTable): Price[] {
  return Object.entries(rows).flatMap(([meter, row]) =>
    row.split(" ").flatMap((cell, at): Price[] =>
      cell === "-"
        ? []
        : [
            {
              ...{ meter, region: regions[at] as string, source: page, checked },
              tiers: cell
                .split("/")
                .map((price, tier) => ({ from: from[tier] as number, price: Number(price) })),
            },
          ],
    ),
  );
}
