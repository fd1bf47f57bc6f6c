/** Builds the ways out for answers from results: one answer per cloud, since a subnet cannot choose between clouds. */
import { groupBy } from "../../bench/group-by.ts";
import { pricedClouds } from "../../bench/topologies/clouds.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import {
  candidateKinds,
  candidates,
  isNatInstance,
  limitsOf,
  wayOutOf,
} from "../../bench/topologies/limits.ts";
import { otherWays } from "../../bench/topologies/other-ways.ts";
import type { Column, Comparison } from "../comparison/comparison.ts";
import type { PricedRule } from "../cost/bill.ts";
import { type PricedTopology, pricedRules } from "../cost/cost.ts";
import { findPrice, type PriceBook, type PricedCloud } from "../cost/prices.ts";
import { priceDefaults } from "../cost/pricing.ts";
import { zonedRegions } from "../cost/zones.ts";
import type { AnswerData, PricedOther } from "./answer.ts";
import { CROSSING, type Way } from "./assess.ts";
import { evidenceOf } from "./evidence.ts";
import { natMachine, natMachines } from "./machines.ts";

export interface WaysOptions {
  readonly books: Readonly<Record<PricedCloud, PriceBook>>;
  /** Regions to compare, besides the measured ones. */
  readonly regions: readonly string[];
  readonly natSize: string | undefined;
}

interface PricedColumn {
  readonly column: Column;
  readonly priced: PricedTopology;
}

/** One entry per measured cloud. */
export function answerDataOf(
  comparison: Comparison,
  columns: readonly PricedColumn[],
  options: WaysOptions,
): AnswerData[] {
  const shown = newestRuns(columns);
  const past = comparison.columns.length;
  const clouds = [...new Set(shown.map(({ priced }) => priced.cloud))];
  return clouds.map((cloud) => {
    const own = shown.filter(({ priced }) => priced.cloud === cloud);
    const book = options.books[cloud];
    const regions = regionsOf(own, options.regions, book);
    const ways = own.map((one) => wayOf(comparison, one, regions, book));
    const home = own.map(({ priced }) => priced.region);
    const { region, standIn } = own[0]?.priced ?? { ...priceDefaults[cloud], standIn: undefined };
    const site = {
      cloud,
      region,
      regions,
      book,
      natSize: options.natSize,
      ...(standIn === undefined ? {} : { standIn }),
    };
    return {
      ...{ cloud, currency: book.currency, regions, others: othersOf(book) },
      compared: options.regions.length === 0 ? [] : [...new Set([...home, ...options.regions])],
      ways: [...ways, ...candidateWays(site, ways, past)],
    };
  });
}

/**
 * One entry per cloud where only the lab measured, which is no real network: the region's own cloud, else all with prices in one
 * currency.
 *
 * @param region Null: each cloud's default.
 */
export function unmeasuredData(
  { columns }: Comparison,
  region: string | null,
  options: WaysOptions,
): AnswerData[] {
  const { books } = options;
  const has = (cloud: PricedCloud) =>
    [...zonedRegions[cloud], ...books[cloud].prices.map((price) => price.region)].includes(region ?? "");
  const given = pricedClouds.find((cloud) => books[cloud].origin === "file") ?? "aws";
  const own = pricedClouds.filter(has);
  const shown = own.length > 0 ? own : pricedClouds;
  return shown
    .filter((cloud) => own.length > 0 || books[cloud].currency === books[given].currency)
    .map((cloud) =>
      candidateData(
        cloud,
        (has(cloud) ? region : null) ?? priceDefaults[cloud].region,
        options,
        columns.length,
      ),
    );
}

/**
 * Candidates of a cloud without any results, at one region's prices and at those of all regions in the book.
 *
 * @param past First free number of a look.
 */
export function candidateData(
  cloud: PricedCloud,
  region: string,
  { books, natSize, regions: asked = [] }: Pick<WaysOptions, "books" | "natSize"> & Partial<WaysOptions>,
  past = 0,
): AnswerData {
  const book = books[cloud];
  const regions = regionsOf([], [region, ...asked], book);
  const standIn = priceDefaults[cloud].region;
  return {
    ...{ cloud, currency: book.currency, regions, others: othersOf(book) },
    compared: asked.length === 0 ? [] : [...new Set([region, ...asked])],
    ways: candidateWays({ cloud, region, regions, standIn, book, natSize }, [], past),
  };
}

/** Unmeasured candidates of a cloud in every region with a price or a price zone; missing prices have defaults. */
export function candidatesEverywhere(cloud: PricedCloud, books: WaysOptions["books"]): AnswerData {
  const book = books[cloud];
  const { region } = priceDefaults[cloud];
  const priced = book.prices.flatMap((price) => price.region ?? []);
  const named = [...priced, ...zonedRegions[cloud]].filter((name) => !name.startsWith("zone-"));
  const regions = [region, ...[...new Set(named)].filter((name) => name !== region).sort()];
  return {
    ...{ cloud, currency: book.currency, regions, others: othersOf(book), compared: [] },
    ways: candidateWays({
      cloud,
      region,
      regions,
      standIn: region,
      everywhere: true,
      book,
      natSize: undefined,
    }),
  };
}

function othersOf(book: PriceBook): PricedOther[] {
  const { cloud } = book;
  return otherWays[cloud].map(({ charges, source: _source, read: _read, ...other }) => {
    const place = { topology: other.title, cloud, region: priceDefaults[cloud].region, natSize: "" };
    return { ...other, rules: pricedRules(place, book, charges) ?? [] };
  });
}

