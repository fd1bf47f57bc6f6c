/**
 * Inputs of advice beside logs: service ranges and prices.
 *
 * @module
 */
import { shippedRanges } from "../../advise/ranges/shipped.ts";
import { type Ranges, readRanges } from "../../advise/ranges.ts";
import { type PriceBook, type PricedCloud, priceSnapshots } from "../../report/index.ts";
import { readJson, readPriceFile } from "../report/prices/file.ts";
import { UsageError } from "../usage-error.ts";

/** Ranges of a file, or those shipped. @throws {UsageError} naming the file */
export function loadRanges(file: string | undefined, cloud: PricedCloud, directory: string): Ranges {
  return file === undefined ? shippedRanges(cloud) : readRanges(readJson("--ranges", file, directory), file);
}

/** Prices of a file over those shipped. @throws {UsageError} naming the file */
export function loadPrices(file: string | undefined, cloud: PricedCloud, directory: string): PriceBook {
  const book = file === undefined ? priceSnapshots[cloud] : readPriceFile(file, directory);
  if (book.cloud !== cloud) {
    throw new UsageError(`--prices: expected a price list of ${cloud}; ${file} is one of ${book.cloud}`);
  }
  return book;
}
