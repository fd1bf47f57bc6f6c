/**
 * docs/quotas/aws.md holds what each ready-made stack takes of an account's quotas, counted in its resources; and what a
 * preview says of an account that has less.
 */
import { readdirSync, readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { quotaLines } from "../../../stacks/quota/check.ts";
import { awsDemand, type Demand } from "../../../stacks/quota/demand.ts";
import { mocked } from "../../helpers/aws-standin/mocks.ts";
import { quotaPage } from "../../helpers/quota-page.ts";
import { deployMocked } from "./deploy.ts";

const names = readdirSync("stacks").flatMap((file) => /^Pulumi\.(aws-.+)\.yaml$/.exec(file)?.[1] ?? []);

async function resourcesOf(name: string, settings: object = {}) {
  const { config } = parse(readFileSync(`stacks/Pulumi.${name}.yaml`, "utf8"));
  const topologies = config["egress-bench:topologies"].map((entry: unknown) =>
    typeof entry === "string" ? { topology: entry } : entry,
  );
  const { resources } = await deployMocked(topologies, {
    settings: { ...config["egress-bench:aws"], ...settings },
  });
  return resources.map(({ type, inputs }) => ({ type, size: inputs.instanceType ?? null, region: null }));
}

const rows: { name: string; whole: Demand[]; small: Demand[] }[] = [];
beforeAll(async () => {
  for (const name of names) {
    const small = awsDemand(await resourcesOf(name, { size: "small" }));
    rows.push({ name, whole: awsDemand(await resourcesOf(name)), small });
  }
}, 300_000);

it("the page has every stack, as it is and small", async () => {
  await expect(
    quotaPage({
      title: "Quotas on AWS",
      intro:
        "What each ready-made stack takes of an account's quotas, counted in its resources; behind the slash with `size: small` of `egress-bench:aws`. A new account may have 5 vCPUs of on-demand Standard instances, 5 Elastic IP addresses and 5 VPCs a region. A preview compares with what Service Quotas tells (`servicequotas:GetServiceQuota`); how much is in use it does not tell.",
      rows,
    }),
  ).toMatchFileSnapshot(new URL("../../../docs/quotas/aws.md", import.meta.url).pathname);
});

it("size: small makes stacks of one topology fit 5 vCPUs", () => {
  const vcpus = (demands: readonly Demand[]) =>
    demands.find(({ quota }) => quota === "L-1216C47A")?.amount ?? 0;
  for (const { name, whole, small } of rows.filter(({ name }) => !/compare|sizes/.test(name))) {
    expect(vcpus(small), name).toBeLessThanOrEqual(5);
    expect(vcpus(whole), name).toBeGreaterThan(5);
  }
});

describe("a preview", () => {
  const machine = { type: "aws:ec2/instance:Instance", size: "c7g.8xlarge", region: null };

  it("names what a new account lacks, and what to do", async () => {
    const { result } = await mocked(() => quotaLines("aws", [machine]));
    const [said, ...others] = await result;
    expect(others).toEqual([]);
    expect(said).toMatch(
      /^This stack needs 32 of vCPUs of on-demand Standard instances .*L-1216C47A\); the limit is 5\.$/m,
    );
    expect(said).toContain("egress-bench:aws.size' small");
  });

  it("says in one line that quotas cannot be read, and goes on", async () => {
    pulumi.runtime.setMocks({
      newResource: ({ name }) => ({ id: name, state: {} }),
      call: () => {
        throw new Error("AccessDenied:\n not authorized");
      },
    });
    const lines = await quotaLines("aws", [machine]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^Whether the account's quotas are enough is not known: they cannot be read/);
  });
});
