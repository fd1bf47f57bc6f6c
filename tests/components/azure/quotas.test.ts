/** docs/quotas/azure.md holds what each ready-made stack takes of a subscription's quotas, counted in its resources. */
import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { azureDemand, azureProviders, type Demand } from "../../../stacks/quota/demand.ts";
import { quotaPage } from "../../helpers/quota-page.ts";
import { circuitId, deployMocked } from "./deploy.ts";

const names = readdirSync("stacks").flatMap(
  (file) => /^Pulumi\.((?!aws-|local-).+)\.yaml$/.exec(file)?.[1] ?? [],
);

async function resourcesOf(name: string, settings: object = {}) {
  const { config } = parse(readFileSync(`stacks/Pulumi.${name}.yaml`, "utf8"));
  const topologies = config["egress-bench:topologies"].map((entry: unknown) => {
    const one = typeof entry === "string" ? { topology: entry } : (entry as { topology: string });
    return one.topology === "expressroute" ? { ...one, circuitId } : one;
  });
  const { resources } = await deployMocked(topologies, {
    settings: { ...config["egress-bench:azure"], ...settings },
  });
  return resources.map(({ type, inputs }) => ({
    type,
    size: inputs.hardwareProfile?.vmSize ?? null,
    region: inputs.location ?? null,
  }));
}

const providers = new Set<string>();
const rows: { name: string; whole: Demand[]; small: Demand[] }[] = [];
beforeAll(async () => {
  for (const name of names) {
    const resources = await resourcesOf(name);
    for (const provider of azureProviders(resources)) providers.add(provider);
    const small = azureDemand(await resourcesOf(name, { size: "small" }));
    rows.push({ name, whole: azureDemand(resources), small });
  }
}, 300_000);

it("the page has every stack, as it is and small", async () => {
  await expect(
    quotaPage({
      title: "Quotas on Azure",
      intro: `What each ready-made stack takes of a subscription's quotas, counted in its resources; behind the slash with \`size: small\` of \`egress-bench:azure\`. A new pay-as-you-go subscription may have 10 vCPUs a region and 10 of a family, a free one 4. All stacks need the resource providers ${[...providers].sort().join(", ")}: \`az provider register -n <name>\`; the Pulumi provider registers what it may itself. A preview compares with what the subscription may have and uses.`,
      rows,
    }),
  ).toMatchFileSnapshot(new URL("../../../docs/quotas/azure.md", import.meta.url).pathname);
});

it("size: small makes each fit 10 vCPUs of a family and region, and 20 addresses", () => {
  for (const { name, small } of rows) {
    for (const { quota, amount } of small) {
      expect(amount, `${name} ${quota}`).toBeLessThanOrEqual(
        quota === "StandardSkuPublicIpAddresses" ? 20 : 10,
      );
    }
  }
});
