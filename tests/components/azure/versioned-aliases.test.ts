/** A stack of Azure leaves out aliases of versioned types; the list of them: tests/unit/stacks/. */
import { PublicIPAddress } from "@pulumi/azure-native/network/publicIPAddress.js";
import type * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { deploy } from "../../../stacks/deploy.ts";
import { mocked } from "../../helpers/azure-mocks.ts";

/** URNs that the engine would also know the resource by. Left out of the SDK's declarations. */
const aliasesOf = (resource: pulumi.Resource) =>
  (resource as unknown as { readonly __aliases: readonly unknown[] }).__aliases;
const address = () => new PublicIPAddress("another", { resourceGroupName: "mine", location: "japaneast" });

it("a deployment of Azure leaves them out of its whole stack", async () => {
  const { result } = await mocked(async () => {
    await deploy({
      stack: "test",
      cloud: "azure",
      topologies: [{ topology: "direct" }],
      plan: parsePlan("quick"),
      runId: "1",
      tuning: "none",
      pairs: 1,
      settings: {},
      ssh: { allowedCidrs: ["203.0.113.7/32"], allowAnywhere: false },
    });
    return aliasesOf(address());
  }, []);
  expect(result).toEqual([]);
  const without = await mocked(() => aliasesOf(address()), []);
  expect(without.result.length).toBeGreaterThan(10);
});
