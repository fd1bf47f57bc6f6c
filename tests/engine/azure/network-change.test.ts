/**
 * Changes of a network and of a gateway in it that Azure refuses are refused at preview, and what the refusal names works.
 *
 * Not proved: that Azure refuses nothing more; its documents are what the stand-in knows.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type AzureEngine, createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { observe } from "../../helpers/engine-events.ts";

let engine: AzureEngine;
let stack: Stack | undefined;
beforeAll(() => {
  engine = createAzureEngine();
});
afterEach(() => stack?.destroy());
afterAll(() => engine.dispose());

async function deployed(component: string, args: object): Promise<Stack> {
  stack = await engine.eachStack({ net: { component, args } } as never);
  return stack;
}

const network = (cidr: string, block: string) => deployed("Network", { cidr, subnet: { cidr: block } });

async function refusal(changed: Stack): Promise<string> {
  const { failed, failureText } = await observe((onEvent) => changed.preview({ onEvent }));
  expect(failed).toBe(true);
  return failureText;
}

it("a network moves to another address space by way of one that holds both", {
  timeout: 600_000,
}, async () => {
  await (await network("10.9.0.0/16", "10.9.1.0/24")).up();
  const other = await network("10.8.0.0/16", "10.8.1.0/24");
  expect(await refusal(other)).toMatch(
    /cidr: 10\.8\.0\.0\/16 leaves out 10\.9\.1\.0\/24 of subnet \S+, which is there still; change to a block that holds both/,
  );
  // Without a preview Azure itself says so.
  await expect(other.up()).rejects.toThrow(/InUsePrefixCannotBeDeleted/);
  await (await network("10.8.0.0/15", "10.8.1.0/24")).up();
  await (await network("10.8.0.0/16", "10.8.1.0/24")).up();
  await (await network("10.8.0.0/16", "10.8.1.0/24")).preview({ expectNoChanges: true });
});

it("an ExpressRoute gateway of a smaller SKU is another gateway, where Azure resizes none", {
  timeout: 600_000,
}, async () => {
  const path = (sku: string) =>
    deployed("ExpressRoute", {
      sku,
      clientAddress: "10.0.1.4",
      circuitId: "/subscriptions/0/resourceGroups/l/providers/Microsoft.Network/expressRouteCircuits/x",
      client: { network: "@network", gatewaySubnetId: "@gateway" },
      server: { network: "@far", gatewaySubnetId: "@far-gateway" },
    });
  await (await path("ErGw3AZ")).up();
  const smaller = await path("ErGw1AZ");
  const text = await refusal(smaller);
  expect(text).toMatch(/sku: Azure makes no ErGw3AZ gateway a ErGw1AZ/);
  const [, both = ""] = /--replace '([^']+)'/.exec(text) ?? [];
  await expect(smaller.up()).rejects.toThrow(/is not resized from ErGw3AZ to ErGw1AZ/);
  await smaller.preview({ replace: [both] });
  await smaller.up({ replace: [both] });
  await smaller.preview({ expectNoChanges: true });
});
