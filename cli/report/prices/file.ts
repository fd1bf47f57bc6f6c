/** Chooses a command's prices: the shipped list, the clouds' price services, or the user's own lists. */
import { resolve } from "node:path";
import { validate } from "../../../bench/validate.ts";
import { readNamedFile } from "../../../components/shared/files.ts";
import {
  mergePrices,
  type PriceBook,
  type PricedCloud,
  priceBookSchema,
  priceSnapshots,
  terms,
  withTerm,
} from "../../../report/index.ts";
import { oneOf } from "../../options.ts";
import { UsageError } from "../../usage-error.ts";

/** The value of `--prices`, with its files read. */
export interface GivenPrices {
  readonly live: boolean;
  /** The user's lists, one per cloud, with gaps filled as each allows. */
  readonly own: readonly PriceBook[];
}

/**
 * Reads the lists that `--prices` names.
 *
 * @param given `snapshot` (also where none is given), `live`, or files
 * @param term Of NAT machines. @default on demand
 * @throws {UsageError} naming the file
 */
export function readPrices(given: readonly string[], directory: string, term?: string): GivenPrices {
  const words = given.filter((one) => one === "snapshot" || one === "live");
  if (words.length > 0 && given.length > 1) {
    throw new UsageError(`--prices: expected snapshot, live or files alone; got ${given.join(" and ")}`);
  }
  const own = words.length > 0 ? [] : given.map((file) => readPriceFile(file, directory));
  const twice = own.find(({ cloud }, at) => own.findIndex((other) => other.cloud === cloud) !== at);
  if (twice !== undefined) {
    throw new UsageError(`--prices: expected one list a cloud; got two of ${twice.cloud}`);
  }
  return { live: words.includes("live"), own: term === undefined ? own : onTerm(own, term) };
}

/** The user's lists, and the shipped prices of the other clouds. */
export function booksOf({ own }: Pick<GivenPrices, "own">): Readonly<Record<PricedCloud, PriceBook>> {
  return { ...priceSnapshots, ...Object.fromEntries(own.map((book) => [book.cloud, book])) };
}

/** The lists with NAT machines' prices for a term, `--nat-term`. @throws {UsageError} when no list has prices of that term */
function onTerm(own: readonly PriceBook[], text: string): PriceBook[] {
  const term = oneOf("--nat-term", text, terms);
  const books = own.flatMap((book) => withTerm(book, term) ?? []);
  if (books.length === 0 || books.length < own.length) {
    throw new UsageError(
      `--nat-term: no price of a machine with "term": "${term}" is known; give it in a list (--prices FILE), as the clouds' lists are on demand`,
    );
  }
  return books;
}

/** A price list on top of the shipped one, which fills gaps. @throws {UsageError} naming the file */
function readPriceFile(file: string, directory: string): PriceBook {
  const list = validate(
    priceBookSchema,
    readJson("--prices", file, directory, "; expected the file of a price list, or a word that --help names"),
    ([problem]) =>
      new UsageError(`--prices: expected a price list, as report/cost/aws.json; ${file}: ${problem}`),
  );
  const own: PriceBook = { ...list, origin: "file" };
  checkMeters(own, file);
  return mergePrices(own, priceSnapshots[own.cloud]);
}

/** @throws {UsageError} naming the first meter that no charge uses */
function checkMeters({ prices, discounts = [] }: PriceBook, file: string): void {
  const shipped = Object.values(priceSnapshots).flatMap((book) => book.prices);
  const charged = [...new Set(shipped.map(({ meter }) => baseOf(meter)))].sort();
  const [wrong] = [
    ...prices.flatMap(({ meter }, at) =>
      charged.includes(baseOf(meter)) ? [] : [`prices[${at}].meter: "${meter}"`],
    ),
    ...discounts.flatMap(({ meter = "" }, at) =>
      charged.some((one) => one.startsWith(baseOf(meter))) ? [] : [`discounts[${at}].meter: "${meter}"`],
    ),
  ];
  if (wrong !== undefined) {
    throw new UsageError(`--prices: ${file}: ${wrong} is not a known meter; expected ${charged.join(", ")}`);
  }
}

/** A meter without its size or tier. */
const baseOf = (meter: string) => meter.split(":")[0] ?? meter;

/** @param expected What the option takes. @throws {UsageError} naming option and file */
export function readJson(option: string, file: string, directory: string, expected = ""): unknown {
  try {
    return JSON.parse(readNamedFile(resolve(directory, file)));
  } catch (error) {
    throw new UsageError(`${option}: ${file} cannot be read as JSON: ${(error as Error).message}${expected}`);
  }
}
