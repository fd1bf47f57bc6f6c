/**
 * Every AWS topology through the real engine: up, a second preview without changes, destroy.
 *
 * The stand-in refuses inputs that the SDK's own types do not declare, references to what does not exist, public
 * addresses before an internet gateway, machines without a way out, second uses of what can be used once, and
 * deletions of what is in use. Not proved: that AWS takes the values, how long it takes, and that the real provider
 * behaves as the stand-in.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AwsEngine, createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { criticalPath } from "../../helpers/azure-native-standin/critical-path.ts";

/** The stack file, what it lacks, and the resources that the client's life depends on. */
const stacks: readonly [
  title: string,
  file: string,
  options: Record<string, unknown>,
  egress: readonly string[],
][] = [
  ["direct", "aws-direct", {}, ["direct-eip", "client-network-public-default"]],
  ["nat-gateway", "aws-nat-gateway", {}, ["nat-gateway-nat-gateway", "nat-gateway-default-1"]],
  ["nat-gateway, 8 addresses", "aws-nat-gateway", { publicIpCount: 8 }, ["nat-gateway-eip-8"]],
  ["nat-gateway, regional", "aws-nat-gateway", { availabilityMode: "regional" }, ["nat-gateway-nat-gateway"]],
  [
    "nat-instance",
    "aws-nat-instance",
    {},
    ["nat-instance-nat", "nat-instance-nat-eni", "nat-instance-default-1"],
  ],
  [
    "nat-instance, self-healing",
    "aws-nat-instance",
    { autoHeal: true },
    ["nat-instance-nat", "nat-instance-nat-eni"],
  ],
  [
    "nat-instance, 2 addresses",
    "aws-nat-instance",
    { publicIpCount: 2 },
    ["nat-instance-nat", "nat-instance-eip-2"],
  ],
  ["fck-nat", "aws-fck-nat", {}, ["fck-nat-nat", "fck-nat-nat-eni", "fck-nat-default-1"]],
  ["intra-vpc", "aws-intra-vpc", {}, ["intra-vpc-eip"]],
  ["vpc-peering", "aws-vpc-peering", {}, ["vpc-peering-from-client", "vpc-peering-from-server"]],
];

describe.each(stacks)("%s", (_, file, options, egress) => {
  const topology = file.replace("aws-", "");
  let engine: AwsEngine;
  beforeAll(() => {
    engine = createAwsEngine();
  });
  afterAll(() => engine.dispose());

  it("goes up, stays as it is, and goes down in an order that AWS accepts", async () => {
    const stack = await engine.stack(file, { "egress-bench:topologies": [{ topology, ...options }] });
    await stack.up();
    expect(criticalPath(await engine.resources(stack))).toMatchSnapshot();

    const again = await stack.preview({ expectNoChanges: true });
    expect(Object.keys(again.changeSummary)).toEqual(["same"]);

    await stack.destroy();
    const { resources, requests } = engine.cloud();
    expect(resources).toEqual({});
    const deleted = requests.filter(({ action }) => action === "delete").map(({ name }) => name);
    const client = deleted.indexOf(`${topology}-client`);
    expect(client).toBeGreaterThanOrEqual(0);
    for (const part of egress) {
      expect(deleted.indexOf(part), `${part} goes after the client`).toBeGreaterThan(client);
    }
  });
});
