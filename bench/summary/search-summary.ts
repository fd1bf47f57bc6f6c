/**
 * A search's result, in a few words.
 *
 * @module
 */
import { formatBitRate } from "../plan/quantities.ts";
import type { Search } from "../results/index.ts";

/**
 * `NDR 191 Mbit/s (12 trials, confirmed)`, `peak 9.40 Gbit/s at 32 streams`. With a ratio there is a comma more, where
 * a wide table breaks.
 */
export function describeSearch(search: Search, bitsPerSecond: number | null, ratio: string): string {
  const { goal, found, confirmed, limitedBy, trials } = search;
  const doubts = SEARCH_LIMITS[limitedBy];
  if (goal === "peak") {
    const streams = found === null ? "not found" : `at ${found} ${found === 1 ? "stream" : "streams"}`;
    const figure =
      found === null ? "" : ` ${bitsPerSecond === null ? "?" : formatBitRate(bitsPerSecond)}${ratio}`;
    const all = [streams, ...(confirmed || found === null ? [] : ["not confirmed"]), ...doubts].join(", ");
    return `peak${figure}${ratio === "" ? "" : ","} ${all}`;
  }
  const sure = found === null ? [] : [confirmed ? "confirmed" : "not confirmed"];
  const how = [`${trials.length} trials`, ...sure, ...doubts].join(", ");
  const figure = rateText({ goal, found });
  const others = (search.goals ?? [])
    .slice(1)
    .map((one) => `, ${rateText(one)}`)
    .join("");
  return ratio === "" ? `${figure}${others} (${how})` : `${figure}${ratio}${others}, ${how}`;
}

function rateText({ goal, found }: Pick<Search, "goal" | "found">): string {
  return `${goal.toUpperCase()} ${found === null ? "not found" : formatBitRate(found)}`;
}

/** Note on a figure that is not the path's. */
const SEARCH_LIMITS: Readonly<Record<Search["limitedBy"], readonly string[]>> = {
  path: [],
  range: ["the most allowed"],
  sender: ["the sender's limit"],
  trials: ["ended early"],
};
