/**
 * Makes a shipped list of service ranges from a cloud's own file:
 * `node tools/reference/ranges.ts aws ip-ranges.json 2026-08-22 "where it was read" > packages/advise/src/ranges/aws.json`
 */
import { readFileSync } from "node:fs";
import {
  type CompactRanges,
  compactServices,
  shippedServices,
} from "../../packages/advise/src/ranges/shipped.ts";
import { entriesOf } from "../../packages/advise/src/ranges.ts";

function isListed(name = ""): name is keyof typeof shippedServices {
  return Object.hasOwn(shippedServices, name);
}

const [cloud, file, asOf, source] = process.argv.slice(2);
if (!isListed(cloud) || file === undefined || asOf === undefined || source === undefined) {
  throw new Error("expected: aws|azure FILE DATE SOURCE");
}
const entries = entriesOf(JSON.parse(readFileSync(file, "utf8")), file);
const list: CompactRanges = {
  cloud,
  asOf,
  source,
  services: compactServices(entries, shippedServices[cloud]),
};
process.stdout.write(`${JSON.stringify(list, null, 2)}\n`);
