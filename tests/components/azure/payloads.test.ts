/**
 * The payload check itself, and its API versions.
 *
 * That every resource of every topology passes it is proved by topologies.test.ts, whose mocks refuse any other. Not
 * proved: that the provider turns inputs into bodies as the mappers do, and facts that only Azure knows (quotas, SKUs of a
 * region, taken names).
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { managementClient } from "../../helpers/azure-native-standin/mappers.ts";
import { requestBody } from "../../helpers/azure-native-standin/request-body.ts";
import { resourceTypes } from "../../helpers/azure-native-standin/resource-types.ts";

/** API version of azure-native for a resource type, by its own documentation. */
function providerVersion(token: string): string | undefined {
  const [, module, name] = token.split(":") as [string, string, string];
  const file = `${name.startsWith("PublicIP") ? name.replace("PublicIP", "publicIP") : name[0]?.toLowerCase() + name.slice(1)}.d.ts`;
  const path = new URL(`../../../node_modules/@pulumi/azure-native/${module}/${file}`, import.meta.url);
  return /Uses Azure REST API version ([\w-]+)/.exec(readFileSync(path, "utf8"))?.[1];
}

describe("API versions", () => {
  it.each(Object.entries(resourceTypes))("%s", async (token, { client }) => {
    const { apiVersion } = await managementClient(client);
    // No release of @azure/arm-resources has the provider's 2024-03-01; groups did not change until 2024-11-01.
    const expected = client === "resources" ? { provider: "2024-03-01", client: "2024-11-01" } : undefined;
    const version = providerVersion(token);
    expect({ provider: version, client: apiVersion }).toEqual(
      expected ?? { provider: apiVersion, client: version },
    );
  });
});

describe("the strict walk", () => {
  const rules = "FirewallPolicyRuleCollectionGroup";
  const priority = 'priority: 1 breaks {"InclusiveMaximum":65000,"InclusiveMinimum":100}';
  const unknown = "ruleCollections[0].ruleCollectionType: ARM knows no FirewallPolicyRuleCollection.Filter";
  const fixed = 'publicIPAllocationMethod: "Fixed" is none of Static, Dynamic';

  it.each<[string, object, string?]>([
    ["Subnet", { addressPrefix: "10.0.0.0/24", natGateway: { id: "x" } }],
    ["Subnet", { adressPrefix: "10.0.0.0/24" }, "adressPrefix: unknown to ARM"],
    ["Subnet", { natGateway: { ID: "x" } }, "natGateway.ID: unknown to ARM"],
    ["Subnet", { purpose: "p" }, "purpose: read-only"],
    ["VirtualNetworkGatewayConnection", {}, "connectionType: missing"],
    ["Subnet", { defaultOutboundAccess: "false" }, 'defaultOutboundAccess: "false" is not true or false'],
    ["NatGateway", { publicIpAddresses: { id: "x" } }, 'publicIpAddresses: {"id":"x"} is not a list'],
    [rules, { priority: 1 }, priority],
    ["PublicIPAddress", { publicIPAllocationMethod: "Fixed" }, fixed],
    [rules, { ruleCollections: [{ ruleCollectionType: "Filter" }] }, unknown],
  ])("of a %s with %j", async (className, inputs, problem) => {
    const { problems } = requestBody(await managementClient("network"), className, inputs);
    expect(problems).toEqual(problem === undefined ? [] : [`${className}.${problem}`]);
  });

  it("moves flattened inputs to their place in ARM's body", async () => {
    const { body } = requestBody(await managementClient("network"), "Subnet", {
      addressPrefix: "10.0.0.0/24",
    });
    expect(body).toEqual({ properties: { addressPrefix: "10.0.0.0/24" } });
  });
});
