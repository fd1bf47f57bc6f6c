/**
 * docs/permissions/azure holds the role of each ready-made stack, for its resources and their references. That Azure needs
 * no more was never tried with a subscription. docs/quotas/azure.md holds each stack's use of a subscription's quotas,
 * counted in the same resources.
 */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { azureDemand, azureProviders } from "../../../stacks/quota/quota-demand.ts";
import { azureRole, everyReference, knownAzureTypes } from "../../../tools/reference/permissions/azure.ts";
import { azureCounted } from "../../helpers/counted.ts";
import { quotaPage } from "../../helpers/quota-page.ts";
import { type ReadyMade, stackFiles } from "../stack-files.ts";
import { deployMocked } from "./deploy.ts";

const directory = new URL("../../../docs/permissions/azure/", import.meta.url);
const files = stackFiles("azure");

async function resourcesOf(name: string, more: object = {}) {
  const { topologies, settings } = files.find((file) => file.name === name) as ReadyMade;
  const { resources } = await deployMocked(topologies, { settings: { ...settings, ...more } });
  return resources.filter(({ type }) => type.startsWith("azure-native"));
}

async function roleOf(name: string) {
  return azureRole(name, await resourcesOf(name));
}

const text = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

it.each(files)("$name", async ({ name }) => {
  await expect(text(await roleOf(name))).toMatchFileSnapshot(new URL(`${name}.json`, directory).pathname);
});

it("every option", async () => {
  const all = [...everyReference];
  for (const { name } of files) {
    all.push(...(await roleOf(name)).Actions);
  }
  const own = azureRole(
    "every option",
    knownAzureTypes.map((type) => ({ type, inputs: {} })),
  );
  const every = { ...own, Actions: [...new Set([...own.Actions, ...all])].sort() };
  await expect(text(every)).toMatchFileSnapshot(new URL("every-option.json", directory).pathname);
}, 300_000);

it("there are no further files", () => {
  const expected = [...files.map(({ name }) => name), "every-option"].map((name) => `${name}.json`);
  expect(readdirSync(directory).sort()).toEqual(expected.sort());
});

describe("a stack's role has no unneeded rights", () => {
  it.each([
    ["direct", /natGateways|routeTables|irewall|connections|loadBalancers|Peer|peer/],
    ["nat-gateway", /irewall|connections|loadBalancers|Peer|peer/],
    ["nat-instance", /natGateways|irewall|connections|loadBalancers|Peer|peer/],
  ])("%s", async (name, unused) => {
    const { Actions } = await roleOf(name);
    expect(Actions.length).toBeGreaterThan(0);
    expect(Actions.filter((action) => unused.test(action) || action.includes("*"))).toEqual([]);
  });
});

it("referenced resources may be joined", async () => {
  expect((await roleOf("nat-gateway")).Actions).toEqual(
    expect.arrayContaining([
      "Microsoft.Network/natGateways/join/action",
      "Microsoft.Network/publicIPAddresses/join/action",
      "Microsoft.Network/virtualNetworks/subnets/join/action",
      "Microsoft.Network/networkInterfaces/join/action",
    ]),
  );
  // Azure requires it for connecting a gateway, to another one or to a circuit.
  for (const name of ["vpn-gateway", "expressroute"]) {
    expect((await roleOf(name)).Actions).toContain("Microsoft.Network/virtualNetworkGateways/join/action");
  }
  expect((await roleOf("vnet-peering")).Actions).toContain("Microsoft.Network/virtualNetworks/peer/action");
});

it("a resource that the table lacks is an error", () => {
  expect(() => azureRole("x", [{ type: "azure-native:storage:StorageAccount", inputs: {} }])).toThrow(
    "azure-native:storage:StorageAccount: tools/reference/permissions/azure.ts has no actions for it",
  );
});

describe("quotas", () => {
  const counted = (resources: Awaited<ReturnType<typeof resourcesOf>>) => resources.flatMap(azureCounted);
  /** The same resources with `size: small`; shown for one stack below. */
  const small = (resources: ReturnType<typeof counted>) =>
    resources.map((one) => (one.size === null ? one : { ...one, size: "Standard_B1s" }));

  /** vCPUs of a new pay-as-you-go subscription; learn.microsoft.com, azure-subscription-service-limits, 2026-03. */
  const NEW_SUBSCRIPTION = 10;

  it("of each stack are on their page, and small ones fit a new subscription", async () => {
    const rows = [];
    for (const { name } of files) {
      const resources = counted(await resourcesOf(name));
      rows.push({ name, whole: azureDemand(resources), small: azureDemand(small(resources)) });
    }
    const providers = azureProviders.join(", ");
    const tooMuch = rows.flatMap(({ name, small: demands }) =>
      demands
        .filter(({ amount }) => amount > NEW_SUBSCRIPTION)
        .map(({ quota, region, amount }) => `${name} ${region} ${quota} ${amount}`),
    );
    expect(tooMuch).toEqual([]);
    await expect(
      quotaPage({
        title: "Quotas on Azure",
        intro: `What each ready-made stack takes of a subscription's quotas, counted in its resources; behind the slash with \`size: small\` of \`egress-bench:azure\`. A new pay-as-you-go subscription may have 10 vCPUs a region, 10 of a family and 10 public addresses, a free one 4 vCPUs. All stacks need the resource providers ${providers}: \`az provider register -n <name>\`; the Pulumi provider registers what it may itself. A preview compares with what the subscription may have and uses.`,
        rows,
      }),
    ).toMatchFileSnapshot(new URL("../../../docs/quotas/azure.md", import.meta.url).pathname);
  }, 300_000);

  it("of a small stack are those of its resources", async () => {
    const own = counted(await resourcesOf("compare", { size: "small" }));
    expect(azureDemand(own)).toEqual(azureDemand(small(counted(await resourcesOf("compare")))));
  });
});
