/** The figures of docs/reference/nat-limits.md for clusters are sums of the published limits. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { limits } from "../../../bench/topologies/limits.ts";

const page = readFileSync("docs/reference/nat-limits.md", "utf8");
const CONNECTIONS = 1000 * 1000;

it.each([
  ["AKS, load balancer", limits.azure["load-balancer"], 1],
  ["AKS, NAT gateway", limits.azure["nat-gateway"], 2],
  ["EKS, zonal NAT gateway", limits.aws["nat-gateway"], 3],
] as const)("%s", (way, { flowsPerAddressAndDestination: flows, addressesPerGateway: most }, gateways) => {
  const addresses = Math.ceil(CONNECTIONS / (flows as number));
  expect(Math.ceil(addresses / (most as number))).toBe(gateways);
  expect(page).toMatch(new RegExp(`^\\| ${way}.* \\| ${addresses} \\| ${gateways}\\b`, "m"));
});

it("a NAT instance's addresses", () => {
  expect(
    Math.ceil(CONNECTIONS / (limits.azure["nat-instance"].flowsPerAddressAndDestination as number)),
  ).toBe(16);
  expect(page).toContain("| NAT instance (AKS: `userDefinedRouting`) | 16 |");
});
