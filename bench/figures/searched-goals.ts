/** Rates that a search found for its further goals, a figure each. */
import { formatBitRate } from "../plan/quantities.ts";
import type { Measurement } from "../results/measurement.ts";
import type { FigureEntry } from "./figure.ts";

/** The wording for a search without a rate. */
export const FOUND_NONE = "found no rate";

/** The index of the goal behind `partialDropRate`; -1: none. */
function placeOfPartialDrop({ search }: Measurement): number {
  return search?.goals?.findIndex(({ goal }, place) => place > 0 && goal === "pdr") ?? -1;
}

/** The rate for the looser bound of a search for both rates; undefined for any other. */
export function partialDropRate(measurement: Measurement): number | null | undefined {
  return measurement.search?.goals?.[placeOfPartialDrop(measurement)]?.found;
}

/** A search has at most six goals: one or two of its own kind, and four more. Its case's title lists them in this order. */
const goalRate = (place: number) =>
  ({
    path: `search.goals.${place}.found`,
    read: (measurement) =>
      place === placeOfPartialDrop(measurement) ? null : measurement.search?.goals?.[place]?.found,
    unit: "bit/s",
    better: "higher",
    label: `Rate held for goal ${place + 1} of the case's title`,
    shortName: `goal ${place + 1}`,
    absentMeans: FOUND_NONE,
    format: formatBitRate,
    beside: ["throughput"],
    applies: (measurement) =>
      measurement.search?.goals?.[place] !== undefined && place !== placeOfPartialDrop(measurement),
  }) as const satisfies FigureEntry;

/** Every further goal except the one behind `partialDropRate`. */
export const searchedGoals = {
  searchedRate2: goalRate(1),
  searchedRate3: goalRate(2),
  searchedRate4: goalRate(3),
  searchedRate5: goalRate(4),
  searchedRate6: goalRate(5),
} as const satisfies Readonly<Record<string, FigureEntry>>;
