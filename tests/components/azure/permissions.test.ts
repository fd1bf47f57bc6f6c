/**
 * docs/permissions/azure holds the role of each ready-made stack, of its resources and of what they refer to. That Azure
 * needs no more was never tried with a subscription.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { azureRole, knownAzureTypes } from "../../../docs/generate/permissions/azure.ts";
import { circuitId, deployMocked } from "./deploy.ts";

const directory = new URL("../../../docs/permissions/azure/", import.meta.url);
const files = readdirSync("stacks").flatMap((file) => {
  const name = /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1];
  const config = name === undefined ? {} : parse(readFileSync(`stacks/${file}`, "utf8")).config;
  return config["egress-bench:cloud"] === "azure" ? [{ name: name as string, config }] : [];
});

const roles = new Map<string, Promise<ReturnType<typeof azureRole>>>();

/** Each stack is deployed once, which takes its time. */
function roleOf(name: string) {
  const known = roles.get(name) ?? deployedRole(name);
  roles.set(name, known);
  return known;
}

async function deployedRole(name: string) {
  const { config } = files.find((file) => file.name === name) as (typeof files)[0];
  const topologies = config["egress-bench:topologies"]
    .map((entry: unknown) => (typeof entry === "string" ? { topology: entry } : entry))
    .map((entry: { topology: string }) =>
      entry.topology === "expressroute" ? { ...entry, circuitId } : entry,
    );
  const { resources } = await deployMocked(topologies, { settings: config["egress-bench:azure"] ?? {} });
  const own = resources.filter(({ type }) => type.startsWith("azure-native:"));
  return azureRole(name, own);
}

const text = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

it.each(files)("$name", async ({ name }) => {
  await expect(text(await roleOf(name))).toMatchFileSnapshot(new URL(`${name}.json`, directory).pathname);
});

it("every option", async () => {
  const all = [];
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

it("there are no others", () => {
  const expected = [...files.map(({ name }) => name), "every-option"].map((name) => `${name}.json`);
  expect(readdirSync(directory).sort()).toEqual(expected.sort());
});

describe("what a stack has no use for is not in its role", () => {
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

it("what is referred to may be joined", async () => {
  expect((await roleOf("nat-gateway")).Actions).toEqual(
    expect.arrayContaining([
      "Microsoft.Network/natGateways/join/action",
      "Microsoft.Network/publicIPAddresses/join/action",
      "Microsoft.Network/virtualNetworks/subnets/join/action",
      "Microsoft.Network/networkInterfaces/join/action",
    ]),
  );
  expect((await roleOf("vnet-peering")).Actions).toContain("Microsoft.Network/virtualNetworks/peer/action");
});

it("a resource that the table lacks is no role", () => {
  expect(() => azureRole("x", [{ type: "azure-native:storage:StorageAccount", inputs: {} }])).toThrow(
    "azure-native:storage:StorageAccount: docs/generate/permissions/azure.ts has no actions for it",
  );
});
