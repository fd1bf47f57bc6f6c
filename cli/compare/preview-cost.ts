/** The price in the preview of a cloud's stack. */
import { isPriced } from "../../bench/index.ts";
import { priceSnapshots } from "../../report/cost/prices.ts";
import type { StackConfig } from "../../stacks/config.ts";
import { costLines, stackCost } from "./cost.ts";

/** @returns null for a stack of a cloud without prices. @throws {Error} on settings that the stack refuses too */
export function previewCost(config: StackConfig): string | null {
  const { stack, cloud, plan, pairs, settings } = config;
  if (!isPriced(cloud)) {
    return null;
  }
  const topologies = config.topologies.map(({ topology, name, ...options }) => ({
    topology: String(topology),
    name: String(name ?? topology),
    options,
  }));
  const file = { name: stack, cloud, plan, pairs, settings, topologies };
  const book = priceSnapshots[cloud];
  return costLines([stackCost(file, plan, book)], book).join("\n");
}
