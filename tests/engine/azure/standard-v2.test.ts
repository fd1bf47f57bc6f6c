/**
 * A StandardV2 gateway on a live stack: its API versions change, and the gateway stays.
 *
 * Not proved: that the real provider takes over resources of another API version, which its documents say.
 */
import type { Deployment, Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, expect, it } from "vitest";
import type { ComponentProgram } from "../../helpers/azure-native-standin/component-program.ts";
import { createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAzureEngine, (one) => one.dispose());
let stack: Stack;
afterEach(() => stack.destroy());

const gateway = (args: object = {}): ComponentProgram => ({
  components: { nat: { component: "NatGatewayEgress", args: { sku: "StandardV2", ...args } } },
});

/** Requests of an update of the stack, in order; nothing is replaced. */
async function updated(): Promise<string[]> {
  const served = engine.cloud().requests.length;
  const { summary } = await stack.up({ showSecrets: false });
  expect(summary.resourceChanges).not.toHaveProperty("replace");
  const requests = engine.cloud().requests.slice(served);
  return requests.map(
    ({ method, id }) =>
      `${method} ${id
        .split("/")
        .at(-1)
        ?.replace(/[0-9a-f]{8}$/, "")}`,
  );
}

it("made at the provider's default API version it stays", async () => {
  stack = await engine.componentStack("v2", gateway());
  await stack.up({ showSecrets: false });
  await stack.importStack(madeBefore(await stack.exportStack()));
  expect(await updated()).toEqual([]);
});

it("IPv6 and NAT64 come in place, though at another API version, and go again", async () => {
  stack = await engine.componentStack("v2", gateway());
  await stack.up({ showSecrets: false });
  engine.program(gateway({ publicIpV6Count: 1, nat64: true }));
  expect(await updated()).toEqual(["PUT nat-ipv6-1", "PUT nat"]);
  await stack.preview({ expectNoChanges: true });
  engine.program(gateway());
  expect(await updated()).toEqual(["PUT nat", "DELETE nat-ipv6-1"]);
});

it("a provider without another API version fails the preview by name, before anything is made", async () => {
  stack = await engine.componentStack("v2", gateway());
  const served = engine.cloud().requests.length;
  engine.setFault({ type: "Parameterize", error: "unknown method Parameterize" });
  await expect(stack.preview()).rejects.toThrow(
    /providers:azure-native_network_v20240701 .*error: .*unknown method Parameterize/,
  );
  engine.setFault(undefined);
  expect(engine.cloud().requests).toHaveLength(served);
});

/** The deployment as an earlier release had it: without the provider's package for one API version. */
function madeBefore({ version, deployment }: Deployment): Deployment {
  const resources: { urn: string; type: string; id?: string; provider?: string }[] = deployment.resources;
  const usual = resources.find(({ type }) => type === "pulumi:providers:azure-native");
  const versioned = resources.find(({ type }) => type.startsWith("pulumi:providers:azure-native_"));
  const others = resources.filter((one) => one !== versioned);
  const text = JSON.stringify({ ...deployment, resources: others })
    .replaceAll(`${versioned?.urn}::${versioned?.id}`, `${usual?.urn}::${usual?.id}`)
    .replaceAll(/azure-native_network_v\d+:/g, "azure-native:");
  return { version, deployment: JSON.parse(text) };
}
