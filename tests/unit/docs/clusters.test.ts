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

it("the nodes of AKS's load balancer and gateway", () => {
  const { flowsPerAddressAndDestination: ports } = limits.azure["load-balancer"];
  expect(Math.floor((16 * (ports as number)) / 1000)).toBe(1024);
  // Without the option Azure gives each of more than 800 nodes 32 ports of each address, and 1,024 at most.
  expect(Math.min(32 * 16, 1024)).toBe(512);
  expect(page).toMatch(
    /^\| AKS, load balancer.*outbound-ports 1000.* at most 1,024 nodes.* has 512 ports, with one address 32 \|$/m,
  );
  const { flowsPerAddressAndDestination: flows, addressesPerGateway: most } = limits.azure["nat-gateway"];
  expect((flows as number) * (most as number)).toBe(800_000);
  expect(page).toMatch(/`managedNATGateway`\) is one with at most 16 addresses, so 800,000 such/);
});
