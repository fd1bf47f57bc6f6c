/**
 * An operator's day through the packed library: a project of one's own moves its allow-listed address from a NAT gateway to a
 * NAT instance and back, in clouds that give an address to one resource at a time.
 *
 * Not proved: that the clouds' real providers do so, nor how long it takes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AttachedProcess } from "../helpers/attached/start.ts";
import { packLibrary, startStandIns, withConsumer } from "../helpers/consumers.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-operator-`);
let standIns: AttachedProcess;
beforeAll(async () => {
  await packLibrary(directory);
  standIns = await startStandIns(directory);
});
afterAll(async () => {
  await standIns.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The deployed way out, and whether it has the allow-listed address. */
type Way = readonly [kind: "NatGatewayEgress" | "NatInstance", keeps: boolean];

const programs = {
  aws: ([kind, keeps]: Way) => `
import { Eip } from "@pulumi/aws/ec2/eip.js";
import { NatGatewayEgress, NatInstance, Network } from "egress-bench/aws";

const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const outside = network.publicSubnet("public", "10.0.0.0/24");
const apps = network.privateSubnet("apps", "10.0.1.0/24");
const kept = new Eip("kept", { domain: "vpc" });
const place = {
  subnetId: outside.subnetId,
  internetReady: [...network.internetReady, outside.associated],
  privateRouteTableIds: [apps.routeTableId],
  ${keeps ? "publicIps: [{ id: kept.id, address: kept.publicIp }]," : ""}
  ${kind === "NatInstance" ? 'vpcId: network.vpcId, privateCidrs: ["10.0.1.0/24"],' : ""}
};
const aliases = ["NatGatewayEgress", "NatInstance"].map((one) => ({ type: \`egress-bench:aws:\${one}\` }));
const egress = new ${kind}("egress", place, { aliases });
export const seen = egress.expectedSourceIps;
export const listed = kept.publicIp;
`,
  azure: ([kind, keeps]: Way) => `
import { PublicIPAddress } from "@pulumi/azure-native/network/publicIPAddress.js";
import { ResourceGroup } from "@pulumi/azure-native/resources/resourceGroup.js";
import { NatGatewayEgress, NatInstance, Network } from "egress-bench/azure";

const group = new ResourceGroup("group", { location: "japaneast" });
const place = { resourceGroupName: group.name, location: group.location };
const network = new Network("net", { ...place, cidr: "10.0.0.0/16" });
const inside = network.subnet("nat", { cidr: "10.0.0.0/24" });
const address = { publicIPAllocationMethod: "Static", publicIPAddressVersion: "IPv4", sku: { name: "Standard", tier: "Regional" } };
const kept = new PublicIPAddress("kept", { ...place, ...address });
const egress = new ${kind}("${kind}", {
  ...place,
  ${keeps ? "publicIps: [{ id: kept.id, address: kept.ipAddress }]," : ""}
  ${kind === "NatInstance" ? 'subnetId: inside.id, privateCidrs: ["10.0.1.0/24"],' : ""}
});
network.subnet("apps", { cidr: "10.0.1.0/24", attachment: egress.attachment });
export const seen = egress.expectedSourceIps;
export const listed = kept.ipAddress;
`,
};

const toInstance: Way[] = [
  ["NatGatewayEgress", true],
  ["NatInstance", false],
  ["NatInstance", true],
];

/** The way back: AWS's gateway takes the address at creation, Azure's only once it exists. */
const back: Record<keyof typeof programs, Way[]> = {
  aws: [
    ["NatInstance", false],
    ["NatGatewayEgress", true],
  ],
  azure: [
    ["NatGatewayEgress", false],
    ["NatGatewayEgress", true],
  ],
};

test.each(["aws", "azure"] as const)("on %s the address is never lost, and used again", async (cloud) => {
  const files = { "package.json": '{ "type": "module", "main": "index.js" }', "index.js": "" };
  const options = { typescript: false };
  await withConsumer(directory, { name: cloud, options, files }, { standIns }, async (stack, project) => {
    const addresses = new Set<string>();
    for (const way of [...toInstance, ...back[cloud]]) {
      writeFileSync(join(project, "index.js"), programs[cloud](way));
      const { outputs } = await stack.up();
      const { seen, listed } = { seen: outputs.seen?.value, listed: outputs.listed?.value };
      addresses.add(listed);
      expect({ way, kept: seen.includes(listed) }).toEqual({ way, kept: way[1] });
      await stack.preview({ expectNoChanges: true });
    }
    expect(addresses.size).toBe(1);
    await stack.destroy();
    const { resources } = JSON.parse(
      readFileSync(join(directory, cloud === "aws" ? "ec2.json" : "arm.json"), "utf8"),
    );
    expect(Object.keys(resources).filter((id) => /kept|eipalloc/.test(id))).toEqual([]);
  });
});
