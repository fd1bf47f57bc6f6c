/**
 * A single machine becomes a pair's first, or a pair becomes a single machine, on another interface: the machine is deleted
 * before its interface, as Azure requires, though both get another name in the same update.
 *
 * Not proved: that the real provider replaces the same as the stand-in, which follows its published table.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, expect, it } from "vitest";
import { createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAzureEngine, (one) => one.dispose());
let stack: Stack | undefined;
afterEach(() => stack?.destroy());

const nat = (args: Record<string, unknown>) => ({
  components: { nat: { component: "NatInstance", args } as const },
});
const moved = { otherSubnet: "10.0.200.0/24" };

it.each([
  ["one machine becomes a pair in another subnet", {}, { highAvailability: {}, ...moved }],
  [
    "one machine becomes a pair of another kind of size",
    { size: "Standard_B2s" },
    { highAvailability: {}, size: "Standard_D2ls_v5" },
  ],
  ["a pair becomes one machine in another subnet", { highAvailability: {} }, moved],
])("%s", { timeout: 600_000 }, async (_, from, to) => {
  stack = await engine.componentStack("changed", nat(from));
  await stack.up({ showSecrets: false });
  const served = engine.cloud().requests.length;
  engine.program(nat(to));
  await stack.up({ showSecrets: false });
  await stack.preview({ expectNoChanges: true });
  const [former, next] = "highAvailability" in from ? ["nat-nat-1", "nat-nat"] : ["nat-nat", "nat-nat-1"];
  const own = new RegExp(`(virtualMachines|networkInterfaces)/(${former}|${next})(-nic)?[0-9a-f]{8}$`);
  const requests = engine.cloud().requests.slice(served);
  const steps = requests.filter(({ id }) => own.test(id));
  expect(steps.map(({ method, id }) => `${method} ${id.split("/").at(-1)?.slice(0, -8)}`)).toEqual([
    `DELETE ${former}`,
    `DELETE ${former}-nic`,
    `PUT ${next}-nic`,
    `PUT ${next}`,
  ]);
});
