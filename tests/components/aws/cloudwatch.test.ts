/**
 * A NAT instance that publishes to CloudWatch: its role and its user data. What it publishes is in
 * tests/lab/nat-instance/published-metrics.test.ts.
 */
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { NatInstance, type NatInstanceArgs } from "../../../components/aws/index.ts";
import { existing, type Mocked, mocked } from "../../helpers/aws-standin/mocks.ts";

const place = {
  vpcId: existing.vpcId,
  subnetId: existing.subnetId,
  privateRouteTableIds: [existing.privateRouteTableId],
  privateCidrs: ["10.0.1.0/24"],
};
const nat = (args: Partial<NatInstanceArgs>) => mocked(() => new NatInstance("n", { ...place, ...args }));
const statements = (stack: Mocked<unknown>, name: string) =>
  JSON.parse(stack.inputs("RolePolicy", name).policy).Statement;
const userData = (stack: Mocked<unknown>, machine: string) =>
  gunzipSync(Buffer.from(stack.inputs("Instance", machine).userDataBase64, "base64")).toString();
const roles = (stack: Mocked<unknown>) => stack.aws().filter((one) => /^(Role|InstanceProfile)/.test(one));

const publishing = (namespace: string) => ({
  Effect: "Allow",
  Action: "cloudwatch:PutMetricData",
  Resource: "*",
  Condition: { StringEquals: { "cloudwatch:namespace": namespace } },
});

it("gets a role that allows to publish into its namespace, and nothing else", async () => {
  const stack = await nat({ cloudWatch: true });
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
  const stack = await nat({ cloudWatch: { namespace: "Mine/Nat" }, iamInstanceProfile: "mine" });
  expect(roles(stack)).toEqual([]);
  expect(stack.inputs("Instance", "n-nat").iamInstanceProfile).toBe("mine");
  expect(userData(stack, "n-nat")).toContain("Namespace=Mine/Nat");
});

it("of a pair publishes both machines, by the role that takes over", async () => {
  const stack = await nat({ cloudWatch: true, highAvailability: {} });
  expect(roles(stack)).toEqual([
    "InstanceProfile n-pair-profile",
    "Role n-pair-role",
    "RolePolicy n-pair-policy",
  ]);
  expect(statements(stack, "n-pair-policy")[2]).toEqual(publishing("EgressBench/NatInstance"));
  for (const machine of ["n-nat-1", "n-nat-2"]) {
    expect(userData(stack, machine)).toContain(`Dimensions.member.1.Value=${machine}`);
  }
});

it("that heals itself has the same user data, within what EC2 takes", async () => {
  const stack = await nat({ cloudWatch: true, autoHeal: true });
  const packed = Buffer.from(stack.inputs("LaunchTemplate", "n-nat-template").userData, "base64");
  expect(packed.length).toBeLessThan(16_384);
  expect(gunzipSync(packed).toString()).toContain("Namespace=EgressBench/NatInstance");
});

it("publishes nothing unless asked to", async () => {
  const stack = await nat({});
  expect(roles(stack)).toEqual([]);
  expect(stack.inputs("Instance", "n-nat").userData).not.toContain("PutMetricData");
});

it.each(["AWS/EC2", "aws/nat", "two words", "", "$(reboot)", "x".repeat(256)])(
  "the namespace %j is refused",
  async (namespace) => {
    await expect(nat({ cloudWatch: { namespace } })).rejects.toThrow(
      /cloudWatch\.namespace: got ".*"; expected/,
    );
  },
);
