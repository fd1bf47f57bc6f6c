/** Computes everything that a report says; HTML, Markdown and CSV only lay it out. */
import { cloudRecords } from "../bench/topologies/clouds.ts";
import type { PublishedLimit } from "./charts/streams.ts";
import { type Answer, type AnswerData, answerOf } from "./choice/answer.ts";
import { defaultNeeds, type Needs } from "./choice/needs.ts";
import { priceNotesOf, zoneSentences } from "./choice/price-notes.ts";
import { answerDataOf, unmeasuredData } from "./choice/ways.ts";
import { type Baseline, type BaselineVerdict, baselineVerdict } from "./comparison/baseline.ts";
import { type Comparison, compare } from "./comparison/comparison.ts";
import type { UnmeasuredCell } from "./comparison/matrix.ts";
import { type Trend, trendsOf } from "./comparison/trend.ts";
import {
  currencyOf,
  type PriceBook,
  type PricedCloud,
  priceSnapshots,
  SHIPPED_CURRENCY,
} from "./cost/prices.ts";
import { type PricingOptions, priceColumns } from "./cost/pricing.ts";
import { type ReadInputs, withoutDuplicates } from "./inputs.ts";
import { compareWithLibrary, type LibraryComparison } from "./library/compare.ts";
import type { Contribution } from "./library/contribution.ts";
import { type PublishedFigure, publishedFigures } from "./published/published.ts";

/** Inputs of a report besides the results. */
export interface ReportOptions extends Omit<PricingOptions, "region"> {
  /** The needs. @default 1000 GB in and 200 GB out a month, a fixed address, prices as measured */
  readonly needs?: Partial<Needs>;
  /** Regions whose prices are compared, besides the measured ones. */
  readonly regions?: readonly string[];
  /** @default the snapshot that ships with this package */
  readonly prices?: Readonly<Record<PricedCloud, PriceBook>>;
  /** Notes on the prices, e.g. that live ones could not be reached. */
  readonly priceProblems?: readonly string[];
  /** The cloud's published limit of the machines, drawn in the streams chart. */
  readonly limit?: PublishedLimit;
  /** Contributed runs of others. @default none: the report does not mention a library */
  readonly library?: readonly Contribution[];
  readonly baseline?: Baseline;
  /** Cells of the measured matrix without results. @default none */
  readonly unmeasured?: readonly UnmeasuredCell[];
  /** When the report is made, as ISO 8601. */
  readonly madeAt: string;
}

/** A report as data, from which page, Markdown and CSV are made. */
export interface Report {
  readonly comparison: Comparison;
  /** Cells of the measured matrix without results. */
  readonly unmeasured: readonly UnmeasuredCell[];
  /** Problems of reading or comparing, one sentence each. */
  readonly problems: readonly string[];
  readonly needs: Needs;
  /** Inputs of the answers, one per cloud. */
  readonly answerData: readonly AnswerData[];
  readonly answers: readonly Answer[];
  /** Currency of all costs, as ISO 4217 names it. */
  readonly currency: string;
  readonly priceNotes: readonly string[];
  readonly published: readonly PublishedFigure[];
  readonly limit: PublishedLimit | null;
  /** Null: there is no library. */
  readonly library: LibraryComparison | null;
  /** Trends of stacks that ran at least twice. */
  readonly trends: readonly Trend[];
  /** Null: no earlier results. */
  readonly baseline: BaselineVerdict | null;
  readonly madeAt: string;
}

/**
 * Computes a report from inputs, even if none is usable.
 *
 * @throws {MixedCurrencies} if measured topologies' prices are in two currencies
 */
export function makeReport(read: ReadInputs, options: ReportOptions): Report {
  const unique = withoutDuplicates(read.inputs);
  const comparison = compare(unique.inputs);
  const needs = { ...defaultNeeds, ...options.needs };
  const books = options.prices ?? priceSnapshots;
  const pricing = priceColumns(comparison.columns, { ...options, ...regionOf(needs) }, books);
  const basis = { books, regions: options.regions ?? [], natSize: options.natSize };
  const labOnly =
    pricing.columns.length === 0 &&
    comparison.columns.some(({ results }) => cloudRecords[results.cloud].isLab);
  const answerData = labOnly
    ? unmeasuredData(comparison, needs.region, basis)
    : answerDataOf(comparison, pricing.columns, basis);
  const answers = answerData.map((data) => answerOf(data, needs));
  const baseline = options.baseline === undefined ? null : baselineVerdict(comparison, options.baseline);
  return {
    ...{ comparison, unmeasured: options.unmeasured ?? [] },
    problems: [...read.problems, ...unique.problems, ...comparison.problems, ...(baseline?.problems ?? [])],
    ...{ needs, answerData, answers, baseline },
    currency: currencyOf([
      ...answers.map(({ cloud, currency }) => ({ whose: cloud, currency })),
      ...ownersPrices(unique.inputs),
    ]),
    trends: trendsOf(unique.inputs, options.baseline?.tolerancePercent ?? 5),
    priceNotes: [
      ...(options.priceProblems ?? []),
      ...pricing.notes,
      ...priceNotesOf(answers, books, unique.inputs, { ...options, needs }),
      ...zoneSentences(pricing.columns, needs, books),
    ],
    library: options.library === undefined ? null : compareWithLibrary(comparison, options.library),
    published: publishedFigures(comparison),
    limit: options.limit ?? null,
    madeAt: options.madeAt,
  };
}

/** Prices of existing hosts, which their owner states in the shipped prices' currency. */
function ownersPrices(inputs: ReadInputs["inputs"]) {
  return inputs
    .filter(({ results }) => results.topologies.some(({ ownPrice }) => ownPrice !== null))
    .map(({ results: { stack } }) => ({ whose: `the hosts of ${stack}`, currency: SHIPPED_CURRENCY }));
}

function regionOf({ region }: Needs): Pick<PricingOptions, "region"> {
  return region === null ? {} : { region };
}
