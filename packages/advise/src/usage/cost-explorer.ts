/**
 * Reads what Cost Explorer gives: the console's CSV by usage type, and `aws ce get-cost-and-usage` as JSON.
 *
 * https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_GetCostAndUsage.html
 */
import { z } from "zod";
import { findPrice, priceSnapshots } from "../../../../report/index.ts";
import { FormatError } from "../fields.ts";
import { billLines, timeOf } from "./bills.ts";
import { DAY_MS, type FileUsage, type UsageRow } from "./row.ts";

const nothing = "Cost Explorer's file has no usage type of a NAT gateway: group it by usage type";

const document = z.object({
  ResultsByTime: z.array(
    z.object({
      TimePeriod: z.object({ Start: z.string(), End: z.string() }),
      Groups: z
        .array(
          z.object({
            Keys: z.array(z.string()),
            Metrics: z.record(z.string(), z.object({ Amount: z.string(), Unit: z.string().default("") })),
          }),
        )
        .default([]),
    }),
  ),
});

/** Null: it is no answer of Cost Explorer. @throws {FormatError} */
export function costExplorerJson(given: unknown, isRegion: (name: string) => boolean): FileUsage | null {
  const { success, data } = document.safeParse(given);
  if (!success) {
    return null;
  }
  const cells = data.ResultsByTime.flatMap(({ TimePeriod: { Start, End }, Groups }) =>
    Groups.flatMap(({ Keys, Metrics }): Cell | [] => {
      const usage = Keys.find((key) => /NatGateway-/.test(key));
      const cost =
        Metrics.UnblendedCost ?? Metrics.NetUnblendedCost ?? Metrics.BlendedCost ?? Metrics.AmortizedCost;
      return usage === undefined
        ? []
        : {
            ...{ usage, start: Start, end: End },
            account: Keys.find((key) => /^\d{12}$/.test(key)) ?? "",
            region: Keys.find(isRegion) ?? "",
            amount: Metrics.UsageQuantity?.Amount ?? null,
            ...{ cost: cost?.Amount ?? null, currency: cost?.Unit ?? null },
          };
    }),
  );
  return usageOf(cells, isRegion);
}

/** The console's CSV: a row for each day or month, a column for each usage type, `EUC1-NatGateway-Bytes($)` or `(GB)`. */
export const costExplorerCsv = {
  isHeader: ([first = ""]: readonly string[]) => /^\uFEFF?usage type$/i.test(first.trim()),
  read: (
    [header = [], ...rows]: readonly (readonly string[])[],
    isRegion: (name: string) => boolean,
  ): FileUsage => {
    const dated = rows.filter(([first = ""]) => !Number.isNaN(timeOf(first)));
    const starts = dated.map(([first = ""]) => first);
    const ends = starts.map((_, at) => endOf(starts, at));
    const columns = header.flatMap((name, at) => {
      const [, usage = "", unit = ""] = /^(.*NatGateway-\S+?) ?\(([^)]*)\)$/.exec(name) ?? [];
      return usage === "" ? [] : [{ at, usage, isCost: !/^(GB|Hrs|Hours)$/i.test(unit), unit }];
    });
    const cells = [...new Set(columns.map(({ usage }) => usage))].flatMap((usage) =>
      dated.map((row, n): Cell => {
        const of = (isCost: boolean) => columns.find((one) => one.usage === usage && one.isCost === isCost);
        const cell = (isCost: boolean) => row[of(isCost)?.at ?? -1] || null;
        const unit = of(true)?.unit;
        return {
          ...{ usage, start: row[0] ?? "", end: ends[n] ?? "" },
          ...{
            amount: cell(false),
            cost: cell(true),
            currency: unit === "$" || unit === undefined ? "USD" : unit,
          },
        };
      }),
    );
    return usageOf(cells, isRegion);
  },
};

/** The end of a row: the next row's start, or as long after the last one as a month or day is. */
function endOf(starts: readonly string[], at: number): string {
  const own = new Date(timeOf(starts[at] ?? ""));
  const next = timeOf(starts[at + 1] ?? "");
  const isMonth = starts.every((one) => new Date(timeOf(one)).getUTCDate() === 1);
  const end = isMonth ? Date.UTC(own.getUTCFullYear(), own.getUTCMonth() + 1) : own.getTime() + DAY_MS;
  return new Date(Number.isNaN(next) ? end : Math.min(end, next)).toISOString();
}

interface Cell {
  readonly usage: string;
  /** The account and region that the file is grouped by, beside the usage type. @default not grouped by it */
  readonly account?: string;
  readonly region?: string;
  readonly start: string;
  readonly end: string;
  /** Null: only the cost is there. */
  readonly amount: string | null;
  readonly cost: string | null;
  readonly currency: string | null;
}

const header = [
  ...["lineItem/UsageType", "lineItem/UsageAmount", "lineItem/UsageStartDate", "lineItem/UsageEndDate"],
  ...["lineItem/UnblendedCost", "lineItem/CurrencyCode", "lineItem/UsageAccountId", "product/region"],
];

function usageOf(cells: readonly Cell[], isRegion: (name: string) => boolean): FileUsage {
  const read = billLines(header, isRegion);
  const costs = cells.flatMap(({ amount, cost }) => (amount === null ? Number(cost ?? 0) : []));
  if (costs.length > 0 && (costs.some((one) => one < 0) || costs.every((one) => one === 0))) {
    throw new FormatError(
      "costs alone, and credits or refunds in them: hours and GB cannot be made of costs below 0, or of nothing but 0. Export the usage quantity too, or only charges of the type Usage",
    );
  }
  const rows = cells.flatMap(
    ({ usage, start, end, amount, cost, currency, account = "", region = "" }): UsageRow[] => {
      const cells = [usage, amount ?? "0", start, end, cost ?? "", currency ?? "", account, region];
      const [line] = read?.([cells]) ?? [];
      if (line?.row == null) {
        return [];
      }
      if (amount === null && currency !== "USD") {
        throw new FormatError(
          `costs alone, in ${currency}: hours and GB cannot be made of them, as the shipped prices are in USD. Export the usage quantity too`,
        );
      }
      return [amount === null ? { ...line.row, quantity: quantityOf(line.row) } : line.row];
    },
  );
  if (rows.length === 0) {
    throw new FormatError(nothing);
  }
  return {
    ...{ cloud: "aws", source: "bill", series: [rows], skipped: [], isDerived: costs.length > 0 },
    assumed:
      costs.length > 0
        ? [
            "The file has costs alone: hours and GB are the cost divided by the list price. Export the usage quantity too.",
          ]
        : [],
  };
}

/** The quantity that costs as much at the region's list price. */
function quantityOf({ statistic, region, charged }: UsageRow): number {
  const meter = statistic === "hours" ? "nat-gateway-hour" : "nat-gateway-gb";
  const price = findPrice(priceSnapshots.aws, meter, region ?? "us-east-1")?.tiers[0]?.price ?? 0;
  const units = price === 0 ? 0 : Math.max(0, charged?.amount ?? 0) / price;
  return statistic === "hours" ? units : units * 1e9;
}
