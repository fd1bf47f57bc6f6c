/**
 * docs/permissions/aws holds the policy of each ready-made stack, for its resources and the functions that it calls. That
 * AWS needs no more was never tried with an account.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { awsPolicy, knownAwsFunctions, knownAwsTypes } from "../../../tools/reference/permissions/aws.ts";
import { type ReadyMade, stackFiles } from "../stack-files.ts";
import { deployMocked } from "./deploy.ts";

const directory = new URL("../../../docs/permissions/aws/", import.meta.url);
const files = stackFiles("aws");
const names = files.map(({ name }) => name);

async function policyOf(name: string) {
  const { topologies, settings, region } = files.find((file) => file.name === name) as ReadyMade;
  // A stack's policy also covers its small size, at which clients may be spot instances.
  const sizes = [
    await deployMocked(topologies, { settings: { ...settings, size: "as given" } }),
    await deployMocked(topologies, { settings: { ...settings, size: "small" } }),
  ];
  const resources = sizes.flatMap((one) => one.resources).filter(({ type }) => type.startsWith("aws:"));
  return awsPolicy({
    types: resources.map(({ type }) => type),
    functions: sizes.flatMap((one) => one.functions),
    region,
    spot: resources.some(({ inputs }) => inputs.instanceMarketOptions !== undefined),
  });
}

const text = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

it.each(names)("%s", async (name) => {
  await expect(text(await policyOf(name))).toMatchFileSnapshot(new URL(`${name}.json`, directory).pathname);
});

it("every option, in two policies, since one would exceed IAM's limit", async () => {
  const all = awsPolicy({
    types: knownAwsTypes,
    functions: knownAwsFunctions,
    region: "us-east-1",
    spot: true,
  });
  const changes = all.Statement.filter(({ Sid }) => Sid === "Change");
  const others = all.Statement.filter(({ Sid }) => Sid !== "Change");
  for (const [name, Statement] of [
    ["every-option", others],
    ["every-option-changes", changes],
  ] as const) {
    const file = new URL(`${name}.json`, directory).pathname;
    await expect(text({ ...all, Statement })).toMatchFileSnapshot(file);
  }
});

// A managed policy's quota, without blanks. Source: docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
it.each(readdirSync(directory))("%s is as short as IAM takes", (file) => {
  const policy = readFileSync(new URL(file, directory), "utf8");
  expect(policy.replace(/\s/g, "").length).toBeLessThanOrEqual(6144);
});

it("there are no further files", () => {
  expect(readdirSync(directory).sort()).toEqual(
    [...names, "every-option", "every-option-changes"].map((name) => `${name}.json`).sort(),
  );
});

describe("a stack's policy has no unneeded rights", () => {
  it.each([
    ["aws-direct", /Spot|NatGateway|Peering|LaunchTemplate|autoscaling|AcceptVpc/],
    ["aws-nat-gateway", /Peering|LaunchTemplate|autoscaling/],
    ["aws-nat-instance", /NatGateway|Peering|autoscaling|ssm:(?!GetParameter)/],
  ])("%s", async (name, unused) => {
    const actions = (await policyOf(name)).Statement.flatMap(({ Action }) => Action);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => unused.test(action) || action.includes("*"))).toEqual([]);
  });
});

it.each(["aws-compare", "aws-fck-nat-sizes"])(
  "%s may read and cancel the requests of its spot clients, which it has at size: small",
  async (name) => {
    const actions = (await policyOf(name)).Statement.flatMap(({ Action }) => Action);
    expect(actions).toEqual(
      expect.arrayContaining(["ec2:DescribeSpotInstanceRequests", "ec2:CancelSpotInstanceRequests"]),
    );
  },
);

it("a resource that the table lacks is an error", () => {
  expect(() =>
    awsPolicy({ types: ["aws:s3/bucket:Bucket"], functions: [], region: "us-east-1", spot: false }),
  ).toThrow("aws:s3/bucket:Bucket: tools/reference/permissions/aws.ts has no actions for it; add them");
});
