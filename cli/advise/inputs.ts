/** Inputs of advice besides logs: service ranges. */
import { shippedRanges } from "../../advise/ranges/shipped.ts";
import { type Ranges, readRanges } from "../../advise/ranges.ts";
import type { PricedCloud } from "../../report/index.ts";
import { readJson } from "../report/prices/file.ts";

/** Ranges from a file, or the shipped ones. @throws {UsageError} naming the file */
export function loadRanges(file: string | undefined, cloud: PricedCloud, directory: string): Ranges {
  return file === undefined ? shippedRanges(cloud) : readRanges(readJson("--ranges", file, directory), file);
}
