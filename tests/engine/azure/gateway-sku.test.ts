/**
 * A change of an ExpressRoute gateway's SKU that Azure refuses is refused at preview, and the refusal's advice works.
 *
 * Not proved: that Azure refuses nothing more; the stand-in follows its document of November 2023.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, expect, it } from "vitest";
import { createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { observe } from "../../helpers/engine-events.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAzureEngine, (one) => one.dispose());
let stack: Stack | undefined;
afterEach(() => stack?.destroy());

async function path(sku: string): Promise<Stack> {
  const args = {
    sku,
    clientAddress: "10.0.1.4",
    circuitId: "/subscriptions/0/resourceGroups/l/providers/Microsoft.Network/expressRouteCircuits/x",
    client: { network: "@network", gatewaySubnetId: "@gateway" },
    server: { network: "@far", gatewaySubnetId: "@far-gateway" },
  };
  stack = await engine.eachStack({ path: { component: "ExpressRoute", args } } as never);
  return stack;
}

async function refusal(changed: Stack): Promise<string> {
  const { failed, failureText } = await observe((onEvent) => changed.preview({ onEvent }));
  expect(failed).toBe(true);
  return failureText;
}

it("an ExpressRoute gateway of a smaller SKU is another gateway: Azure makes none smaller", {
  timeout: 600_000,
}, async () => {
  await (await path("ErGw2AZ")).up();
  const smaller = await path("ErGw1AZ");
  const text = await refusal(smaller);
  expect(text).toMatch(/sku: Azure cannot change a gateway from ErGw2AZ to ErGw1AZ/);
  const [, both = ""] = /--replace '([^']+)'/.exec(text) ?? [];
  await expect(smaller.up()).rejects.toThrow(/is not resized from ErGw2AZ to ErGw1AZ/);
  await smaller.preview({ replace: [both] });
  await smaller.up({ replace: [both] });
  await smaller.preview({ expectNoChanges: true });
});
