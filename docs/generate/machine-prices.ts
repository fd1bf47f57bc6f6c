/**
 * Makes the table of EC2 on-demand prices (Linux) for the sizes of `bench/machines/` from a price list by size and region:
 * `node docs/generate/machine-prices.ts pricing.json 2025-03-02 "where it was read" > report/cost/aws-machines.json`
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { machines } from "../../bench/machines/index.ts";

/** The regions that people use most. */
const regions = [
  ...["us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1"],
  ...["eu-west-1", "eu-west-2", "eu-west-3", "eu-central-1", "eu-north-1", "eu-south-1"],
  ...["ap-south-1", "ap-southeast-1", "ap-southeast-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3"],
  ...["ap-east-1", "me-central-1"],
];

const listSchema = z.record(z.string(), z.record(z.string(), z.number().positive()));

/** By size: USD an hour in each of the regions, in their order; `-` where the size is not sold. */
export function machinePrices(list: unknown): Record<string, string> {
  const prices = listSchema.parse(list);
  const known = machines.aws.filter(({ size }) =>
    regions.some((region) => prices[size]?.[region] !== undefined),
  );
  return Object.fromEntries(
    known.map(({ size }) => [size, regions.map((region) => prices[size]?.[region] ?? "-").join(" ")]),
  );
}

function main([file, asOf, source]: readonly string[]): void {
  if (file === undefined || asOf === undefined || source === undefined) {
    throw new Error("expected: FILE DATE SOURCE");
  }
  const usdAnHour = machinePrices(JSON.parse(readFileSync(file, "utf8")));
  process.stdout.write(`${JSON.stringify({ asOf, source, regions, usdAnHour }, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2));
}
