/** The cost line of stacks with spot machines, whose own prices no list has. */
import { expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { costLines, stackCost } from "../../../cli/run/cost.ts";
import { priceSnapshots } from "../../../report/cost/prices.ts";

it.each([
  [{ spot: {} }, 1],
  [{ spot: { onDemandFallback: {} } }, 1],
  [{}, 0],
])(
  "a NAT instance with %o: %i spot machine is counted at the on-demand price, and the line says so",
  (options, count) => {
    const { aws } = priceSnapshots;
    const topologies = [{ name: "t", topology: "nat-instance", options: { autoHeal: true, ...options } }];
    const own = { name: "s", cloud: "aws" as const, plan: {}, topologies, settings: {}, pairs: 1 };
    const cost = stackCost(own, parsePlan("quick"), aws);
    expect(cost.spotMachines).toBe(count);
    const [line] = costLines([cost], aws);
    const said = "1 spot machine at the on-demand price: spot costs less";
    expect(line?.includes(said)).toBe(count > 0);
  },
);
