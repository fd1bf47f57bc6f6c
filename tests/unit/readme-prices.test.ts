/** The README's contrast of prices, and the library's cost table of components, equal the price book. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { topologyCost } from "../../report/cost/cost.ts";
import { type PricedCloud, priceSnapshots } from "../../report/cost/prices.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Cells of a component's row in a document's table. */
function cellsOf(path: string, component: string): string[] | undefined {
  const row = read(path).match(new RegExp(`^\\| \`${component}\`.*?\\|(.*)\\|$`, "m"))?.[1];
  return row?.split("|").map((cell) => cell.trim());
}

const topologies: Readonly<Record<string, readonly [topology: string, clouds: readonly PricedCloud[]]>> = {
  NatInstance: ["nat-instance", ["azure", "aws"]],
  FckNat: ["fck-nat", ["aws"]],
  NatGatewayEgress: ["nat-gateway", ["azure", "aws"]],
  LoadBalancerEgress: ["load-balancer", ["azure"]],
  FirewallEgress: ["firewall", ["azure"]],
  DirectEgress: ["direct", ["azure", "aws"]],
  DefaultSnat: ["default-snat", ["azure"]],
};
const places = {
  azure: { region: "eastus", natSize: "Standard_B2ats_v2" },
  aws: { region: "us-east-1", natSize: "t4g.micro" },
} as const;

/** USD for a month of received GB. */
const bill = (topology: string, cloud: PricedCloud, gbIn: number) =>
  topologyCost({ topology, cloud, ...places[cloud] }, { hours: 730, gbIn, gbOut: 0 }, priceSnapshots[cloud])
    .totalCost as number;

/** USD per month without traffic, and per received GB. */
function prices(topology: string, cloud: PricedCloud): [month: string, gb: string] {
  const month = bill(topology, cloud, 0);
  return [month.toFixed(2), String(Number((bill(topology, cloud, 1) - month).toFixed(3)))];
}

test.each([
  ["NatGatewayEgress", "nat-gateway"],
  ["NatInstance", "nat-instance"],
])("README: 10 TB a month through %s", (component, topology) => {
  const expected = (["aws", "azure"] as const).map((cloud) => bill(topology, cloud, 10_000).toFixed(2));
  expect(cellsOf("README.md", component)).toEqual(expected);
});

test.each(Object.entries(topologies))("docs/library.md: %s", (component, [topology, clouds]) => {
  const expected = (["azure", "aws"] as const).flatMap((cloud) =>
    clouds.includes(cloud) ? prices(topology, cloud) : ["", ""],
  );
  expect(cellsOf("docs/library.md", component)).toEqual(expected);
});
