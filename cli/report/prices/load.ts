/** Loads live prices from the clouds' price services, cached for a day, on top of the shipped snapshot. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import {
  mergePrices,
  type PriceBook,
  type PricedCloud,
  priceBookSchema,
  priceSnapshots,
  SHIPPED_CURRENCY,
} from "../../../report/cost/prices.ts";
import { jsonIn, makeDirectory, replace } from "../../terminal/result-files.ts";
import { fetchAwsPrices } from "./aws.ts";
import { fetchAzurePrices } from "./azure.ts";
import type { Patience, PriceQuery } from "./patience.ts";

export interface LiveOptions extends Patience {
  /** @default the cloud's own service */
  readonly endpoint?: string;
  /** @default the clone's own directory */
  readonly cacheDir?: string;
  /** @default now */
  readonly now?: Date;
}

const DAY_MS = 24 * 3600 * 1000;

const ownCache = fileURLToPath(new URL("../../../.egress-bench/prices", import.meta.url));

/** Live prices, at most a day old; if they are unavailable, older cached ones, else the snapshot, which also fills in what a service lacks. Never throws. */
export async function loadLivePrices(
  wanted: Readonly<Record<"regions" | "natSizes", readonly string[]>> & { readonly cloud: PricedCloud },
  options: LiveOptions = {},
) {
  const request = {
    ...{ cacheDir: ownCache, now: new Date(), ...options },
    cloud: wanted.cloud,
    // Sorted, so that a set of regions has one cache.
    regions: [...new Set(wanted.regions)].sort(),
    natSizes: [...new Set(wanted.natSizes)].sort(),
  };
  const snapshot = priceSnapshots[request.cloud];
  const loaded: Awaited<ReturnType<typeof loadRegion>>[] = [];
  for (const region of request.regions) {
    loaded.push(await loadRegion({ ...request, region }));
  }
  const books = loaded.flatMap(({ book }) => book ?? []);
  return {
    book: books.length === 0 ? snapshot : mergePrices(joinBooks(books), snapshot),
    problems: loaded.flatMap(({ problems }) => problems),
  };
}

type RegionRequest = PriceQuery &
  Required<Pick<LiveOptions, "cacheDir" | "now">> & { readonly cloud: PricedCloud };

async function loadRegion(
  request: RegionRequest,
): Promise<{ book: PriceBook | null; problems: readonly string[] }> {
  const { cloud, region, natSizes, now } = request;
  const file = `${request.cacheDir}/${[cloud, region, ...natSizes].map((part) => encodeURIComponent(part)).join("_")}.json`;
  const cached = readCache(file, cloud);
  const age = cached === null ? Number.POSITIVE_INFINITY : now.getTime() - Date.parse(cached.asOf);
  if (cached !== null && age >= 0 && age < DAY_MS) {
    return { book: { ...cached, origin: "cache" }, problems: cached.problems };
  }
  try {
    const { prices, problems, whole } = await services[request.cloud](request);
    const asOf = now.toISOString().slice(0, 10);
    const book: PriceBook = {
      ...{ cloud, origin: "live", asOf, prices },
      ...{ currency: SHIPPED_CURRENCY, note: `List prices in ${SHIPPED_CURRENCY} without tax.` },
    };
    // A busy service's incomplete answer is not cached, so that the next command asks again.
    return { book, problems: [...problems, ...(whole ? writeCache(file, { ...book, problems }) : [])] };
  } catch (error) {
    const why = `Live prices of ${cloud}, ${region} are not available (${(error as Error).message})`;
    return cached === null
      ? { book: null, problems: [`${why}: the snapshot of ${priceSnapshots[cloud].asOf} is used.`] }
      : {
          book: { ...cached, origin: "cache" },
          problems: [`${why}: those of ${cached.asOf} are used.`, ...cached.problems],
        };
  }
}

/** Joins books; the result is as old as the oldest. A price that applies everywhere is taken once. */
function joinBooks(books: readonly PriceBook[]): PriceBook {
  const oldest = books.reduce((one, other) => (other.asOf < one.asOf ? other : one));
  const prices = new Map(
    books.flatMap((book) => book.prices).map((price) => [`${price.meter} ${price.region}`, price]),
  );
  const origin = books.some((book) => book.origin === "cache") ? "cache" : "live";
  return { ...oldest, origin, prices: [...prices.values()] };
}

/** Each cloud's price service. */
export const services = { azure: fetchAzurePrices, aws: fetchAwsPrices };

const cacheSchema = priceBookSchema.extend({ problems: z.array(z.string()) });
type CachedBook = z.infer<typeof cacheSchema>;

/** Null without a cache or with a broken one. */
function readCache(file: string, cloud: PricedCloud): CachedBook | null {
  const { data: book } = cacheSchema.safeParse(jsonIn(file));
  return book?.cloud === cloud ? book : null;
}

/** Caches a book for the next command. A failure to write is reported and costs only time. */
function writeCache(file: string, book: CachedBook): string[] {
  try {
    makeDirectory(dirname(file));
    replace(file, JSON.stringify(book));
    return [];
  } catch (error) {
    return [`The prices could not be kept for the next command: ${(error as Error).message}`];
  }
}
