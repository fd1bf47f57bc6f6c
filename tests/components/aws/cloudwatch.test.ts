/**
 * A NAT instance that publishes to CloudWatch: its role and its user data. What it publishes is in
 * tests/lab/nat-instance/published-metrics.test.ts.
 */
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { Mocked } from "../../helpers/aws-standin/mocks.ts";
import { natInstance, statements, userData } from "../../helpers/aws-standin/nat.ts";

const roles = (stack: Mocked<unknown>) => stack.aws().filter((one) => /^(Role|InstanceProfile)/.test(one));

const publishing = (namespace: string) => ({
  Effect: "Allow",
  Action: "cloudwatch:PutMetricData",
  Resource: "*",
  Condition: { StringEquals: { "cloudwatch:namespace": namespace } },
});

it("gets a role that allows to publish into its namespace, and nothing else", async () => {
  const stack = await natInstance({ cloudWatch: true });
  expect(statements(stack, "n-metrics-policy")).toEqual([publishing("EgressBench/NatInstance")]);
  expect(stack.inputs("Instance", "n-nat").iamInstanceProfile).toBe(
    stack.outputs("InstanceProfile", "n-metrics-profile").name,
  );
  const text = userData(stack, "n-nat");
  expect(text).toContain("Namespace=EgressBench/NatInstance");
  expect(text).toContain("Dimensions.member.1.Value=n-nat");
  expect(text).toMatch(/packages="[^"]*\bcurl\b/);
  // The role says nothing of Systems Manager, which would never tell.
  expect(stack.aws().filter((one) => one.startsWith("Association"))).toEqual([]);
});

it("takes its owner's role, and makes none then", async () => {
  const stack = await natInstance({ cloudWatch: { namespace: "Mine/Nat" }, iamInstanceProfile: "mine" });
  expect(roles(stack)).toEqual([]);
  expect(stack.inputs("Instance", "n-nat").iamInstanceProfile).toBe("mine");
  expect(userData(stack, "n-nat")).toContain("Namespace=Mine/Nat");
});

it("of a pair publishes both machines, by the role that takes over", async () => {
  const stack = await natInstance({ cloudWatch: true, highAvailability: {} });
  expect(roles(stack)).toEqual([
    "InstanceProfile n-pair-profile",
    "Role n-pair-role",
    "RolePolicy n-pair-policy",
    "RolePolicyAttachment n-pair-AmazonSSMManagedInstanceCore",
  ]);
  expect(statements(stack, "n-pair-policy").at(-1)).toEqual(publishing("EgressBench/NatInstance"));
  for (const machine of ["n-nat-1", "n-nat-2"]) {
    expect(userData(stack, machine)).toContain(`Dimensions.member.1.Value=${machine}`);
  }
});

it("that heals itself has the same user data, within what EC2 takes", async () => {
  const stack = await natInstance({ cloudWatch: true, autoHeal: true });
  const packed = Buffer.from(stack.inputs("LaunchTemplate", "n-nat-template").userData, "base64");
  expect(packed.length).toBeLessThan(16_384);
  expect(gunzipSync(packed).toString()).toContain("Namespace=EgressBench/NatInstance");
});

it("publishes nothing unless asked to", async () => {
  const stack = await natInstance({});
  expect(roles(stack)).toEqual([]);
  expect(stack.inputs("Instance", "n-nat").userData).not.toContain("PutMetricData");
});

it.each(["AWS/EC2", "aws/nat", "two words", "", "$(reboot)", "x".repeat(256)])(
  "the namespace %j is refused",
  async (namespace) => {
    await expect(natInstance({ cloudWatch: { namespace } })).rejects.toThrow(
      /cloudWatch\.namespace: got ".*"; expected/,
    );
  },
);
