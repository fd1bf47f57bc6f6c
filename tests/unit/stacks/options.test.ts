/** A stack's options of a topology are its component's own: type, rule and description are written once. */
import { expect, test } from "vitest";
import type { z } from "zod";
import { natInstanceSchema as awsNat, fckNatSchema } from "../../../components/aws/nat-args.ts";
import { natGatewaySchema as awsGateway } from "../../../components/aws/nat-gateway-args.ts";
import { firewallEgressSchema } from "../../../components/azure/firewall-egress.ts";
import { loadBalancerEgressSchema } from "../../../components/azure/load-balancer-egress.ts";
import { natInstanceSchema as azureNat } from "../../../components/azure/nat-args.ts";
import { natGatewaySchema as azureGateway } from "../../../components/azure/nat-gateway-args.ts";
import { natOptionsSchema } from "../../../components/nat-instance/args.ts";
import { topologies as aws } from "../../../stacks/aws/topologies.ts";
import { topologies as azure } from "../../../stacks/azure/topologies.ts";

const shapeOf = (schema: z.ZodType) => (schema as z.ZodObject).shape as Record<string, z.ZodType>;

/** Options with another shape in stacks: a number or a list of zones, whose subnets and addresses the stack makes. */
const ownOfStacks = ["zones"];

test.each<[string, z.ZodType, readonly z.ZodType[]]>([
  ["AWS's nat-gateway", aws["nat-gateway"].options, [awsGateway]],
  ["AWS's nat-instance", aws["nat-instance"].options, [awsNat, natOptionsSchema]],
  ["AWS's nat-instance-ha", aws["nat-instance-ha"].options, [awsNat, natOptionsSchema]],
  ["AWS's fck-nat", aws["fck-nat"].options, [fckNatSchema]],
  ["Azure's nat-gateway", azure["nat-gateway"].options, [azureGateway]],
  ["Azure's nat-instance", azure["nat-instance"].options, [azureNat, natOptionsSchema]],
  ["Azure's nat-instance-ha", azure["nat-instance-ha"].options, [azureNat, natOptionsSchema]],
  ["Azure's load-balancer", azure["load-balancer"].options, [loadBalancerEgressSchema]],
  ["Azure's firewall", azure.firewall.options, [firewallEgressSchema]],
])("%s", (_, options, components) => {
  const known = Object.assign({}, ...components.map(shapeOf)) as Record<string, z.ZodType>;
  const shared = Object.entries(shapeOf(options)).filter(
    ([name]) => name in known && !ownOfStacks.includes(name),
  );
  expect(shared.length).toBeGreaterThan(1);
  expect(shared.filter(([name, schema]) => schema !== known[name]).map(([name]) => name)).toEqual([]);
});
