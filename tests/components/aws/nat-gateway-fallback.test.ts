/**
 * A NAT instance with a NAT gateway that stands in for it: resources, rights and refusals. The function's behaviour:
 * tests/unit/aws/route-switch.test.ts; the machine's heartbeat: tests/lab/nat-instance/heartbeat.test.ts.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { type NatInstance, type NatInstanceArgs, NatInstancePerZone } from "../../../components/aws/index.ts";
import { assertUsable } from "../../../components/aws/operators/nat-gateway-fallback.ts";
import { existing, type Mocked, mocked } from "../../helpers/aws-standin/mocks.ts";
import { natInstance, statements, templateData, userData } from "../../helpers/aws-standin/nat.ts";
import { unpacked } from "../../helpers/unpacked.ts";

const privateRouteTableIds = [existing.privateRouteTableId, existing.otherRouteTableId];
const nat = (args: Partial<NatInstanceArgs> = {}) =>
  natInstance({ privateRouteTableIds, natGatewayFallback: true, ...args });
const settings = (stack: Mocked<unknown>) =>
  JSON.parse(stack.inputs("Function", "n-fallback-switch").environment.variables.SETTINGS);
async function seen({ expectedSourceIps }: Pick<NatInstance, "expectedSourceIps">): Promise<string[]> {
  const found: string[] = [];
  for (const address of expectedSourceIps) address.apply((known) => found.push(known));
  await expect.poll(() => found).toHaveLength(expectedSourceIps.length);
  return found;
}

let stack: Mocked<NatInstance>;
beforeAll(async () => {
  stack = await nat();
});

describe("the fallback", () => {
  it("is a gateway with its address, and a function that is called each minute", () => {
    expect(stack.aws()).toEqual([
      ...["Eip n-eip-1", "Eip n-fallback-eip", "EipAssociation n-nat-eni-1"],
      ...["EventRule n-fallback-minute", "EventTarget n-fallback-target", "Function n-fallback-switch"],
      "FunctionEventInvokeConfig n-fallback-once",
      "Instance n-nat",
      "InstanceProfile n-metrics-profile",
      "Invocation n-fallback-first-and-last",
      "LogGroup n-fallback-logs",
      "NatGateway n-fallback-nat-gateway",
      ...["NetworkInterface n-nat-eni", "Permission n-fallback-permission", "Role n-fallback-role"],
      ...["Role n-metrics-role", "RolePolicy n-fallback-policy", "RolePolicy n-metrics-policy"],
      ...["Route n-default-rtb-23456789", "Route n-default-rtb-34567890", "SecurityGroup n-nat-sg"],
    ]);
    expect(stack.inputs("NatGateway", "n-fallback-nat-gateway")).toMatchObject({
      subnetId: existing.subnetId,
      allocationId: stack.outputs("Eip", "n-fallback-eip").allocationId,
    });
    expect(stack.inputs("EventRule", "n-fallback-minute").scheduleExpression).toBe("rate(1 minute)");
    const { arn } = stack.outputs("Function", "n-fallback-switch");
    expect(stack.inputs("EventTarget", "n-fallback-target").arn).toBe(arn);
    expect(stack.inputs("Permission", "n-fallback-permission")).toMatchObject({
      principal: "events.amazonaws.com",
      sourceArn: stack.outputs("EventRule", "n-fallback-minute").arn,
    });
  });

  it("tests its rights when it is made, and leads routes back when it is deleted", () => {
    expect(stack.inputs("Invocation", "n-fallback-first-and-last")).toEqual({
      functionName: stack.outputs("Function", "n-fallback-switch").name,
      input: "{}",
      lifecycleScope: "CRUD",
      terraformKey: "lifecycle",
    });
    // It waits for a minute first.
    expect(stack.inputs("Function", "n-fallback-switch").timeout).toBeGreaterThan(60);
  });

  it("leads clients to the machine at first", () => {
    for (const table of privateRouteTableIds) {
      expect(stack.inputs("Route", `n-default-${table}`).networkInterfaceId).toBe(
        stack.id("NetworkInterface", "n-nat-eni"),
      );
    }
  });

  it("knows interface, gateway and all route tables", () => {
    expect(settings(stack)).toEqual({
      namespace: "EgressBench/NatInstance",
      networkInterfaceId: stack.id("NetworkInterface", "n-nat-eni"),
      natGatewayId: stack.id("NatGateway", "n-fallback-nat-gateway"),
      routeTableIds: privateRouteTableIds,
    });
    const { runtime, handler } = stack.inputs("Function", "n-fallback-switch");
    expect({ runtime, handler }).toEqual({ runtime: "python3.13", handler: "route_switch.handler" });
  });

  it("has source addresses of both", async () => {
    expect(await seen(stack.result)).toEqual(
      ["n-eip-1", "n-fallback-eip"].map((name) => stack.outputs("Eip", name).publicIp),
    );
  });

  it("may move just these routes, read and log", () => {
    expect(statements(stack, "n-fallback-policy")).toEqual([
      {
        Effect: "Allow",
        Action: "ec2:ReplaceRoute",
        Resource: privateRouteTableIds.map((id) => `arn:aws:ec2:*:*:route-table/${id}`),
      },
      {
        Effect: "Allow",
        Action: ["ec2:DescribeRouteTables", "ec2:DescribeNatGateways", "cloudwatch:GetMetricData"],
        Resource: "*",
      },
      {
        Effect: "Allow",
        Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
        Resource: `${stack.outputs("LogGroup", "n-fallback-logs").arn}:*`,
      },
    ]);
    const trusted = JSON.parse(stack.inputs("Role", "n-fallback-role").assumeRolePolicy).Statement;
    expect(trusted[0].Principal).toEqual({ Service: "lambda.amazonaws.com" });
  });
});

describe("the machine", () => {
  it("may report whether it forwards, and nothing else", () => {
    expect(statements(stack, "n-metrics-policy")).toEqual([
      {
        Effect: "Allow",
        Action: "cloudwatch:PutMetricData",
        Resource: "*",
        Condition: { StringEquals: { "cloudwatch:namespace": "EgressBench/NatInstance" } },
      },
    ]);
    expect(stack.inputs("Instance", "n-nat").iamInstanceProfile).toBe(
      stack.outputs("InstanceProfile", "n-metrics-profile").name,
    );
    const text = userData(stack, "n-nat");
    expect(text).toContain("metric=Forwarding");
    expect(text).toMatch(/namespace=EgressBench\/NatInstance/);
    expect(text).toContain("ether saddr $check_mac ip saddr 169.254.77.2 ct state new accept");
    expect(text).toMatch(/packages="[^"]*\bcurl\b/);
    // It publishes no figures unless requested.
    expect(text).not.toContain("ActiveConnectionCount");
  });

  it("uses the namespace of its figures, if it has both", async () => {
    const both = await nat({ cloudWatch: { namespace: "Mine/Nat" } });
    expect(settings(both).namespace).toBe("Mine/Nat");
    expect(statements(both, "n-metrics-policy")).toHaveLength(1);
    expect(userData(both, "n-nat")).toContain("ActiveConnectionCount");
    expect(userData(both, "n-nat")).not.toMatch(/namespace=EgressBench/);
  });

  it("uses its owner's role, and gets none", async () => {
    const own = await nat({ iamInstanceProfile: "mine" });
    expect(own.aws().filter((one) => /^(Role|InstanceProfile)/.test(one))).toEqual([
      "Role n-fallback-role",
      "RolePolicy n-fallback-policy",
    ]);
  });

  it("of a group keeps running for a minute before its termination, and fits into user data", async () => {
    const healing = await nat({ autoHeal: true, cloudWatch: true });
    expect(healing.inputs("LifecycleHook", "n-nat-termination")).toMatchObject({
      autoscalingGroupName: healing.id("Group", "n-nat"),
      lifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
      heartbeatTimeout: 60,
      defaultResult: "CONTINUE",
    });
    const template = templateData(healing);
    expect(template.length).toBeLessThan(16_384);
    const both = await nat({ autoHeal: true, spot: { onDemandFallback: {} } });
    const hooks = ["n-nat-spot-termination", "n-nat-spot-on-demand-termination"];
    expect(hooks.map((name) => both.inputs("LifecycleHook", name).autoscalingGroupName)).toEqual(
      ["n-nat-spot", "n-nat-spot-on-demand"].map((name) => both.id("Group", name)),
    );
  });
});

describe("a gateway that exists", () => {
  it("is used instead of a new one", async () => {
    const own = await nat({ natGatewayFallback: { natGatewayId: existing.natGatewayId } });
    expect(own.aws().filter((one) => /^NatGateway|fallback-eip/.test(one))).toEqual([]);
    expect(settings(own).natGatewayId).toBe(existing.natGatewayId);
    expect((await seen(own.result))[1]).toBe(existing.natGatewayIp);
  });

  it("with your own address gets that one", async () => {
    const publicIp = { id: "eipalloc-12345678", address: "192.0.2.7" };
    const own = await nat({ natGatewayFallback: { publicIp } });
    expect(own.inputs("NatGateway", "n-fallback-nat-gateway").allocationId).toBe(publicIp.id);
    expect((await seen(own.result))[1]).toBe(publicIp.address);
    expect(own.aws()).not.toContain("Eip n-fallback-eip");
  });
});

it("is shared by all zones", async () => {
  const zone = (subnetId: string, table: string, cidr: string) => ({
    subnetId,
    privateRouteTableIds: [table],
    privateCidrs: [cidr],
  });
  const zones = {
    a: zone(existing.subnetId, existing.privateRouteTableId, "10.0.1.0/24"),
    b: zone(existing.otherZoneSubnetId, existing.otherRouteTableId, "10.0.3.0/24"),
  };
  const all = await mocked(
    () => new NatInstancePerZone("n", { vpcId: existing.vpcId, zones, natGatewayFallback: true }),
  );
  expect(
    ["n-a", "n-b"].map((name) => all.inputs("NatGateway", `${name}-fallback-nat-gateway`).subnetId),
  ).toEqual([existing.subnetId, existing.otherZoneSubnetId]);
});

it("does not exist by default", async () => {
  const plain = await natInstance({ privateRouteTableIds, autoHeal: true });
  expect(plain.aws().filter((one) => /fallback|Role|Function|Hook|NatGateway/.test(one))).toEqual([]);
  const text = templateData(plain);
  expect(unpacked(text)).not.toContain("egress-bench-nat-heartbeat");
});

it.each<[Partial<NatInstanceArgs>, RegExp]>([
  [
    { highAvailability: {} },
    /natGatewayFallback: does not go with highAvailability: the standby takes over.*leave one of them out/,
  ],
  [
    {
      natGatewayFallback: {
        natGatewayId: "nat-12345678",
        publicIp: { id: "eipalloc-1", address: "192.0.2.1" },
      },
    },
    /natGatewayFallback\.publicIp: an existing gateway already has its address; leave out publicIp/,
  ],
  [
    { natGatewayFallback: { natGatewayId: "my-gateway" } },
    /natGatewayFallback\.natGatewayId: got "my-gateway"; expected the id of a NAT gateway, such as nat-/,
  ],
])("%j is refused", async (args, message) => {
  await expect(nat(args)).rejects.toThrow(message);
});

it.each([
  [
    { vpcId: "vpc-2" },
    "is of vpc-2, the NAT instance of vpc-1; name one of the same VPC, or leave it out for a new one",
  ],
  [{ connectivityType: "private" }, "is private and leads to no internet; name a public one"],
  [{ state: "failed" }, "is failed; name one that is available"],
])("a gateway with %j is refused", (found, message) => {
  const good = { vpcId: "vpc-1", state: "available", connectivityType: "public" };
  expect(() => assertUsable("nat-1", "vpc-1", good)).not.toThrow();
  expect(() => assertUsable("nat-1", "vpc-1", { ...good, ...found })).toThrow(
    `natGatewayFallback.natGatewayId: nat-1 ${message}`,
  );
});
