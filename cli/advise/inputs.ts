/**
 * Inputs of advice beside logs: service ranges and prices.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { shippedRanges } from "../../advise/ranges/shipped.ts";
import { type Ranges, readRanges } from "../../advise/ranges.ts";
import { type PriceBook, type PricedCloud, priceBookSchema, priceSnapshots } from "../../report/index.ts";
import { UsageError } from "../usage-error.ts";

/** Ranges of a file, or those shipped. @throws {UsageError} naming the file */
export function loadRanges(file: string | undefined, cloud: PricedCloud, directory: string): Ranges {
  return file === undefined ? shippedRanges(cloud) : readRanges(readJson("--ranges", file, directory), file);
}

/** Prices of a file, or those shipped. @throws {UsageError} naming the file */
export function loadPrices(file: string | undefined, cloud: PricedCloud, directory: string): PriceBook {
  if (file === undefined) {
    return priceSnapshots[cloud];
  }
  const parsed = priceBookSchema.safeParse(readJson("--prices", file, directory));
  if (!parsed.success || parsed.data.cloud !== cloud) {
    throw new UsageError(
      `--prices: expected a price list of ${cloud}, as in report/cost/${cloud}.json; ${file} is none`,
    );
  }
  return parsed.data;
}

function readJson(option: string, file: string, directory: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(directory, file), "utf8"));
  } catch (error) {
    throw new UsageError(`${option}: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
