/**
 * A reader's own price list.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { mergePrices, type PriceBook, priceBookSchema, priceSnapshots } from "../../../report/index.ts";
import { UsageError } from "../../usage-error.ts";

/** A price list over the shipped one, which has what the list lacks. @throws {UsageError} naming the file */
export function readPriceFile(file: string, directory: string): PriceBook {
  const parsed = priceBookSchema.safeParse(readJson("--prices", file, directory));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(
      `--prices: expected a price list, as report/cost/aws.json; ${file}: field ${issue?.path.join(".")}: ${issue?.message}`,
    );
  }
  const own: PriceBook = { ...parsed.data, origin: "file" };
  return mergePrices(own, priceSnapshots[own.cloud]);
}

/** @throws {UsageError} naming option and file */
export function readJson(option: string, file: string, directory: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(directory, file), "utf8"));
  } catch (error) {
    throw new UsageError(`${option}: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
