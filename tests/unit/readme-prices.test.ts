/** The README's cost table of components equals the price book. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { topologyCost } from "../../report/cost/cost.ts";
import { type PricedCloud, priceSnapshots } from "../../report/cost/prices.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

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

/** USD per month without traffic, and per received GB. */
function prices(topology: string, cloud: PricedCloud): [month: string, gb: string] {
  const bill = (gbIn: number) =>
    topologyCost({ topology, cloud, ...places[cloud] }, { hours: 730, gbIn, gbOut: 0 }, priceSnapshots[cloud])
      .totalCost as number;
  return [bill(0).toFixed(2), String(Number((bill(1) - bill(0)).toFixed(3)))];
}

test.each(Object.entries(topologies))("%s", (component, [topology, clouds]) => {
  const row = readme.match(new RegExp(`^\\| \`${component}\`.*?\\|(.*)\\|$`, "m"))?.[1];
  const cells = row?.split("|").map((cell) => cell.trim());
  const expected = (["azure", "aws"] as const).flatMap((cloud) =>
    clouds.includes(cloud) ? prices(topology, cloud) : ["", ""],
  );
  expect(cells).toEqual(expected);
});
