/**
 * An Elastic IP moves between a NAT gateway, a NAT instance and fck-nat, as docs/aws.md describes, in a cloud that gives an
 * address to one resource at a time and a route table one default route. Not proved: how long AWS takes.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { imageId } from "../../helpers/aws-standin/fake-functions.ts";
import { blocksOf } from "../../helpers/doc-blocks.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

type Kind = "NatGatewayEgress" | "NatInstance" | "FckNat";

/** The way out under one name, made by another component before. */
const program = (kind: Kind, before: Kind, address: "kept" | "its own") => `
import { Eip } from "@pulumi/aws/ec2/eip.js";
import { FckNat, NatGatewayEgress, NatInstance, Network } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const outside = network.publicSubnet("public", "10.0.0.0/24");
const apps = network.privateSubnet("apps", "10.0.1.0/24");
const kept = new Eip("kept", { domain: "vpc" });
const place = {
  subnetId: outside.subnetId,
  internetReady: [...network.internetReady, outside.associated],
  privateRouteTableIds: [apps.routeTableId],
  ${address === "kept" ? "publicIps: [{ id: kept.id, address: kept.publicIp }]," : ""}
  ${kind === "NatGatewayEgress" ? "" : 'vpcId: network.vpcId, privateCidrs: ["10.0.1.0/24"],'}
};
new ${kind}("egress", place, { aliases: [{ type: "egress-bench:aws:${before}" }] });
`;

/** Deploys in turn. @returns each update's changes of routes, gateways and machines, in order */
async function updates(...steps: readonly (Parameters<typeof program> | string)[]): Promise<string[][]> {
  const changed: string[][] = [];
  let stack: Stack | undefined;
  for (const step of steps) {
    stack = await engine.programStack(typeof step === "string" ? step : program(...step));
    const served = engine.cloud().requests.length;
    await stack.up();
    changed.push(
      engine
        .cloud()
        .requests.slice(served)
        .filter(({ kind }) => ["Route", "NatGateway", "Instance", "EipAssociation"].includes(kind))
        .map(({ action, kind }) => `${action} ${kind}`),
    );
  }
  await stack?.preview({ expectNoChanges: true });
  await stack?.destroy();
  return changed;
}

it("from a NAT gateway to a NAT instance: the route moves once the machine exists, the address after the gateway's deletion", async () => {
  const [, switched, last] = await updates(
    ["NatGatewayEgress", "NatGatewayEgress", "kept"],
    ["NatInstance", "NatGatewayEgress", "its own"],
    ["NatInstance", "NatGatewayEgress", "kept"],
  );
  expect(switched).toEqual(["create Instance", "create EipAssociation", "update Route", "delete NatGateway"]);
  expect(last).toEqual(["create EipAssociation"]);
});

it("from a NAT gateway made elsewhere: its route is adopted where it leads, and moves by one call", async () => {
  const imports = `import { NatGateway } from "@pulumi/aws/ec2/natGateway.js";
import { Route } from "@pulumi/aws/ec2/route.js";
`;
  const network = program("NatInstance", "NatInstance", "its own").replace(/^new NatInstance.*$/m, "");
  const theirs = `${imports}${network}const theirs = new NatGateway("theirs", { subnetId: outside.subnetId, allocationId: kept.allocationId }, { dependsOn: place.internetReady });
`;
  const route = `new Route("theirs", { routeTableId: apps.routeTableId, destinationCidrBlock: "0.0.0.0/0", natGatewayId: theirs.id }, { retainOnDelete: true });
`;
  await (await engine.programStack(theirs + route)).up();
  const vpc = Object.values(engine.cloud().resources).find(({ kind }) => kind === "Vpc")?.id ?? "";
  const text =
    blocksOf("docs/details/keep-address.md").find(({ text }) => text.includes("adopt"))?.text ?? "";
  const [, adopting = ""] = text.replace("vpc-0123456789abcdef0", vpc).split('egress-bench/aws";');
  const own = adopting.replace(", { transforms: [adopt] }", "").replace(/^const adopt[\s\S]*?^};/m, "");
  const [, ...changed] = await updates(
    theirs + route,
    `import * as pulumi from "@pulumi/pulumi";\n${theirs}${adopting}`,
    theirs + own,
    network + own,
  );
  expect(changed.map((one) => one.filter((change) => /Route|NatGateway/.test(change)))).toEqual([
    [],
    ["update Route"],
    ["delete NatGateway"],
  ]);
});

it("from a NAT instance to a NAT gateway: the instance releases the address, then the route moves", async () => {
  const [, own, switched] = await updates(
    ["NatInstance", "NatInstance", "kept"],
    ["NatInstance", "NatInstance", "its own"],
    ["NatGatewayEgress", "NatInstance", "kept"],
  );
  expect(own).toEqual(["create EipAssociation"]);
  expect(switched?.slice(0, 2)).toEqual(["create NatGateway", "update Route"]);
  expect(switched).not.toContain("delete Route");
});

it("from fck-nat to a NAT instance: the machine first, then address and route, then fck-nat is deleted", async () => {
  const [, switched] = await updates(["FckNat", "FckNat", "kept"], ["NatInstance", "FckNat", "kept"]);
  expect(switched).toEqual(["create Instance", "create EipAssociation", "update Route", "delete Instance"]);
});

it("from fck-nat made elsewhere: its route is deleted first, then machine, address and route come", async () => {
  const imports = `import { EipAssociation } from "@pulumi/aws/ec2/eipAssociation.js";
import { Instance } from "@pulumi/aws/ec2/instance.js";
import { Route } from "@pulumi/aws/ec2/route.js";
`;
  const place = imports + program("NatInstance", "NatInstance", "kept");
  const own = (text: string) => place.replace(/^(?=new NatInstance)/m, text);
  const theirs = `const theirs = new Instance("theirs", { ami: "${imageId("fck-nat", "arm64", 1)}", instanceType: "t4g.nano", subnetId: outside.subnetId, sourceDestCheck: false }, { dependsOn: place.internetReady });
new EipAssociation("theirs", { allocationId: kept.id, networkInterfaceId: theirs.primaryNetworkInterfaceId });
`;
  const route = `new Route("theirs", { routeTableId: apps.routeTableId, destinationCidrBlock: "0.0.0.0/0", networkInterfaceId: theirs.primaryNetworkInterfaceId });
`;
  const alone = (text: string) => own(text).replace(/^new NatInstance.*$/m, "");
  const [, ...changed] = await updates(alone(theirs + route), alone(theirs), own(theirs));
  expect(changed).toEqual([["delete Route"], ["create Instance", "create EipAssociation", "create Route"]]);
});

it("an address made elsewhere joins by import, for a gateway that uses it", async () => {
  const eip = (options: string) =>
    `import { Eip } from "@pulumi/aws/ec2/eip.js";\nnew Eip("kept", { domain: "vpc" }, ${options});\n`;
  const made = await engine.programStack(eip("{ retainOnDelete: true }"));
  await made.up();
  const { id } = Object.values(engine.cloud().resources).find(({ kind }) => kind === "Eip") as { id: string };
  await made.destroy();
  const joined = await engine.programStack(eip(`{ import: "${id}", protect: true }`));
  expect((await joined.up()).summary.resourceChanges).toMatchObject({ import: 1 });
  const stack = await engine.programStack(program("NatGatewayEgress", "NatGatewayEgress", "kept"));
  await stack.up();
  await stack.preview({ expectNoChanges: true });
  const [gateway] = Object.values(engine.cloud().resources).filter(({ kind }) => kind === "NatGateway");
  expect(gateway?.inputs.allocationId).toBe(id);
  await stack.destroy();
});
