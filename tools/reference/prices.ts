/**
 * Makes the tables of prices by region from published lists. Each command prints a file of `report/cost/`:
 *
 * - `node tools/reference/prices.ts machines aws LISTS.json DATE SOURCE`: on-demand Linux prices of the sizes in `bench/machines/`.
 *   LISTS: `[{SIZE: {REGION: USD an hour}}]`, the oldest first.
 * - `node tools/reference/prices.ts services LIST.json DATE SOURCE ESTIMATE.txt DATE SOURCE`: AWS's NAT gateways, disks and
 *   traffic to the internet. LIST: `{REGION: {nat_gateway_hour, ebs_gb_month: {gp3}}}`. ESTIMATE: lines of Infracost's estimate
 *   of `aws_data_transfer`, with GB and USD of each tier.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type Machine, machineMeter, machines } from "../../bench/machines/index.ts";
import type { PricedCloud } from "../../bench/topologies/index.ts";
import type { PriceTable } from "../../report/cost/prices.ts";

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

const listSchema = z.record(z.string(), z.record(z.string(), z.number().nonnegative()));
type List = z.infer<typeof listSchema>;

/** By meter: a price for each region, in their order; `-` where it is unknown or not sold. */
type Rows = Record<string, string>;

function rowOf(cloud: PricedCloud, priceIn: (region: string) => string | number | undefined): string {
  return regions[cloud].map((region) => priceIn(region) ?? "-").join(" ");
}

/**
 * Rows for sizes in the newest list. Azure's lists by size mix Linux and Windows prices, so only those that {@link isLinux}
 * accepts are used, and for burstable sizes those that {@link burstablePrices} finds in all lists.
 *
 * @param lists The oldest first.
 * @throws {z.ZodError} where a list has another form.
 */
export function machineRows(cloud: PricedCloud, lists: unknown): Rows {
  const all = z.array(listSchema).min(1).parse(lists);
  const newest = all.at(-1) ?? {};
  const burstable = { aws: () => ({}), azure: burstablePrices }[cloud](all);
  const prices: List = { ...newest, ...burstable };
  const accepted = { aws: () => true, azure: isLinux(prices) }[cloud];
  const rows = machines[cloud].map((machine) => [
    machineMeter(machine.size),
    rowOf(cloud, (region) =>
      accepted(machine, region) ? prices[machine.size]?.[region] || undefined : undefined,
    ),
  ]);
  return Object.fromEntries(rows.filter(([, row]) => /\d/.test(row ?? "")));
}

/** Tolerance: with Linux, sizes of a series have the same price per vCPU, within rounding. */
const SAME_PER_VCPU = 1.05;
/** Largest factor above a region's usual ratio to eastus: Windows adds at least 16 %, series differ by less. */
const MOST_ABOVE_STEP = 1.2;

/**
 * Whether a price must be Linux's, not Windows's: it is the lowest per vCPU in its series, and its ratio to eastus is no
 * higher than other series'. Prices of burstable sizes are already Linux's.
 */
function isLinux(prices: List): (machine: Machine, region: string) => boolean {
  const steady = machines.azure.filter(({ burstable }) => !burstable);
  const series = [...new Set(steady.map(({ size }) => seriesOf(size)))];
  const leastPerVcpu = (name: string, region: string) => {
    const own = steady.filter(({ size }) => seriesOf(size) === name && prices[size]?.[region]);
    return own.length < 2 ? Number.NaN : Math.min(...own.map((one) => perVcpu(one, region)));
  };
  const perVcpu = ({ size, vcpus }: Machine, region: string) =>
    (prices[size]?.[region] || Number.NaN) / vcpus;
  const step = (name: string, region: string) => leastPerVcpu(name, region) / leastPerVcpu(name, "eastus");
  const usual = new Map(
    regions.azure.map((region) => [region, median(series.map((name) => step(name, region)))]),
  );
  return (machine, region) => {
    const name = seriesOf(machine.size);
    return (
      machine.burstable ||
      (perVcpu(machine, region) <= SAME_PER_VCPU * leastPerVcpu(name, region) &&
        step(name, region) <= MOST_ABOVE_STEP * (usual.get(region) ?? Number.NaN))
    );
  };
}

/** USD per hour and vCPU that Windows adds to a burstable size, in every region; prices have three digits. */
const WINDOWS_PER_VCPU = { least: 0.0043, most: 0.0051 };

/**
 * Linux prices of Azure's burstable sizes. Lists have a size once, with Linux's or Windows's price by chance: of two prices that
 * differ by what Windows adds, the lower one is Linux's. A size with one price in all lists and regions has Linux's.
 */
function burstablePrices(lists: readonly List[]): List {
  const burstable = machines.azure.filter((machine) => machine.burstable);
  return Object.fromEntries(
    burstable.map(({ size, vcpus }) => {
      const seen = (region: string) =>
        [...new Set(lists.flatMap((list) => list[size]?.[region] || []))].toSorted((a, b) => a - b);
      const sold = regions.azure.filter((region) => lists.at(-1)?.[size]?.[region]);
      const mixed = sold.some((region) => seen(region).length > 1);
      const linux = sold.flatMap((region) => {
        const [lower = 0, higher, ...more] = seen(region);
        const added = higher === undefined ? null : (higher - lower) / vcpus;
        const isPair = added !== null && added >= WINDOWS_PER_VCPU.least && added <= WINDOWS_PER_VCPU.most;
        return more.length === 0 && (mixed ? isPair : added === null) ? [[region, lower] as const] : [];
      });
      return [size, Object.fromEntries(linux)];
    }),
  );
}

