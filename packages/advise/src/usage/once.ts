/** Counts once the usage of one gateway and time that several files have. */
import { groupBy } from "../../../../bench/group-by.ts";
import { cloudRecords } from "../../../../bench/topologies/clouds.ts";
import {
  emptyRow,
  type FileUsage,
  highest,
  placeKey,
  placeParts,
  type Statistic,
  type UsageRow,
} from "./row.ts";

/** A row with its file, and with a name of its gateway. */
export interface NamedRow extends UsageRow {
  readonly gateway: string;
  /** Account, region, network and gateway, as far as the source has them. */
  readonly says: readonly (string | null)[];
  readonly file: number;
  /** The end of the file's time. */
  readonly end: number;
}

/** Statistics of rates and concurrent items: a gateway's maximum in a period, summed over gateways. */
export const ofMoments: ReadonlySet<Statistic> = new Set(["peak", "connections"]);

/** The rows of all files without those that another file has too. */
export function onceEach(files: readonly FileUsage[]): NamedRow[] {
  const isNew = newOnes();
  const named = namedSeries();
  const rows = files.flatMap(({ cloud, source, series }, file) => {
    const end = highest(series.flat().map(({ to }) => to));
    // CloudWatch does not split counters: two series without a name are two gateways, or one gateway twice.
    const whole = source === "metrics" && cloudRecords[cloud].splitsMetrics ? merged(series) : series;
    return whole
      .flatMap((own) => (source === "metrics" ? named(own) : own.filter((row) => isNew(row, file))))
      .map((row) => ({
        ...{ ...row, gateway: row.gateway ?? "gateway 1", file, end },
        says: [...placeParts.map((part) => row[part]), row.gateway],
      }));
  });
  return withoutRepeats(rows);
}

/** Equal lines of two bills are one line: Azure's actual and amortized cost have the same lines of usage. */
function newOnes(): (row: UsageRow, file: number) => boolean {
  const most = new Map<string, number>();
  const inFile = new Map<string, number>();
  return (row, file) => {
    const { gateway, from, to, statistic, quantity, charged } = row;
    const money = statistic === "none" ? [charged?.cause, charged?.amount] : [];
    const key = [placeKey(row), gateway, from, to, statistic, quantity, ...money].join(" ");
    const number = (inFile.get(`${file} ${key}`) ?? 0) + 1;
    inFile.set(`${file} ${key}`, number);
    const before = most.get(key) ?? 0;
    most.set(key, Math.max(number, before));
    return number > before;
  };
}

/** A series' gateway, and its points that none before had. Without a name it is the first gateway whose points it does not contradict. */
function namedSeries() {
  const seen = new Map<string, Map<string, number>>();
  return (rows: readonly UsageRow[]) => {
    const [{ statistic, gateway: own, ...place } = { ...emptyRow, statistic: "none" }] = rows;
    const pointsOf = (name: string) => {
      const key = `${statistic} ${placeKey(place)} ${name}`;
      const points = seen.get(key) ?? new Map<string, number>();
      seen.set(key, points);
      return points;
    };
    const time = ({ from, to }: UsageRow) => `${from} ${to}`;
    const fits = (name: string) =>
      rows.every((row) => (pointsOf(name).get(time(row)) ?? row.quantity) === row.quantity);
    let gateway = own ?? "gateway 1";
    for (let number = 2; own === null && !fits(gateway); number++) {
      gateway = `gateway ${number}`;
    }
    const points = pointsOf(gateway);
    const fresh = rows.filter((row) => !points.has(time(row)));
    for (const row of fresh) points.set(time(row), row.quantity);
    return fresh.map((row) => ({ ...row, gateway }));
  };
}

/** One series per statistic and gateway: a file may split it by protocol. */
function merged(series: readonly (readonly UsageRow[])[]): UsageRow[][] {
  const keyOf = (row: UsageRow) => `${row.statistic} ${placeKey(row)} ${row.gateway}`;
  return [...groupBy(series.flat(), keyOf).values()].map((rows) =>
    [...groupBy(rows, ({ from }) => from).values()].flatMap((own) => {
      const [first] = own;
      return first === undefined
        ? []
        : [{ ...first, quantity: own.reduce((sum, { quantity }) => sum + quantity, 0) }];
    }),
  );
}

/** Share of a longer time's quantity that shorter ones of another file must have, to be the same in finer steps. */
const SAME = 0.99;

/**
 * One file may have a month, another one its days, or all gateways together and each one: the finer rows count if they add up to
 * the coarser one, else that one counts.
 */
function withoutRepeats(rows: readonly NamedRow[]): NamedRow[] {
  const repeated = new Set<NamedRow>();
  const unknown = ({ says }: NamedRow) => says.filter((part) => part === null).length;
  const coarser = (one: NamedRow, other: NamedRow) =>
    one.to - one.from - (other.to - other.from) || unknown(one) - unknown(other);
  const alike = (one: NamedRow, other: NamedRow) =>
    one.says.every((part, at) => part === null || other.says[at] === null || part === other.says[at]);
  const amountOf = ({ statistic, quantity, charged }: NamedRow) =>
    statistic === "none" ? Math.abs(charged?.amount ?? 0) : quantity;
  const kind = ({ statistic, charged }: NamedRow) =>
    `${statistic} ${statistic === "none" ? charged?.cause : ""}`;
  for (const own of groupBy(rows, kind).values()) {
    if (own.every(({ file }) => file === own[0]?.file)) continue;
    const byStart = own.toSorted((a, b) => a.from - b.from);
    for (const one of own.toSorted((a, b) => coarser(b, a))) {
      if (repeated.has(one)) continue;
      const within = startingIn(byStart, one).filter(
        (other) =>
          other.file !== one.file &&
          other.to <= one.to &&
          coarser(one, other) > 0 &&
          alike(one, other) &&
          !repeated.has(other),
      );
      if (within.length === 0) continue;
      const amounts = within.map(amountOf);
      const all = ofMoments.has(one.statistic)
        ? highest(amounts)
        : amounts.reduce((sum, each) => sum + each, 0);
      for (const row of all >= SAME * amountOf(one) ? [one] : within) repeated.add(row);
    }
  }
  return rows.filter((row) => !repeated.has(row));
}

/** Rows that start in another's time, of rows in order of their start. */
function startingIn(rows: readonly NamedRow[], { from, to }: NamedRow): NamedRow[] {
  let [first, end] = [0, rows.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if ((rows[middle]?.from ?? 0) < from) first = middle + 1;
    else end = middle;
  }
  const found: NamedRow[] = [];
  for (let at = first; (rows[at]?.from ?? to) < to; at++) found.push(rows[at] as NamedRow);
  return found;
}
