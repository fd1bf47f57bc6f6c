/** Describes a search's result in a few words. */
import { type FigureId, figures } from "../figures/index.ts";
import { searchedGoals } from "../figures/searched-goals.ts";
import { formatPercent } from "../plan/quantities.ts";
import type { Measurement, Search } from "../results/index.ts";
import type { Say } from "./said-figure.ts";

/**
 * `NDR 191 Mbit/s without loss (12 trials of 1 s, confirmed)`, `peak 9.40 Gbit/s at 32 streams`. A ratio adds another comma,
 * at which a wide table breaks.
 */
export function describeSearch(search: Search, say: Say): string {
  return search.goal === "peak" ? describePeak(search, say) : describeRates(search, say);
}

function describePeak({ found, confirmed, limitedBy }: Search, say: Say): string {
  const { value, behind } = say("throughput");
  const streams = found === null ? "not found" : `at ${found} ${found === 1 ? "stream" : "streams"}`;
  const figure = found === null ? "" : ` ${value === null ? "?" : figures.throughput.format(value)}${behind}`;
  const sure = confirmed || found === null ? [] : ["not confirmed"];
  const all = [streams, ...sure, ...SEARCH_LIMITS[limitedBy]].join(", ");
  return `peak${figure}${behind === "" ? "" : ","} ${all}`;
}

function describeRates(search: Search, say: Say): string {
  const { goal, found, confirmed, limitedBy, lossBoundPercent, goals, trials } = search;
  const { value, behind, estimate } = say("noDropRate");
  const without = estimate?.absent ?? 0;
  const how = [
    // A rate without loss means nothing without the length of its trials: `12 trials of 1 s`.
    `${trials.length} ${trials.length === 1 ? "trial" : "trials"}${trialLength(search)}`,
    ...(found === null ? [] : [confirmed ? "confirmed" : "not confirmed"]),
    ...(without === 0 ? [] : [`${without} of ${without + (estimate?.n ?? 0)} found no rate`]),
    ...SEARCH_LIMITS[limitedBy],
  ].join(", ");
  const figure = `${rateText(goal, value)}${behind}${value === null ? "" : lossWords(lossBoundPercent, say("loss").estimate?.max)}`;
  const partial = goals?.slice(1).find((one) => one.goal === "pdr");
  const others = (goals ?? []).slice(1).map((one, index) => {
    const id = one === partial ? "partialDropRate" : furtherGoals[index];
    const rate = id === undefined ? one.found : say(id).value;
    const length = one.trialSeconds === goals?.[0]?.trialSeconds ? "" : ` in trials of ${one.trialSeconds} s`;
    return `, ${rateText(one.goal, rate)}${rate === null ? "" : lossWords(one.lossBoundPercent)}${length}`;
  });
  return behind === "" ? `${figure}${others.join("")} (${how})` : `${figure}${others.join("")}, ${how}`;
}

const furtherGoals = Object.keys(searchedGoals) as (keyof typeof searchedGoals)[];

function rateText(goal: Search["goal"], rate: number | null): string {
  return `${goal.toUpperCase()} ${rate === null ? "not found" : figures.noDropRate.format(rate)}`;
}

/** The loss allowed by the goal. A goal may allow a part of the time to lose more. */
function lossWords(lossBoundPercent: number | null, lostPercent = 0): string {
  if (lossBoundPercent === null) {
    return "";
  }
  return lossBoundPercent === 0 && lostPercent === 0
    ? " without loss"
    : ` within ${formatPercent(lossBoundPercent)} of loss`;
}

/** `loss goal 0.5 %, trials of 1 s`: the goal behind a rate. Null: the figure does not come from a search. */
export function goalWords(id: FigureId, { search, durationSeconds }: Measurement): string | null {
  const place = id === "noDropRate" ? 0 : furtherGoals.indexOf(id as (typeof furtherGoals)[number]) + 1;
  const later = search?.goals?.slice(1).find(({ goal }) => goal === "pdr");
  const found = id === "partialDropRate" ? later : search?.goals?.[place];
  if (
    search === null ||
    search.goal === "peak" ||
    (place === 0 && !["noDropRate", "partialDropRate"].includes(id))
  ) {
    return null;
  }
  const { lossBoundPercent } = found ?? search;
  // Else the length of the best trial.
  const best = durationSeconds === null ? "" : ` of ${Math.round(10 * durationSeconds) / 10} s`;
  const length =
    found?.trialSeconds === undefined ? trialLength(search) || best : ` of ${found.trialSeconds} s`;
  const goal = lossBoundPercent === null ? [] : [`loss goal ${formatPercent(lossBoundPercent)}`];
  return [...goal, ...(length === "" ? [] : [`trials${length}`])].join(", ") || null;
}

/** ` of 1 s`; empty if it was not recorded. */
function trialLength({ trials }: Pick<Search, "trials">): string {
  const seconds = trials.flatMap(({ durationSeconds }) => durationSeconds ?? []);
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)];
  return seconds.length === 0 ? "" : ` of ${least === most ? "" : `${least} to `}${most} s`;
}

/** Notes on figures that something other than the path limited. */
const SEARCH_LIMITS: Readonly<Record<Search["limitedBy"], readonly string[]>> = {
  path: [],
  range: ["the most allowed"],
  sender: ["the sender's limit"],
  trials: ["ended early"],
};
