/**
 * SQL over a bill: the lines of NAT gateways.
 *
 * AWS's columns (Cost and Usage Report, and Data Exports' CUR 2.0): https://docs.aws.amazon.com/cur/latest/userguide/Lineitem-columns.html,
 * https://docs.aws.amazon.com/cur/latest/userguide/table-dictionary-cur2.html
 * Azure's columns (cost and usage details): https://learn.microsoft.com/azure/cost-management-billing/dataset-schema/cost-usage-details-ea
 * Azure's quantity is the usage; a unit such as "10 Hours" belongs to its price:
 * https://learn.microsoft.com/cloud-computing/finops/focus/convert (ConsumedQuantity, PricingQuantity)
 */
import { type PricedCloud, pricedClouds } from "../../../../bench/topologies/clouds.ts";
import { bounds, quoted } from "../reduction/raw.ts";

/** Column names in lower case without punctuation, which vary between versions of the exports. */
const columnsOf: Readonly<Record<PricedCloud, Readonly<Record<string, readonly string[]>>>> = {
  aws: {
    usage: ["lineitemusagetype"],
    amount: ["lineitemusageamount"],
    start: ["lineitemusagestartdate"],
    end: ["lineitemusageenddate"],
    kind: ["lineitemlineitemtype"],
    resource: ["lineitemresourceid"],
    cost: ["lineitemunblendedcost"],
    currency: ["lineitemcurrencycode"],
    region: ["productregioncode", "productregion"],
  },
  azure: {
    category: ["metercategory"],
    subcategory: ["metersubcategory", "metersubcategoryname"],
    usage: ["metername"],
    amount: ["quantity", "usagequantity"],
    start: ["date", "usagedate", "usagedatetime"],
    unit: ["unitofmeasure"],
    resource: ["resourceid", "instanceid"],
    cost: ["costinbillingcurrency", "pretaxcost", "cost"],
    currency: ["billingcurrency", "billingcurrencycode", "currency"],
    region: ["resourcelocation", "resourcelocationnormalized"],
  },
};

/** A bill's cloud, and its columns by content. Null: not a known bill. */
export interface BillColumns {
  readonly cloud: PricedCloud;
  readonly columns: Readonly<Record<string, string>>;
}

const needed = { aws: ["usage", "amount", "start", "end"], azure: ["category", "usage", "amount", "start"] };

/** The columns of a file. Null: it is no bill. */
export function billColumns(names: readonly string[]): BillColumns | null {
  const plain = new Map(names.map((name) => [name.toLowerCase().replaceAll(/[^a-z]/g, ""), name]));
  for (const cloud of pricedClouds) {
    const found = Object.entries(columnsOf[cloud]).flatMap(([what, known]) => {
      const name = known.map((one) => plain.get(one)).find((one) => one !== undefined);
      return name === undefined ? [] : [[what, name] as const];
    });
    const columns: Record<string, string> = Object.fromEntries(found);
    if (needed[cloud].every((what) => columns[what] !== undefined)) {
      return { cloud, columns };
    }
  }
  return null;
}

/** The file's rows. @param compression The CSV file's compression */
export function billFile(
  path: string,
  kind: "csv" | "parquet",
  compression: "gzip" | "none" = "none",
): string {
  return kind === "parquet"
    ? `read_parquet(${quoted(path)})`
    : `read_csv(${quoted(path)}, header = true, all_varchar = true, compression = '${compression}')`;
}

/** SQL of a line's counted quantity, of whether it belongs to a NAT gateway, and of its end. */
type GatewayLines = (
  column: (what: string) => string,
  time: (what: string) => string,
) => { readonly what: string; readonly where: string; readonly end: string };

/** Whether Azure's unit is this one, in blocks of any size, or missing. */
function isUnit(column: (what: string) => string, unit: string): string {
  return `regexp_full_match(coalesce(${column("unit")}, ''), '([0-9]+ ?/? ?${unit})?', 'i')`;
}

const gatewayLines: Readonly<Record<BillColumns["cloud"], GatewayLines>> = {
  aws: (column, time) => ({
    what: `case when regexp_matches(${column("usage")}, 'NatGateway-(\\w+-)?Bytes$') then 'bytes'
            when regexp_matches(${column("usage")}, 'NatGateway-(\\w+-)?Hours$') then 'hours'
            when regexp_matches(${column("usage")}, '(^|-)DataTransfer-Out-Bytes$') then 'out' end`,
    where: `coalesce(${column("kind")}, 'Usage') in ('Usage', 'DiscountedUsage', 'SavingsPlanCoveredUsage')
            and (regexp_matches(${column("usage")}, 'NatGateway-') or regexp_matches(${column("usage")}, '(^|-)DataTransfer-Out-Bytes$')
              and regexp_matches(${column("resource")}, 'natgateway/nat-|^nat-'))`,
    end: time("end"),
  }),
  azure: (column, time) => ({
    what: `case when regexp_matches(${column("usage")}, 'Data Processed$') and ${isUnit(column, "GB")} then 'bytes'
            when regexp_matches(${column("usage")}, 'Gateway$') and ${isUnit(column, "Hours?")} then 'hours' end`,
    where: `regexp_matches(concat_ws(' ', ${column("category")}, ${column("subcategory")}), 'NAT Gateway', 'i')`,
    end: `${time("start")} + interval 1 day`,
  }),
};

/** Plausible maximums of a line. */
const most = {
  days: 32,
  /** 1 EB: 3 Tbit/s for a month. */
  gb: 1e9,
  /** Most gateways of one line. */
  gateways: 1000,
  cost: 1e12,
} as const;

/**
 * Amounts by quantity, hour or day, gateway, region and currency. `what` is `bytes` (GB, both directions), `out` (GB to
 * the internet), `hours` or null: a NAT gateway's line with an unknown unit or time, or an implausible amount.
 */
export function billLines(file: string, { cloud, columns }: BillColumns): string {
  const column = (what: string) => {
    const name = columns[what];
    return name === undefined ? "null" : `"${name.replaceAll('"', '""')}"::varchar`;
  };
  const time = (what: string) =>
    `coalesce(try_cast(${column(what)} as timestamptz), try_cast(try_strptime(${column(what)}, '%m/%d/%Y') as timestamptz))`;
  // The engine's largest and infinite times have no milliseconds.
  const ms = (sql: string) =>
    `case when ${sql} between to_timestamp(${bounds.earliestMs / 1000}) and to_timestamp(${bounds.latestMs / 1000}) then epoch_ms(${sql})::double end`;
  const { what, where, end } = gatewayLines[cloud](column, time);
  return `with line as (select ${what} as counted, ${ms(time("start"))} as s, ${ms(end)} as e, ${column("resource")} as resource,
    ${column("region")} as region, ${column("currency")} as currency, try_cast(${column("amount")} as double) as amount,
    try_cast(${column("cost")} as double) as cost from ${file} where ${where})
    select case when ${believed} then counted end as what, s, e, resource, region, currency,
    sum(amount) as amount, sum(cost) as cost, count(*)::double as lines from line group by all order by s, resource, what`;
}

const HOUR_MS = 3_600_000;
/** Plausibility of a line. NaN compares as greater than any bound. */
const believed = `e > s and e - s <= ${most.days * 24 * HOUR_MS} and coalesce(abs(cost) <= ${most.cost}, true)
  and amount between 0 and case when counted = 'hours' then ${most.gateways} * (e - s) / ${HOUR_MS} else ${most.gb} end`;