function seriesOf(size: string): string {
  return size.replace(/(?<=_[A-Z]+)\d+/, "#");
}

function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const servicesSchema = z.record(
  z.string(),
  z.object({
    nat_gateway_hour: z.number().positive(),
    ebs_gb_month: z.object({ gp3: z.number().positive() }),
  }),
);

/** GB of a NAT machine's disk on AWS. */
const DISK_GB = 8;

/** Rows for an hour of a NAT gateway and a month of a NAT machine's disk. @throws {z.ZodError} */
export function serviceRows(list: unknown): Rows {
  const prices = servicesSchema.parse(list);
  return {
    "nat-gateway-hour": rowOf("aws", (region) => prices[region]?.nat_gateway_hour),
    "disk-month": rowOf("aws", (region) => {
      const gp3 = prices[region]?.ebs_gb_month.gp3;
      return gp3 === undefined ? undefined : Number((DISK_GB * gp3).toFixed(6));
    }),
  };
}

/** Start of each tier: the first 100 GB over all regions are free, and a TB of the list has 1,024 GB. */
export const EGRESS_FROM = [0, 100, 10_340, 51_300, 153_700];

const EGRESS_TIER =
  /Internet \((?:first 10TB|next 40TB|next 100TB|over 150TB)\)\s+([\d,]+)\s+GB\s+\$([\d,.]+)/;

/** The row for traffic to the internet: the tiers' prices, joined by `/`. A region with missing tiers has none. */
export function egressRows(estimate: string): Rows {
  const blocks = estimate.split(/^ ?aws_data_transfer\./m).slice(1);
  const tiers = new Map(
    blocks.map((block) => {
      const name = block.slice(0, block.search(/\s/));
      const prices = block.split("\n").flatMap((line) => {
        const [, gb, usd] = EGRESS_TIER.exec(line) ?? [];
        return gb === undefined || usd === undefined ? [] : [Number((plain(usd) / plain(gb)).toFixed(4))];
      });
      return [name, prices] as const;
    }),
  );
  return {
    "egress-gb": rowOf("aws", (region) => {
      const own = tiers.get(region);
      return own?.length === EGRESS_FROM.length - 1 ? [0, ...own].join("/") : undefined;
    }),
  };
}

function plain(figure: string): number {
  return Number(figure.replaceAll(",", ""));
}

const pages = {
  aws: "https://aws.amazon.com/ec2/pricing/on-demand/",
  azure: "https://azure.microsoft.com/pricing/details/virtual-machines/linux/",
};

/** Sources for the price of a GB through a NAT gateway, by region: each equals the price of an hour. */
const GB_READ: Readonly<Record<string, string>> = {
  "us-east-1": "a list read from the AWS Price List API on 2025-10-28",
  "us-west-2": "a list read from the AWS Price List API in 2026",
  "eu-west-1": "rows of the AWS price list of 2026-09-25",
  "eu-west-2": "rows of the AWS price list of 2026-09-11",
  "ap-southeast-1": "a bill of 2025-05",
  "ap-northeast-2": "a list read from the AWS Price List API in 2026-08",
  "sa-east-1": "a bill of 2025-09",
};

/** AWS's tables. */
function serviceTables([listFile, asOf, from, estimateFile, day, by]: readonly string[]): PriceTable[] {
  const list: unknown = JSON.parse(readFileSync(listFile ?? "", "utf8"));
  const vpc = "https://aws.amazon.com/vpc/pricing/";
  const hourIn = (serviceRows(list)["nat-gateway-hour"] ?? "").split(" ");
  const gb = regions.aws.map((region, at): PriceTable => {
    const read = GB_READ[region];
    const page = `${vpc} (each direction)`;
    return {
      page:
        read === undefined
          ? `${vpc} (each direction; what an hour costs, as in every region that was read)`
          : page,
      ...{ checked: read ?? null, regions: [region], rows: { "nat-gateway-gb": hourIn[at] ?? "-" } },
    };
  });
  return [
    ...Object.entries(serviceRows(list)).map(
      ([meter, row]): PriceTable => ({
        page: meter === "disk-month" ? `https://aws.amazon.com/ebs/pricing/ (gp3, ${DISK_GB} GB)` : vpc,
        ...{ checked: `${from}, ${asOf}`, regions: regions.aws, rows: { [meter]: row } },
      }),
    ),
    ...gb,
    {
      page: `${pages.aws} (data transfer out to the internet; the free 100 GB are shared by the whole account)`,
      ...{ checked: `${by}, ${day}`, regions: regions.aws, from: EGRESS_FROM },
      rows: egressRows(readFileSync(estimateFile ?? "", "utf8")),
    },
  ];
}

function isCloud(name: string | undefined): name is PricedCloud {
  return name !== undefined && Object.hasOwn(regions, name);
}

function main([what, ...rest]: readonly string[]): void {
  const [cloud, file, asOf, from] = rest;
  if (what === "services" && rest.length === 6) {
    process.stdout.write(`${JSON.stringify(serviceTables(rest), null, 2)}\n`);
  } else if (what === "machines" && isCloud(cloud) && rest.length === 4) {
    const rows = machineRows(cloud, JSON.parse(readFileSync(file ?? "", "utf8")));
    const table = { page: pages[cloud], checked: `${from}, ${asOf}`, regions: regions[cloud], rows };
    process.stdout.write(`${JSON.stringify(table, null, 2)}\n`);
  } else {
    throw new Error(
      "expected: machines CLOUD FILE DATE SOURCE, or: services FILE DATE SOURCE FILE DATE SOURCE",
    );
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2));
}
