/**
 * From results to the ways out that an answer chooses from: one answer for each cloud, as prices and networks of different
 * clouds are no choice of one subnet.
 *
 * @module
 */
import { topologyNamed } from "../../bench/topologies/index.ts";
import type { Column, Comparison } from "../comparison/comparison.ts";
import type { PricedRule } from "../cost/bill.ts";
import { type PricedTopology, pricedRules } from "../cost/cost.ts";
import type { PriceBook, PricedCloud } from "../cost/prices.ts";
import { priceDefaults } from "../cost/pricing.ts";
import type { AnswerData } from "./answer.ts";
import type { Way } from "./assess.ts";
import { evidenceOf } from "./evidence.ts";
import { candidates, wayOutOf } from "./limits.ts";

/** What ways out are priced by. */
export interface WaysOptions {
  readonly books: Readonly<Record<PricedCloud, PriceBook>>;
  /** Regions to compare, beside those that were measured in. */
  readonly regions: readonly string[];
  readonly natSize: string | undefined;
}

interface PricedColumn {
  readonly column: Column;
  readonly priced: PricedTopology;
}

/** One a cloud that was measured; of the lab alone, that of the cloud which it is priced as. */
export function answerDataOf(
  comparison: Comparison,
  columns: readonly PricedColumn[],
  options: WaysOptions,
): AnswerData[] {
  const measured = columns.filter(({ column }) => column.results.cloud !== "local");
  const shown = newestRuns(measured.length > 0 ? measured : columns);
  const past = comparison.columns.length;
  const clouds = [...new Set(shown.map(({ priced }) => priced.cloud))];
  return clouds.map((cloud) => {
    const own = shown.filter(({ priced }) => priced.cloud === cloud);
    const book = options.books[cloud];
    const regions = regionsOf(own, options.regions, book);
    const ways = own.map((one) => wayOf(comparison, one, regions, book));
    const home = own.map(({ priced }) => priced.region);
    return {
      ...{ cloud, regions },
      compared: options.regions.length === 0 ? [] : [...new Set([...home, ...options.regions])],
      ways: [...ways, ...unmeasured(ways, own, cloud, regions, { ...options, past })],
    };
  });
}

/** Of several runs of one stack the newest speaks: a way out is no alternative to itself. */
function newestRuns(columns: readonly PricedColumn[]): readonly PricedColumn[] {
  const keyOf = ({ column: { results, topology } }: PricedColumn) =>
    JSON.stringify([results.cloud, results.stack, topology.name]);
  const startOf = ({ column: { results } }: PricedColumn) => results.startedAt ?? results.finishedAt ?? "";
  return columns.filter((one) =>
    columns.every((other) => other === one || keyOf(other) !== keyOf(one) || !isNewer(other, one, startOf)),
  );
}

function isNewer(a: PricedColumn, b: PricedColumn, startOf: (one: PricedColumn) => string): boolean {
  const order = startOf(a).localeCompare(startOf(b));
  return order === 0 ? a.column.index < b.column.index : order > 0;
}

/** Those that were measured in, those that are asked for, and those whose NAT gateways or machines the book prices. */
function regionsOf(
  columns: readonly PricedColumn[],
  asked: readonly string[],
  { prices }: PriceBook,
): string[] {
  const own = columns.map(({ priced }) => priced.region);
  const priced = prices.flatMap(({ region, meter }) =>
    region !== null && /^(vm-hour|disk-month)/.test(meter) ? [region] : [],
  );
  return [...new Set([...own, ...asked, ...priced])];
}

function wayOf(comparison: Comparison, one: PricedColumn, regions: readonly string[], book: PriceBook): Way {
  const { column, priced } = one;
  const lab = column.results.cloud === "local";
  const record = topologyNamed(priced.topology);
  return {
    id: column.label,
    column: column.index,
    look: column.index,
    topology: priced.topology,
    out: wayOutOf(priced.topology),
    cloud: priced.cloud,
    region: priced.region,
    natSize: record?.nat === "instance" ? priced.natSize : null,
    addresses: priced.publicIps ?? 1,
    rules: rulesIn(priced, regions, book),
    // What a lab's namespaces carry is the machine's doing, not a network's.
    evidence: lab ? null : evidenceOf(comparison, column),
    lab,
  };
}

/** Only its own region's prices have a stand-in: another region is to be compared by its own. */
function rulesIn(
  { standIn, ...priced }: PricedTopology,
  regions: readonly string[],
  book: PriceBook,
): Way["rules"] {
  const entries = regions.flatMap((region): [string, PricedRule[]][] => {
    const own = region === priced.region && standIn !== undefined ? { standIn } : {};
    const rules = pricedRules({ ...priced, region, ...own }, book);
    return rules === null ? [] : [[region, rules]];
  });
  return Object.fromEntries(entries);
}

/** The cloud's other candidates, without evidence. */
function unmeasured(
  ways: readonly Way[],
  columns: readonly PricedColumn[],
  cloud: PricedCloud,
  regions: readonly string[],
  { books, natSize, past }: WaysOptions & { readonly past: number },
): Way[] {
  const { region, standIn } = columns[0]?.priced ?? {
    region: priceDefaults[cloud].region,
    standIn: undefined,
  };
  const missing = candidates[cloud].filter((name) => ways.every(({ out }) => out !== name));
  return missing.map((name, at): Way => {
    const size = natSize ?? priceDefaults[cloud].natSize;
    const priced: PricedTopology = {
      ...{ topology: name, cloud, region, natSize: size },
      ...(standIn === undefined ? {} : { standIn }),
    };
    return {
      id: ways.some(({ id }) => id === name) ? `${name} (not measured)` : name,
      column: null,
      look: past + at,
      ...{ topology: name, out: name, cloud, region },
      natSize: name === "nat-instance" ? size : null,
      addresses: 1,
      rules: rulesIn(priced, regions, books[cloud]),
      evidence: null,
      lab: false,
    };
  });
}
