/**
 * Makes tables of prices by region from the clouds' price services, with the readers of `--prices live`:
 *
 * - `node tools/reference/prices.ts machines aws > report/cost/aws-machines.json`: the sizes in `bench/machines/`.
 * - `node tools/reference/prices.ts services aws > report/cost/aws-services.json`: everything else.
 */
import { fileURLToPath } from "node:url";
import { groupBy } from "../../bench/group-by.ts";
import { machineMeter, machines } from "../../bench/machines/index.ts";
import type { PricedCloud } from "../../bench/topologies/index.ts";
import { services } from "../../cli/report/prices/load.ts";
import type { PriceQuery } from "../../cli/report/prices/patience.ts";
import type { Price, PriceTable } from "../../report/cost/prices.ts";

/** The most used regions. */
export const regions: Readonly<Record<PricedCloud, readonly string[]>> = {
  aws: `us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 sa-east-1
    eu-west-1 eu-west-2 eu-west-3 eu-central-1 eu-north-1 eu-south-1
    ap-south-1 ap-southeast-1 ap-southeast-2 ap-northeast-1 ap-northeast-2 ap-northeast-3
    ap-east-1 me-central-1`.split(/\s+/),
  azure: `eastus eastus2 centralus southcentralus westus2 westus3 canadacentral brazilsouth
    northeurope westeurope uksouth francecentral germanywestcentral swedencentral
    japaneast southeastasia australiaeast koreacentral centralindia uaenorth`.split(/\s+/),
};

/**
 * A table for each source and each list of tiers.
 *
 * @param prices One entry per region: what its service answered.
 */
export function priceTables(cloud: PricedCloud, prices: readonly (readonly Price[])[]): PriceTable[] {
  const tables = groupBy(prices.flat(), ({ source, checked, tiers }) =>
    JSON.stringify([source, checked, tiers.map(({ from }) => from)]),
  );
  return [...tables].map(([key, own]): PriceTable => {
    const [page, checked, from] = JSON.parse(key);
    const rows = [...groupBy(own, ({ meter }) => meter)].map(([meter, all]) => [
      meter,
      regions[cloud]
        .map((region) => all.find((one) => (one.region ?? region) === region)?.tiers)
        .map((tiers) => tiers?.map(({ price }) => price).join("/") ?? "-")
        .join(" "),
    ]);
    return { page, checked, regions: regions[cloud], from, rows: Object.fromEntries(rows) };
  });
}

/** A cloud's service's answers for each region. @throws {Error} where it left a request without an answer */
export async function fetchAll(cloud: PricedCloud, query: Omit<PriceQuery, "region">): Promise<Price[][]> {
  const all: Price[][] = [];
  for (const region of regions[cloud]) {
    const { prices, problems, whole } = await services[cloud]({ ...query, region });
    if (!whole) throw new Error(problems.join("\n"));
    all.push(prices);
  }
  return all;
}

async function main([what, cloud]: readonly string[]): Promise<void> {
  if ((what !== "machines" && what !== "services") || (cloud !== "aws" && cloud !== "azure")) {
    throw new Error("expected: machines aws|azure, or: services aws|azure");
  }
  const natSizes = what === "machines" ? machines[cloud].map(({ size }) => size) : [];
  const isWanted = ({ meter }: Price) => meter.startsWith(machineMeter("")) === (what === "machines");
  const found = (await fetchAll(cloud, { natSizes })).map((prices) => prices.filter(isWanted));
  const tables = priceTables(cloud, found);
  process.stdout.write(`${JSON.stringify(what === "machines" ? tables[0] : tables, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2));
}
