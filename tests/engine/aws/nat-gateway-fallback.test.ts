/**
 * A NAT instance with a NAT gateway as fallback through the real engine: up, a clean preview wherever the routes lead,
 * refusals at preview, destroy. Not proved: the real provider's treatment of a moved route.
 */
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { observe } from "../../helpers/engine-events.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

const network = `import { NatInstance, Network } from "./components/aws/index.ts";
import { NatGateway } from "@pulumi/aws/ec2/natGateway.js";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const outside = network.publicSubnet("public", "10.0.0.0/24");
const apps = network.privateSubnet("apps", "10.0.1.0/24");
const other = network.privateSubnet("other", "10.0.2.0/24");
const place = {
  vpcId: network.vpcId,
  subnetId: outside.subnetId,
  publicRouteTableId: outside.routeTableId,
  internetReady: network.internetReady,
  privateRouteTableIds: [apps.routeTableId, other.routeTableId],
  privateCidrs: ["10.0.1.0/24", "10.0.2.0/24"],
};
`;
const nat = (fallback: string) =>
  `${network}new NatInstance("nat", { ...place, autoHeal: true, cloudWatch: { alarms: {}, dashboard: true }, natGatewayFallback: ${fallback} });\n`;

it("comes up, is unchanged wherever its routes lead, and is destroyed", { timeout: 300_000 }, async () => {
  const stack = await engine.programStack(nat("true"));
  await stack.up();
  expect((await stack.preview()).changeSummary).toEqual({ same: expect.any(Number) });

  // Nothing is moved before the machine and its routes exist, and before the function has tested its rights.
  const resources = await engine.resources(stack);
  const waitsFor = (name: string) => {
    const { dependencies = [] } = resources.find(({ urn }) => urn.endsWith(`::${name}`)) ?? {};
    return dependencies.map((urn) => urn.split("::").at(-1));
  };
  expect(waitsFor("nat-fallback-target")).toContain("nat-fallback-first-and-last");
  expect(waitsFor("nat-fallback-first-and-last")).toEqual(
    expect.arrayContaining([
      "nat-nat",
      "nat-default-net-apps",
      "nat-default-net-other",
      "nat-fallback-switch",
    ]),
  );

  // The machine is down: the function has moved both tables to the gateway.
  const gateway = Object.values(engine.cloud().resources).find(({ kind }) => kind === "NatGateway")!.id;
  engine.changeCloud((state) => {
    for (const [id, route] of Object.entries(state.resources)) {
      if (route.kind === "Route" && "networkInterfaceId" in route.inputs) {
        const { networkInterfaceId, ...inputs } = route.inputs;
        const moved = { ...inputs, natGatewayId: gateway };
        state.resources[id] = { ...route, inputs: moved, outputs: { ...moved, id } };
      }
    }
  });
  const routes = () =>
    Object.values(engine.cloud().resources).filter(({ inputs }) => inputs.natGatewayId === gateway).length;
  expect(routes()).toBe(2);
  await stack.refresh();
  await stack.up();
  expect(routes()).toBe(2);
  expect((await stack.preview()).changeSummary).toEqual({ same: expect.any(Number) });

  // At its deletion it leads the routes back, after its schedule has ended and while gateway and routes exist.
  await engine.programStack(nat("undefined"));
  await stack.up();
  expect(kindsGone("EventTarget", "Invocation", "Function", "NatGateway")).toEqual([
    "EventTarget",
    "Invocation",
    "Function",
    "NatGateway",
  ]);
  expect(Object.values(engine.cloud().resources).map(({ kind }) => kind)).toContain("Route");

  await engine.programStack(nat("true"));
  await stack.up();
  await stack.destroy();
  expect(engine.cloud().resources).toEqual({});
  expect(kindsGone("EventTarget", "Invocation", "Route")).toEqual(["EventTarget", "Invocation", "Route"]);
  expect(kindsGone("EventTarget", "Invocation", "Group")).toEqual(["EventTarget", "Invocation", "Group"]);
  expect(kindsGone("Invocation", "NatGateway")).toEqual(["Invocation", "NatGateway"]);
});

/** These kinds, in the order of the last deletion of each. */
function kindsGone(...kinds: string[]): string[] {
  const { requests } = engine.cloud();
  const when = (kind: string) =>
    requests.findLastIndex((one) => one.action === "delete" && one.kind === kind);
  expect(kinds.filter((kind) => when(kind) < 0)).toEqual([]);
  return kinds.toSorted((a, b) => when(a) - when(b));
}

it("refuses a gateway of another VPC at preview", { timeout: 120_000 }, async () => {
  const other = `import { Network as Other } from "./components/aws/index.ts";
const elsewhere = new Other("elsewhere", { cidr: "10.1.0.0/16", zone: "us-east-1a" });
const theirs = elsewhere.publicSubnet("public", "10.1.0.0/24");
export const gateway = new NatGateway("gateway", { subnetId: theirs.subnetId, allocationId: "eipalloc-0" }, { dependsOn: [...elsewhere.internetReady] });
`;
  const stack = await engine.programStack(network + other);
  await stack.up();
  await engine.programStack(nat("{ natGatewayId: gateway.id }").replace(network, network + other));
  const { failed, failureText } = await observe((onEvent) => stack.preview({ onEvent }));
  expect(failed).toBe(true);
  expect(failureText).toMatch(
    /natGatewayFallback\.natGatewayId: nat-\w+ is of vpc-\w+, the NAT instance of vpc-\w+; name one of the same VPC/,
  );
});
