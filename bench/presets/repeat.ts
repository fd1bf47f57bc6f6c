import type { Repeat } from "../plan/plan.ts";

/** What a ranking needs: of single runs nobody knows how much they scatter. */
export const THREE_TIMES: Repeat = { least: 3, most: 3, withinPercent: null };
