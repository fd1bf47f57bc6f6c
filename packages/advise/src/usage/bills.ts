/**
 * Reads a bill's lines of NAT gateways into rows.
 *
 * AWS's columns (Cost and Usage Report, and Data Exports' CUR 2.0): https://docs.aws.amazon.com/cur/latest/userguide/Lineitem-columns.html,
 * https://docs.aws.amazon.com/cur/latest/userguide/table-dictionary-cur2.html
 * Azure's columns (actual and amortized cost): https://learn.microsoft.com/azure/cost-management-billing/dataset-schema/cost-usage-details-ea
 * FOCUS 1.0 to 1.2: https://focus.finops.org/focus-specification/
 * Azure's quantity is the usage; a unit such as "10 Hours" belongs to its price:
 * https://learn.microsoft.com/cloud-computing/finops/focus/convert (ConsumedQuantity, PricingQuantity)
 */
import type { PricedCloud } from "../../../../bench/topologies/clouds.ts";
import { bounds } from "../reduction/raw.ts";
import { type Cause, DAY_MS, HOUR_MS, type UsageRow } from "./row.ts";

/** Column names in lower case without punctuation, which vary between versions of the exports. */
const columnsOf = {
  focus: {
    provider: ["providername", "serviceprovidername"],
    usage: ["xusagetype", "skumeter", "xskumetername"],
    category: ["xskumetercategory", "servicename"],
    amount: ["consumedquantity"],
    unit: ["consumedunit"],
    pricedAmount: ["pricingquantity"],
    pricedUnit: ["pricingunit"],
    start: ["chargeperiodstart"],
    end: ["chargeperiodend"],
    kind: ["chargecategory"],
    correction: ["chargeclass"],
    resource: ["resourceid"],
    cost: ["billedcost"],
    listed: ["listcost"],
    currency: ["billingcurrency"],
    region: ["regionid"],
    regionName: ["regionname"],
    account: ["subaccountid"],
  },
  cur: {
    usage: ["lineitemusagetype"],
    amount: ["lineitemusageamount"],
    unit: ["pricingunit"],
    start: ["lineitemusagestartdate"],
    end: ["lineitemusageenddate"],
    kind: ["lineitemlineitemtype"],
    resource: ["lineitemresourceid"],
    cost: ["lineitemunblendedcost"],
    listed: ["pricingpublicondemandcost"],
    currency: ["lineitemcurrencycode"],
    region: ["productregioncode", "productregion"],
    account: ["lineitemusageaccountid"],
  },
  costDetails: {
    category: ["metercategory"],
    subcategory: ["metersubcategory", "metersubcategoryname"],
    usage: ["metername"],
    amount: ["quantity", "usagequantity"],
    start: ["date", "usagedate", "usagedatetime"],
    kind: ["chargetype"],
    unit: ["unitofmeasure"],
    resource: ["resourceid", "instanceid"],
    cost: ["costinbillingcurrency", "pretaxcost", "cost"],
    listed: ["paygcostinbillingcurrency"],
    currency: ["billingcurrency", "billingcurrencycode", "currency"],
    region: ["resourcelocation", "resourcelocationnormalized"],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

type Form = keyof typeof columnsOf;
type Column = { [F in Form]: keyof (typeof columnsOf)[F] }[Form];

/**
 * Words of Azure's regions for those that its bills begin with, as in "EU West" for westeurope. Source: `location` beside
 * `armRegionName` in Azure's retail prices.
 */
const azurePlaces =
  pairsIn(`us us, eu europe, ap asia, ja japan, au australia, uk uk, in india, br brazil, ca canada, kr korea,
  fr france, de germany, ch switzerland, no norway, se sweden, ae uae, za southafrica, pl poland, it italy, il israel, qa qatar,
  mx mexico, es spain, nz newzealand`);
const NO_REGION = /^(|global|unassigned|unknown|n\/a|any)$/;

const needed: Readonly<Record<Form, readonly Column[]>> = {
  focus: ["amount", "start", "end", "resource"],
  cur: ["usage", "amount", "start", "end"],
  costDetails: ["category", "usage", "amount", "start"],
};

/** The lines of NAT gateways. */
export type ReadLines = (lines: readonly (readonly string[])[]) => BillLine[];

/** A line of a NAT gateway. */
interface BillLine {
  readonly cloud: PricedCloud;
  /** The line's usage; its money alone where that could not be believed. Null: its time is not known either. */
  readonly row: UsageRow | null;
  /** Whether unit, time and amount are known and possible. */
  readonly isRead: boolean;
  /** The line's money, as far as it can be read. */
  readonly money: { readonly amount: number; readonly currency: string | null } | null;
}

/** Reads the lines under a header. Null: it is no bill's. @param isRegion Whether a cloud has such a region */
export function billLines(header: readonly string[], isRegion: (name: string) => boolean): ReadLines | null {
  const plain = new Map(
    header.flatMap((name, at) => {
      // Localized exports of Azure write "Kategorie (MeterCategory)".
      const inner = /\(([A-Za-z]+)\)\s*$/.exec(name)?.[1] ?? name;
      return [name, inner].map((one) => [one.toLowerCase().replaceAll(/[^a-z]/g, ""), at] as const);
    }),
  );
  for (const form of ["focus", "cur", "costDetails"] as const) {
    const found = new Map(
      Object.entries(columnsOf[form]).flatMap(([what, names]: [string, readonly string[]]) => {
        const at = names.map((one) => plain.get(one)).find((one) => one !== undefined);
        return at === undefined ? [] : [[what as Column, at] as const];
      }),
    );
    if (needed[form].every((what) => found.has(what))) {
      const cellIn = (cells: readonly string[]) => (what: Column) =>
        cells[found.get(what) ?? -1]?.trim() ?? "";
      return (lines) => {
        const isDayFirst = daysComeFirst(lines.map((cells) => cellIn(cells)("start")));
        const read = (cells: readonly string[], days: Days) => readLine(form, cellIn(cells), isRegion, days);
        const daily = lines.flatMap((cells) => read(cells, { isDayFirst, isMonthly: false }));
        const isMonthly = form === "costDetails" && daily.some(hasMoreThanADay);
        return isMonthly ? lines.flatMap((cells) => read(cells, { isDayFirst, isMonthly })) : daily;
      };
    }
  }
  return null;
}

type Cell = (what: Column) => string;

/** How a bill writes dates, and whether a date stands for its whole month. */
interface Days {
  readonly isDayFirst: boolean;
  readonly isMonthly: boolean;
}

/** Whether one resource has more hours than its line's day, so that the line is of more than a day. A clock set back makes 25. */
const hasMoreThanADay = ({ row }: BillLine) =>
  row !== null && row.gateway !== null && row.statistic === "hours" && row.quantity > 25;

/** Whether `01/10/2026` is the first of October: of a bill's dates the days vary more than the months. */
function daysComeFirst(dates: readonly string[]): boolean {
  const parts = dates.flatMap((date) => {
    const [, first, second] = /^(\d\d?)\/(\d\d?)\/\d{4}$/.exec(date) ?? [];
    return first === undefined || second === undefined ? [] : [[Number(first), Number(second)] as const];
  });
  const varied = (at: 0 | 1) => new Set(parts.map((one) => one[at])).size;
  return parts.some(([first]) => first > 12) || varied(0) > varied(1);
}

/** A number as bills write it: `45,000.25` too. Empty: not a number. */
function numberOf(text: string): number {
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
  return plain === "" ? Number.NaN : Number(plain);
}

function readLine(
  form: Form,
  cell: Cell,
  isRegion: (name: string) => boolean,
  { isDayFirst, isMonthly }: Days,
): BillLine[] {
  const resource = cell("resource");
  const gateway = /(?:^|[:/])natgateways?\/|^nat-/i.test(resource);
  const isAzure = form === "costDetails" || /microsoft|azure/i.test(cell("provider"));
  const cloud: PricedCloud = isAzure ? "azure" : "aws";
  const names = [cell("category"), cell("subcategory"), cell("usage")].join(" ");
  const isOut = /(^|-)DataTransfer-Out-Bytes$/.test(cell("usage"));
  if (!(/nat ?gateway/i.test(names) && !(isOut && !gateway)) && !(gateway && (isOut || form === "focus"))) {
    return [];
  }
  const counted = countedBy(form, cell, isOut);
  const start = timeOf(cell("start"), isDayFirst);
  const from = isMonthly ? monthOf(start, 0) : start;
  const to = isMonthly
    ? monthOf(start, 1)
    : form === "costDetails"
      ? from + DAY_MS
      : timeOf(cell("end"), isDayFirst);
  const cause = causeOf(form, cell);
  const cost = cell("cost") === "" ? 0 : numberOf(cell("cost"));
  const currency = cell("currency") || null;
  const money = cell("cost") === "" || !(Math.abs(cost) <= most.cost) ? null : { amount: cost, currency };
  const isUsage = cause === "usage";
  const isTimed = to > from && to - from <= most.days * DAY_MS;
  const isRead =
    isTimed &&
    Math.abs(cost) <= most.cost &&
    (!isUsage ||
      (counted !== null &&
        counted.quantity >= 0 &&
        counted.quantity <=
          (counted.statistic === "hours" ? (most.gateways * (to - from)) / HOUR_MS : most.bytes)));
  const row: UsageRow = {
    account: accountOf(resource) ?? (cell("account") || null),
    region: regionOf(isAzure, cell, isRegion),
    network: null,
    gateway: !resource ? null : isAzure ? lastPart(resource).toLowerCase() : lastPart(resource),
    ...{ from, to },
    ...(isUsage && isRead && counted !== null ? counted : { statistic: "none" as const, quantity: 0 }),
    ...{
      listed: cell("listed") === "" ? null : numberOf(cell("listed")),
      charged: money && { ...money, cause: isRead ? cause : "unread" },
    },
  };
  return [{ cloud, row: isTimed ? row : null, isRead, money }];
}

/** The start of a time's month, or of one after it. */
function monthOf(time: number, after: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + after);
}

/** Plausible maximums of a line. */
const most = {
  days: 32,
  /** 1 EB: 3 Tbit/s for a month. */
  bytes: 1e18,
  /** Most gateways of one line. */
  gateways: 1000,
  cost: 1e12,
} as const;

/** `GB`, `1 TiB`, `10 Hours`, `1/Hour`: hours, or bytes, where a GB is that of the price lists. Null: another unit. */
function unitOf(text: string) {
  const [found, many = "", hours, letter = "", binary = "", word = ""] =
    /^([0-9]*) ?\/? ?(?:(h|hrs?|hours?)|([kmgtp]?)(i?)b|(kilo|mega|giga|tera|peta)?bytes?)$/i.exec(text) ??
    [];
  const step = binary === "" ? 1000 : 1024;
  const size = step ** " kmgtp".indexOf((letter || word[0] || " ").toLowerCase());
  const statistic = hours === undefined ? ("bytes" as const) : ("hours" as const);
  return found === undefined ? null : { statistic, size, many: Number(many || 1) };
}

/** What the line counts, in bytes or hours. Null: not known. */
function countedBy(
  form: Form,
  cell: Cell,
  isOut: boolean,
): { readonly statistic: "bytes" | "out" | "hours"; readonly quantity: number } | null {
  const usage = cell("usage");
  const isPriced = cell("amount") === "" && cell("pricedAmount") !== "";
  const text = cell(isPriced ? "pricedUnit" : "unit");
  const unit = unitOf(text);
  const named =
    isOut || /NatGateway-(\w+-)?Bytes$|Data Processed$/.test(usage)
      ? "bytes"
      : /NatGateway-(\w+-)?Hours$|Gateway$/.test(usage)
        ? "hours"
        : form === "focus" && usage === ""
          ? unit?.statistic
          : undefined;
  if (named === undefined || (text !== "" && unit?.statistic !== named)) {
    return null;
  }
  // A unit such as "10 Hours" belongs to the price, not to the usage.
  const each = (unit?.size ?? (named === "hours" ? 1 : 1e9)) * (isPriced ? (unit?.many ?? 1) : 1);
  const quantity = numberOf(cell(isPriced ? "pricedAmount" : "amount")) * each;
  return { statistic: isOut ? "out" : named, quantity };
}

/** Kinds of lines that count usage: https://docs.aws.amazon.com/cur/latest/userguide/Lineitem-columns.html (LineItemType) */
const usageKinds = /^(Usage|DiscountedUsage|SavingsPlanCoveredUsage|)$/i;

function causeOf(form: Form, cell: Cell): Cause {
  const kind = cell("kind");
  if (usageKinds.test(kind) && !/correction/i.test(cell("correction"))) {
    return "usage";
  }
  return /discount|negation/i.test(kind)
    ? "discount"
    : /credit/i.test(kind)
      ? "credit"
      : /refund/i.test(kind) || (form === "focus" && /correction/i.test(cell("correction")))
        ? "refund"
        : "other";
}

/** The account of an ARN, or the subscription of Azure's resource id. Null: neither. */
function accountOf(resource: string): string | null {
  return (
    /^arn:[^:]*:[^:]*:[^:]*:(\d+):/.exec(resource)?.[1] ??
    /^\/subscriptions\/([^/]+)\//i.exec(resource)?.[1]?.toLowerCase() ??
    null
  );
}

/** Prefixes of usage types, beside their regions. https://docs.aws.amazon.com/AmazonS3/latest/userguide/aws-usage-report-understand.html */
const usagePrefixes = pairsIn(
  `USE1 us-east-1, USE2 us-east-2, USW1 us-west-1, USW2 us-west-2, UGW1 us-gov-west-1, UGE1 us-gov-east-1,
  CAN1 ca-central-1, CAN2 ca-west-1, SAE1 sa-east-1, AFS1 af-south-1, ILC1 il-central-1,
  EU eu-west-1, EUW1 eu-west-1, EUW2 eu-west-2, EUW3 eu-west-3, EUC1 eu-central-1, EUC2 eu-central-2,
  EUN1 eu-north-1, EUS1 eu-south-1, EUS2 eu-south-2, MES1 me-south-1, MEC1 me-central-1,
  APN1 ap-northeast-1, APN2 ap-northeast-2, APN3 ap-northeast-3, APE1 ap-east-1,
  APS1 ap-southeast-1, APS2 ap-southeast-2, APS3 ap-south-1, APS4 ap-southeast-3, APS5 ap-south-2,
  APS6 ap-southeast-4`,
);

/** The two words of each pair in a list. */
function pairsIn(list: string): ReadonlyMap<string, string> {
  return new Map(list.split(/,\s+/).map((pair) => pair.split(" ") as [string, string]));
}

/** The region by its column, the resource's ARN, or the usage type. An unknown name stays: it is a place of its own. Null: none is named. */
function regionOf(isAzure: boolean, cell: Cell, isRegion: (name: string) => boolean): string | null {
  if (isAzure) return azureRegionOf(cell("region") || cell("regionName"), isRegion);
  const named = cell("region").toLowerCase();
  const ofArn = cell("resource").split(":")[3];
  const prefix = /^([A-Z]{2,3}\d?)-(?:NatGateway|DataTransfer)/.exec(cell("usage"))?.[1];
  // us-east-1 has no prefix.
  const ofUsage = usagePrefixes.get(prefix ?? "USE1");
  const known = [named, ofArn, ofUsage].find((one) => one !== undefined && isRegion(one));
  return known ?? (NO_REGION.test(named) ? null : named);
}

function azureRegionOf(name: string, isRegion: (name: string) => boolean): string | null {
  const [first = "", ...rest] = name.toLowerCase().split(" ");
  const number = rest.filter((word) => /^\d+$/.test(word));
  const side = rest.filter((word) => !number.includes(word));
  const place = azurePlaces.get(first) ?? first;
  const plain = [first, ...rest].join("");
  const names = [plain, [place, ...rest].join(""), [...side, place, ...number].join("")];
  return names.find(isRegion) ?? (NO_REGION.test(plain) ? null : plain);
}

const lastPart = (id: string) => id.split("/").at(-1) || id;

/** Milliseconds since 1970; times without a zone are UTC. NaN: no time from 2000 to 2100. */
export function timeOf(text: string, isDayFirst = false): number {
  const [, first = "", second = "", year = ""] = /^(\d\d?)\/(\d\d?)\/(\d{4})$/.exec(text) ?? [];
  const [month, day] = isDayFirst ? [second, first] : [first, second];
  const [, ownDay = "", ownMonth = "", ownYear = ""] = /^(\d\d?)\.(\d\d?)\.(\d{4})$/.exec(text) ?? [];
  const [, date = "", time = "", zone = ""] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/.exec(text) ??
    [];
  const at =
    year !== ""
      ? Date.UTC(Number(year), Number(month) - 1, Number(day))
      : ownYear !== ""
        ? Date.UTC(Number(ownYear), Number(ownMonth) - 1, Number(ownDay))
        : Date.parse(
            `${date}T${time || "00:00"}${zone === "UTC" ? "Z" : zone.replace(/^([+-]\d\d)$/, "$1:00") || "Z"}`,
          );
  return Number(month) <= 12 && at >= bounds.earliestMs && at < bounds.latestMs ? at : Number.NaN;
}
