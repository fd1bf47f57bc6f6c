/** A figure's record. */
import type { Measurement } from "../results/measurement.ts";

/** The questions that tools' figures answer, in the order of reports. */
export const questions = [
  "throughput",
  "round-trips",
  "nat-limits",
  "failover",
  "connections",
  "requests",
] as const;
export type Question = (typeof questions)[number];

/** One figure of a measurement, as the registry states it. Absent fields have the defaults below. */
export interface FigureEntry {
  /** Where the measurement has it; also its name in `repetitions.metrics`. */
  readonly path: string;
  /** Reads it. @default the number at `path` */
  readonly read?: (measurement: Measurement) => number | null | undefined;
  /** Unit of the plain number. */
  readonly unit: "bit/s" | "byte" | "1" | "%" | "us" | "ms" | "s" | "1/s";
  /** The better direction; null: neither, so nothing is judged by it. */
  readonly better: "higher" | "lower" | null;
  /** Its name in tables. */
  readonly label: string;
  /** Its name beside another figure of the same case. @default the label */
  readonly shortName?: string;
  /** Addition to the case's title in the heading of its column. @default none */
  readonly heading?: string;
  /** The value as people read it. */
  readonly format: (value: number) => string;
  /**
   * Where it is used. `compared`: in tables, CSV, page and gate. `kept`: only in the results, for every repetition.
   * `counted`: only in the measurement itself.
   *
   * @default "compared"
   */
  readonly use?: "compared" | "kept" | "counted";
  /**
   * How pairs that ran at the same time add up. `rate`: the sum over the window that all share. `loss`: lost packets of
   * all packets. null: they do not, and the sum has no such figure.
   *
   * @default null
   */
  readonly overPairs?: "sum" | "rate" | "mean" | "loss" | null;
  /** The value that stands for several repetitions. @default "mean" */
  readonly centre?: "mean" | "median";
  /** Questions that it answers: it leads the case's summary, or follows there if it has `inSummary`, and has a column in the verdict. @default none */
  readonly answers?: readonly Question[];
  /** Questions that it answers if the leading figure has no value, e.g. when all packets were lost. @default none */
  readonly alsoAnswers?: readonly Question[];
  /** Questions whose answer it accompanies. @default none */
  readonly beside?: readonly Question[];
  /** Wording in the summary beside the leading figure; absent: not shown. The words for 0 may be empty. */
  readonly inSummary?: (text: string, value: number | null) => string;
  /** Whether a missing value is unknown rather than meaningless. @default whether the measurement has its section */
  readonly applies?: (measurement: Measurement) => boolean;
  /** Whether it is compared by ranks, not by its mean. @default whether its median counts */
  readonly byRanks?: boolean;
  /**
   * The figure that decides the number of repetitions; `true`: this figure. The first measured entry decides. Changing this
   * makes stacks measure anew whose repetitions had settled. @default false
   */
  readonly decidesRepetitions?: true | NonNullable<FigureEntry["read"]>;
  /** Whether a ratio to the base topology means something. @default true */
  readonly hasRatio?: false;
  /** Wording for repetitions that ran but have no value, as in `2 of 5 found no rate`. @default nothing */
  readonly absentMeans?: string;
  /** Id of the figure above 0 in such repetitions. @default none: repetitions without a value are counted */
  readonly absentBy?: string;
  /** Addition to `absentMeans` for a measurement without a value, as in `over 19.0 s`. @default nothing */
  readonly absentDetail?: (measurement: Measurement) => string;
  /** Whether it is 1 for a repetition that failed and 0 for others: failures are counted, not compared by size. @default false */
  readonly countsFailures?: boolean;
  /** Whether a search finds it: its cases have a column of their own in the verdict. @default false */
  readonly isSearched?: boolean;
  /** Most columns whose topologies the verdict's sentences rank. @default 0 */
  readonly rankedColumns?: number;
  /** Whether it is the load's where a probe runs under load; a summary would show it as the probe's. @default false */
  readonly isOfLoad?: boolean;
  /** The smallest change, in its unit, that the gate calls a change. @default 0 */
  readonly leastChange?: number;
  /** Whether it counts survivors of a failure: losing all in one repetition is a failure that no median shows. @default false */
  readonly countsSurvivors?: boolean;
}

/** A figure with every default filled in. */
export type Figure = Required<
  Omit<FigureEntry, "hasRatio" | "decidesRepetitions" | "inSummary" | "absentBy">
> & {
  readonly hasRatio: boolean;
  /** Null: its repetitions without a value are counted. */
  readonly absentBy: string | null;
  /** Null: it does not decide. */
  readonly decidesRepetitions: NonNullable<FigureEntry["read"]> | null;
  readonly inSummary: NonNullable<FigureEntry["inSummary"]> | null;
};

/** Fills in the defaults. */
export function completeFigure(entry: FigureEntry): Figure {
  const steps = entry.path.split(".");
  const [first = ""] = steps;
  const read = entry.read ?? ((measurement: Measurement) => numberAt(measurement, steps));
  const { decidesRepetitions = null } = entry;
  return {
    shortName: entry.label,
    heading: "",
    use: "compared",
    overPairs: null,
    centre: "mean",
    answers: [],
    alsoAnswers: [],
    beside: [],
    inSummary: null,
    absentMeans: "",
    absentBy: null,
    absentDetail: () => "",
    countsFailures: false,
    isSearched: false,
    rankedColumns: 0,
    isOfLoad: false,
    applies: (measurement) => measurement[first as keyof Measurement] != null,
    leastChange: 0,
    countsSurvivors: false,
    byRanks: entry.centre === "median",
    ...entry,
    read,
    decidesRepetitions: decidesRepetitions === true ? read : decidesRepetitions,
    hasRatio: entry.hasRatio ?? true,
  };
}

function numberAt(value: unknown, [step, ...others]: readonly string[]): number | null {
  if (step === undefined) {
    return typeof value === "number" ? value : null;
  }
  return typeof value === "object" && value !== null
    ? numberAt((value as Readonly<Record<string, unknown>>)[step], others)
    : null;
}
