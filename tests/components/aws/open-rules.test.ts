/** Sources that the rules of a whole AWS stack admit: only the named ones, in every topology. */
import { expect, test } from "vitest";
import { aws } from "../../../stacks/aws.ts";
import { deployMocked } from "./deploy.ts";

interface Rule {
  readonly description?: string;
  readonly cidrBlocks?: readonly string[];
  readonly ipv6CidrBlocks?: readonly string[];
  readonly securityGroups?: readonly string[];
  /** Whether machines of the same group are admitted. */
  readonly self?: boolean;
}

test.each(Object.keys(aws.topologies))("%s admits nobody but who is named", async (topology) => {
  const stack = await deployMocked([{ topology }]);
  const names = stack
    .aws()
    .flatMap((one) => (one.startsWith("SecurityGroup ") ? [one.slice("SecurityGroup ".length)] : []));
  const all = names.flatMap((name) => (stack.inputs("SecurityGroup", name).ingress ?? []) as Rule[]);
  // The NAT instance's own firewall: tests/lab/nat-instance/input.test.ts.
  const rules = all.filter(({ description }) => description !== "filtered by the machine");
  expect(rules.length < all.length).toBe(topology.startsWith("nat-instance"));
  expect(rules.length).toBeGreaterThan(0);
  const sources = rules.flatMap(({ cidrBlocks = [], ipv6CidrBlocks = [], securityGroups = [], self }) => [
    ...(self ? ["itself"] : []),
    ...cidrBlocks,
    ...ipv6CidrBlocks,
    ...securityGroups,
  ]);
  expect(sources.length).toBeGreaterThanOrEqual(rules.length);
  expect(sources.filter((source) => source.endsWith("/0"))).toEqual([]);
});
