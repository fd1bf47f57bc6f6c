/** The price of a preview beside the inventory's own counts: all addresses, and the credits that a machine sells. */
import { globSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { readStackFile, type StackFile } from "../../../cli/pulumi/stack-file.ts";
import { inventories, type StackCost, stackCost } from "../../../cli/run/cost.ts";
import { type PricedCloud, priceSnapshots } from "../../../report/cost/prices.ts";

const plan = parsePlan({ cases: [{ tool: "iperf3", protocol: "tcp", durationSeconds: 3600 }] });

/** Prices where a unit of one meter is what `usd` gives, and all else is free. */
function only(cloud: PricedCloud, usd: (meter: string, price: number) => number) {
  const book = priceSnapshots[cloud];
  const prices = book.prices.map(({ tiers, ...price }) => ({
    ...price,
    tiers: tiers.map((tier) => ({ ...tier, price: usd(price.meter, tier.price) })),
  }));
  return { ...book, prices };
}

const stacks = globSync("stacks/Pulumi.*.yaml")
  .map((file) => readStackFile(basename(file).replace(/^Pulumi\.|\.yaml$/g, "")))
  .filter((file): file is StackFile & { cloud: PricedCloud } => file.cloud in inventories);

describe.each([1, 3])("with %i pairs", (pairs) => {
  test.each(stacks.map((file) => [file.name, { ...file, pairs }] as const))(
    "%s pays for each of its public addresses",
    (_, file) => {
      const { addresses, temporaryAddresses } = inventories[file.cloud](file, plan);
      const counted = only(file.cloud, (meter) => Number(meter === "public-ip-hour"));
      expect(stackCost(file, plan, counted).hourlyUsd).toBe(addresses.length + temporaryAddresses.length);
    },
  );
});

function surplusOf(options: object): Pick<StackCost, "totalUsd" | "measuringSeconds"> {
  const topologies = [{ name: "nat-instance", topology: "nat-instance", options }];
  const file = { name: "s", cloud: "aws", topologies, settings: {}, pairs: 1 } as unknown as StackFile;
  return stackCost(
    file,
    plan,
    only("aws", (meter, price) => (meter.startsWith("surplus") ? price : 0)),
  );
}

// vCPUs beyond the baseline at full load, times the family's price.
test.each([
  [{ instanceType: "t4g.micro" }, 2 * 0.9 * 0.04],
  [{ instanceType: "t4g.micro", creditMode: "standard" }, 0],
  [{ instanceType: "t3.micro" }, 2 * 0.9 * 0.05],
  [{ instanceType: "t3a.micro", creditMode: "unlimited" }, 2 * 0.9 * 0.05],
  [{ instanceType: "t2.micro" }, 0],
  [{ instanceType: "t2.micro", creditMode: "unlimited" }, 1 * 0.9 * 0.05],
  [{ instanceType: "c7g.medium" }, 0],
])("%j pays for surplus credits by its mode and family: %d USD an hour", (options, usd) => {
  const { totalUsd, measuringSeconds } = surplusOf(options);
  expect(totalUsd / (measuringSeconds / 3600)).toBeCloseTo(usd, 6);
});
