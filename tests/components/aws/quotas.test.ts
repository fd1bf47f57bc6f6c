/**
 * docs/quotas/aws.md holds each ready-made stack's use of an account's quotas, counted in its resources; and a preview's
 * warnings for an account with less.
 */
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { quotaLines } from "../../../stacks/quota/check.ts";
import { awsDemand, type QuotaDemand } from "../../../stacks/quota/quota-demand.ts";
import { mocked } from "../../helpers/aws-standin/mocks.ts";
import { awsCounted } from "../../helpers/counted.ts";
import { quotaPage } from "../../helpers/quota-page.ts";
import { stackFiles } from "../stack-files.ts";
import { deployMocked } from "./deploy.ts";

const rows: { name: string; whole: QuotaDemand[]; small: QuotaDemand[] }[] = [];
beforeAll(async () => {
  for (const { name, topologies, settings } of stackFiles("aws")) {
    const demand = async (more: object) => {
      const { resources } = await deployMocked(topologies, { settings: { ...settings, ...more } });
      return awsDemand(resources.map(awsCounted));
    };
    rows.push({ name, whole: await demand({}), small: await demand({ size: "small" }) });
  }
}, 300_000);

it("the page has every stack, as given and small", async () => {
  await expect(
    quotaPage({
      title: "Quotas on AWS",
      intro:
        "What each ready-made stack takes of an account's quotas, counted in its resources; behind the slash with `size: small` of `egress-bench:aws`. A new account may have 5 vCPUs of on-demand Standard instances, another 5 of spot ones, and 5 Elastic IP addresses and 5 VPCs a region: with `size: small` every stack fits. A preview compares with what Service Quotas tells (`servicequotas:GetServiceQuota` and `servicequotas:GetAWSDefaultServiceQuota`); how much is in use it does not tell.",
      rows,
    }),
  ).toMatchFileSnapshot(new URL("../../../docs/quotas/aws.md", import.meta.url).pathname);
});

describe("size: small", () => {
  // Defaults of docs.aws.amazon.com/general/latest/gr/ec2-service.html and vpc quotas.
  const newAccount = { "L-1216C47A": 5, "L-34B43A08": 5, "L-0263D0A3": 5, "L-F678F1CE": 5, "L-FE5A380F": 5 };

  it("makes every ready-made stack fit a new account, where none fits as given", () => {
    const fits = (demands: readonly QuotaDemand[]) =>
      demands.every(({ quota, amount }) => amount <= (newAccount as Record<string, number>)[quota]!);
    expect(rows.filter(({ small }) => !fits(small)).map(({ name }) => name)).toEqual([]);
    expect(rows.filter(({ whole }) => fits(whole)).map(({ name }) => name)).toEqual([]);
  });

  it("takes spot quota only where five machines are not enough", () => {
    const onSpot = rows.filter(({ small }) => small.some(({ quota }) => quota === "L-34B43A08"));
    expect(onSpot.map(({ name }) => name).sort()).toEqual(["aws-compare", "aws-fck-nat-sizes"]);
  });

  it("still compares sizes, and names them", async () => {
    const sizes = ["t4g.nano", "t4g.micro", "t4g.small"];
    const { resources, result } = await deployMocked(
      sizes.map((type) => ({ topology: "fck-nat", name: type, instanceType: type, creditMode: "standard" })),
      { settings: { size: "small" } },
    );
    const nats = resources.filter(({ name }) => /-nat-machine$/.test(name) && name.startsWith("t4g"));
    const types = nats.map(({ inputs }) => inputs.instanceType).filter((type) => type !== undefined);
    expect(types.sort()).toEqual(["t2.micro", "t2.nano", "t2.small"]);
    expect(result.notes.join("\n")).toMatch(/NAT instances t4g\.nano t2\.nano.*Clients are spot instances/);
  });

  it("leaves out options that a small NAT instance cannot have", async () => {
    const entry = { topology: "nat-instance", instanceType: "c7gn.large", creditMode: "standard" };
    const { resources } = await deployMocked([entry], { settings: { size: "small" } });
    const nat = resources.find(
      ({ name, type }) => name === "nat-instance-nat-machine" && type.endsWith("Instance"),
    );
    expect(nat?.inputs.instanceType).toBe("c7g.medium");
    expect(nat?.inputs.creditSpecification).toBeUndefined();
  });
});

it.each<[string, object, Record<string, number>]>([
  ["on demand", {}, { "L-1216C47A": 2 }],
  ["on spot", { spot: {} }, { "L-34B43A08": 2 }],
  ["on spot with its fallback", { spot: { onDemandFallback: {} } }, { "L-1216C47A": 2, "L-34B43A08": 2 }],
])("a NAT instance that heals itself %s counts once per quota", async (_, options, taken) => {
  const { resources } = await deployMocked([{ topology: "nat-instance", autoHeal: true, ...options }]);
  const own = resources.filter(({ type }) => /LaunchTemplate|autoscaling/.test(type));
  const demand = awsDemand(own.map(awsCounted));
  expect(Object.fromEntries(demand.map(({ quota, amount }) => [quota, amount]))).toEqual(taken);
});

describe("a preview", () => {
  const machine = { type: "aws:ec2/instance:Instance", size: "c7g.8xlarge", region: null };

  it("names a new account's shortages and the remedy", async () => {
    const { result } = await mocked(() => quotaLines("aws", awsDemand([machine])));
    const [said, ...others] = await result;
    expect(others).toEqual([]);
    expect(said).toMatch(
      /^This stack needs 32 of vCPUs of on-demand Standard instances .*L-1216C47A\); the limit is 5\.$/m,
    );
    expect(said).toContain("egress-bench:aws.size' small");
  });

  it("waits five seconds for quotas, which the provider asks for again and again for minutes", async () => {
    pulumi.runtime.setMocks({
      newResource: ({ name }) => ({ id: name, state: {} }),
      call: () => new Promise<never>(() => {}),
    });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const lines = quotaLines("aws", awsDemand([machine]));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await lines).toEqual([expect.stringMatching(/they cannot be read \(no answer within 5 s\)/)]);
  });

  it("reports unreadable quotas in one line, and continues", async () => {
    pulumi.runtime.setMocks({
      newResource: ({ name }) => ({ id: name, state: {} }),
      call: () => {
        throw new Error("AccessDenied:\n not authorized");
      },
    });
    const lines = await quotaLines("aws", awsDemand([machine]));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^Whether the account's quotas are enough is not known: they cannot be read/);
  });
});
