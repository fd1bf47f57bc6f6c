/** Figures that a person types, as a month's rows of the table. */
import type { PricedCloud } from "../../../../bench/topologies/clouds.ts";
import { HOURS_PER_MONTH } from "../../../../report/index.ts";
import type { Traffic } from "../traffic.ts";
import { emptyRow, type Statistic, type UsageRow } from "./row.ts";
import { trafficsOf } from "./table.ts";

/** A month's figures. GB are 10^9 bytes; undefined: not given. */
export interface TypedFigures {
  readonly cloud: PricedCloud;
  readonly gbIn: number | undefined;
  readonly gbOut: number | undefined;
  /** Both directions together, as the console and the bill show them. */
  readonly gb: number | undefined;
  /** NAT gateways of today. */
  readonly gateways: number;
}

/** The traffic of a month of 730 hours that ends now. */
export function typedTraffic({ cloud, gbIn, gbOut, gb, gateways }: TypedFigures, now: Date): Traffic {
  const to = now.getTime();
  const from = to - HOURS_PER_MONTH * 3_600_000;
  const row = (statistic: Statistic, quantity: number): UsageRow => ({
    ...emptyRow,
    ...{ from, to, statistic, quantity },
  });
  const series = [
    row("hours", gateways * HOURS_PER_MONTH),
    ...(gbIn === undefined && gbOut === undefined
      ? []
      : [row("in", (gbIn ?? 0) * 1e9), row("out", (gbOut ?? 0) * 1e9)]),
    ...(gb === undefined ? [] : [row("bytes", gb * 1e9)]),
  ];
  const [traffic] = trafficsOf([{ cloud, source: "typed", series: [series], skipped: [] }], {
    ...{ files: 0, bytes: 0, unusable: [] },
  });
  return traffic as Traffic;
}