/** Columns of each stack's newest run: a way out is no alternative to itself. */
function newestRuns(columns: readonly PricedColumn[]): readonly PricedColumn[] {
  const keyOf = ({ column: { results, topology } }: PricedColumn) =>
    JSON.stringify([results.cloud, results.stack, topology.name]);
  const startOf = ({ column: { results } }: PricedColumn) => results.startedAt ?? results.finishedAt ?? "";
  const runs = groupBy(columns, keyOf);
  return columns.filter((one) =>
    runs.get(keyOf(one))?.every((other) => other === one || !isNewer(other, one, startOf)),
  );
}

function isNewer(a: PricedColumn, b: PricedColumn, startOf: (one: PricedColumn) => string): boolean {
  const order = startOf(a).localeCompare(startOf(b));
  return order === 0 ? a.column.index < b.column.index : order > 0;
}

/** Measured regions, requested ones, and all in the price book. */
function regionsOf(
  columns: readonly PricedColumn[],
  asked: readonly string[],
  { prices }: PriceBook,
): string[] {
  const own = columns.map(({ priced }) => priced.region);
  const priced = prices.flatMap(({ region }) => region ?? []).toSorted();
  return [...new Set([...own, ...asked, ...priced])];
}

function wayOf(comparison: Comparison, one: PricedColumn, regions: readonly string[], book: PriceBook): Way {
  const { column, priced } = one;
  const record = topologyNamed(priced.topology);
  return {
    id: column.label,
    column: column.index,
    look: column.index,
    topology: priced.topology,
    out: wayOutOf(priced.topology),
    cloud: priced.cloud,
    region: priced.region,
    kind: column.topology.kind,
    machine:
      record?.nat === "instance"
        ? natMachine(priced.natSize, regions, book, standInOf([priced.region], priced.standIn))
        : null,
    machines: [],
    term: record?.nat === "instance" ? (book.term ?? null) : null,
    addresses: priced.publicIps ?? 1,
    rules: rulesIn(priced, regions, book),
    evidence: evidenceOf(comparison, column),
  };
}

/** @param regions Regions that may use the stand-in's prices. */
function standInOf(regions: readonly string[], standIn: string | undefined) {
  return standIn === undefined ? undefined : { region: standIn, for: regions };
}

/** Other regions get no stand-in prices, since they are compared by their own. */
function rulesIn(
  { standIn, ...priced }: PricedTopology,
  regions: readonly string[],
  book: PriceBook,
  everywhere = false,
): Way["rules"] {
  const entries = regions.flatMap((region): [string, PricedRule[]][] => {
    const own = (everywhere || region === priced.region) && standIn !== undefined ? { standIn } : {};
    const rules = pricedRules({ ...priced, region, ...own }, book);
    return rules === null ? [] : [[region, [...rules, ...crossingRules(priced.topology, region, book)]]];
  });
  return Object.fromEntries(entries);
}

/** The charge for crossing zones, for a zonal way out. The needs decide how much crosses. */
function crossingRules(topology: string, region: string, book: PriceBook): PricedRule[] {
  const out = wayOutOf(topology);
  const price = findPrice(book, CROSSING, region);
  return out === null || price === null || limitsOf(book.cloud, out)?.zonal !== true
    ? []
    : [{ ...price, kind: "data", meter: CROSSING, per: "gb", count: 0, pricedIn: null }];
}

interface CandidateSite {
  readonly cloud: PricedCloud;
  readonly region: string;
  /** All regions with requested prices. */
  readonly regions: readonly string[];
  /** Region whose price replaces one that `region` lacks. */
  readonly standIn?: string;
  /** Whether it replaces those of each of `regions`. @default false */
  readonly everywhere?: boolean;
  readonly book: PriceBook;
  /** Undefined: the needs decide. */
  readonly natSize: string | undefined;
}

/**
 * The cloud's unmeasured candidates. A NAT instance is included even if one was measured, since another size may fit better or
 * cost less.
 *
 * @param past First free number of a look.
 */
function candidateWays(site: CandidateSite, measured: readonly Way[] = [], past = 0): Way[] {
  const { cloud, region, regions, standIn, everywhere, book, natSize } = site;
  const all = candidates[cloud].flatMap((name) =>
    [null, ...(candidateKinds[cloud]?.[name] ?? [])].map((kind) => ({ name, kind })),
  );
  const proposed = all.filter(
    ({ name, kind }) =>
      measured.every((way) => way.out !== name || way.kind !== kind) ||
      (isNatInstance(name) && natSize === undefined),
  );
  const other = standInOf(everywhere ? regions : [region], standIn);
  // Comparing all sizes with one another takes longer than the rest of an answer.
  const sizes = natSize === undefined ? natMachines(cloud, regions, book, other) : [];
  return proposed.map(({ name, kind }, at): Way => {
    const instance = isNatInstance(name);
    const known = new Set(measured.map(({ out, machine }) => (out === name ? machine?.size : undefined)));
    const fixed = instance && natSize !== undefined ? natMachine(natSize, regions, book, other) : null;
    const machines = instance ? sizes.filter(({ size }) => !known.has(size)) : [];
    const priced: PricedTopology = {
      ...{ topology: name, cloud, region, natSize: natSize ?? machines[0]?.size ?? "" },
      kinds: Object.fromEntries(
        kind === null ? [] : (topologyNamed(name)?.kinds?.meters ?? []).map((meter) => [meter, kind]),
      ),
      ...(standIn === undefined ? {} : { standIn }),
    };
    const own = kind === null ? name : `${name} (${kind})`;
    return {
      id: measured.some((way) => way.id === own || (way.out === name && way.kind === kind))
        ? `${own} (not measured)`
        : own,
      column: null,
      look: past + at,
      ...{ topology: name, out: name, kind, cloud, region, machine: fixed, machines },
      term: instance ? (book.term ?? null) : null,
      addresses: 1,
      rules: rulesIn(priced, regions, book, everywhere),
      evidence: null,
    };
  });
}
