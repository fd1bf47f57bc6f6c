/** Sources that the rules of a whole stack admit: only the named ones, in every topology. */
import { expect, test } from "vitest";
import { aws } from "../../stacks/aws.ts";
import { azure } from "../../stacks/azure.ts";
import { deployMocked as onAws } from "./aws/deploy.ts";
import { deployMocked as onAzure } from "./azure/deploy.ts";
import { circuitId } from "./stack-files.ts";

/** A rule's lists of sources, and single sources. */
type Sources = readonly (string | readonly string[] | undefined)[];

/** @param rules The sources of each */
function expectNamedOnly(rules: readonly Sources[]): void {
  expect(rules.length).toBeGreaterThan(0);
  const sources = rules.flatMap((rule) => rule.flatMap((one = []) => one));
  expect(sources.length).toBeGreaterThanOrEqual(rules.length);
  expect(sources.filter((source) => /^(\*|Internet|Any|.*\/0)$/.test(source))).toEqual([]);
}

test.each(Object.keys(aws.topologies))("%s admits nobody on AWS but who is named", async (topology) => {
  const { resources } = await onAws([{ topology }]);
  const all = resources
    .filter(({ type }) => type.endsWith(":SecurityGroup"))
    .flatMap(({ inputs }) => inputs.ingress ?? []);
  // The NAT instance's own firewall: tests/lab/nat-instance/input.test.ts.
  const rules = all.filter(({ description }) => description !== "filtered by the machine");
  expect(rules.length < all.length).toBe(topology.startsWith("nat-instance"));
  expectNamedOnly(
    rules.map(({ self, cidrBlocks, ipv6CidrBlocks, securityGroups }) => [
      ...(self ? ["machines of the same group"] : []),
      ...[cidrBlocks, ipv6CidrBlocks, securityGroups],
    ]),
  );
});

test.each(Object.keys(azure.topologies))("%s admits nobody on Azure but who is named", async (topology) => {
  const { resources } = await onAzure([{ topology, ...(topology === "expressroute" && { circuitId }) }]);
  const rules = resources
    .filter(({ type }) => type.endsWith(":NetworkSecurityGroup"))
    .flatMap(({ inputs }) => inputs.securityRules ?? [])
    .filter(({ direction, access }) => direction === "Inbound" && access === "Allow");
  expectNamedOnly(
    rules.map(({ sourceAddressPrefix, sourceAddressPrefixes }) => [
      sourceAddressPrefix,
      sourceAddressPrefixes,
    ]),
  );
});
