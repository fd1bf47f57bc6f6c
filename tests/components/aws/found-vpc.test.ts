/** What is found in VPCs of several makes; the engine's test deploys into one. */
import { Provider } from "@pulumi/aws/provider.js";
import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import { foundIn, foundVpc } from "../../../components/aws/found-vpc.ts";
import { NatInstance } from "../../../components/aws/nat-instance.ts";
import { mocks } from "../../../components/testing.ts";

interface Subnet {
  readonly zone: string;
  readonly table?: string;
  readonly tags?: Record<string, string>;
}

/** A VPC whose tables lead to the given target: `igw-1`, `nat-1`, `eni-1`, or nowhere. The first table is the main one. */
async function found(
  subnets: Record<string, Subnet>,
  tables: Record<string, string>,
  opts?: () => pulumi.ComponentResourceOptions,
  given?: Parameters<typeof foundVpc>[2],
) {
  const call = ({ token, inputs, provider = "" }: pulumi.runtime.MockCallArgs) => {
    const { id, routeTableId } = inputs;
    expect(provider).toMatch(opts === undefined ? /^$/ : /::west::/);
    switch (token) {
      case "aws:ec2/getSubnets:getSubnets":
        return { ids: Object.keys(subnets) };
      case "aws:ec2/getSubnet:getSubnet": {
        const { zone, tags = {} } = subnets[id] as Subnet;
        return { id, availabilityZone: zone, tags, cidrBlock: `block of ${id}` };
      }
      case "aws:ec2/getRouteTables:getRouteTables":
        return { ids: Object.keys(tables) };
      case "aws:ec2/getRouteTable:getRouteTable": {
        const own = Object.entries(subnets).filter(([, { table }]) => table === routeTableId);
        const target = tables[routeTableId] ?? "";
        const main = routeTableId === Object.keys(tables)[0] ? [{ subnetId: "", main: true }] : [];
        return {
          routeTableId,
          associations: [...main, ...own.map(([subnetId]) => ({ subnetId, main: false }))],
          routes: [{ cidrBlock: "0.0.0.0/0", ...noTarget, [memberOf(target)]: target }],
        };
      }
    }
    return undefined;
  };
  await pulumi.runtime.setMocks(mocks({ call }));
  return foundVpc("vpc-1", opts?.() ?? {}, given);
}

const noTarget = { gatewayId: "", natGatewayId: "", networkInterfaceId: "" };
const memberOf = (target: string) =>
  target.startsWith("nat-") ? "natGatewayId" : target.startsWith("eni-") ? "networkInterfaceId" : "gatewayId";

const tables = { "rtb-main": "", "rtb-out": "igw-1", "rtb-a": "", "rtb-b": "eni-1" };

it("takes the first zone's public subnet, and each private subnet with its table, once", async () => {
  const subnets = {
    "subnet-4": { zone: "a", table: "rtb-a" },
    "subnet-3": { zone: "b", table: "rtb-out" },
    "subnet-2": { zone: "b", table: "rtb-b" },
    "subnet-1": { zone: "a", table: "rtb-a" },
    "subnet-5": { zone: "a", table: "rtb-out" },
  };
  expect(await found(subnets, tables)).toEqual({
    vpcId: "vpc-1",
    subnetId: "subnet-5",
    privateRouteTableIds: ["rtb-a", "rtb-b"],
    privateCidrs: ["block of subnet-1", "block of subnet-4", "block of subnet-2"],
  });
});

it("gives a subnet without an association the main table, and isolated ones nothing", async () => {
  const subnets = {
    "subnet-1": { zone: "a", table: "rtb-out" },
    "subnet-2": { zone: "a" },
    "subnet-3": { zone: "a", table: "rtb-a", tags: { SubnetType: "Isolated" } },
    "subnet-4": { zone: "a", table: "rtb-b", tags: { "aws-cdk:subnet-type": "Isolated" } },
  };
  expect(await found(subnets, tables)).toMatchObject({
    privateRouteTableIds: ["rtb-main"],
    privateCidrs: ["block of subnet-2"],
  });
});

it.each([
  ["whose route table leads to an internet gateway", { "subnet-1": { zone: "a", table: "rtb-a" } }],
  ["that is private", { "subnet-1": { zone: "a", table: "rtb-out" } }],
])("refuses a VPC without a subnet %s", async (what, subnets) => {
  await expect(found(subnets, tables)).rejects.toThrow(`vpc-1 has no subnet ${what}`);
});

it.each([
  ["provider", () => ({ provider: new Provider("west", { region: "us-west-2" }) })],
  ["providers", () => ({ providers: [new Provider("west", { region: "us-west-2" })] })],
])("looks in the region of the component's %s", async (_, opts) => {
  const subnets = { "subnet-1": { zone: "a", table: "rtb-out" }, "subnet-2": { zone: "a", table: "rtb-a" } };
  expect(await found(subnets, tables, opts)).toMatchObject({ subnetId: "subnet-1" });
});

it("warns of a private table whose default route something else has, unless the tables are given", async () => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const subnets = { "subnet-1": { zone: "a", table: "rtb-out" }, "subnet-2": { zone: "a", table: "rtb-b" } };
  const warned = async (target: string, given?: Parameters<typeof foundVpc>[2]) => {
    await found(subnets, { ...tables, "rtb-a": "nat-2", "rtb-b": target }, undefined, given);
    return warn.mock.calls.splice(0).map(([line]) => line);
  };
  for (const target of ["nat-1", "vgw-1"]) {
    expect(await warned(target)).toEqual([
      expect.stringMatching(
        `^rtb-b: 0\\.0\\.0\\.0/0 leads to ${target} already\\. .*docs/details/keep-address\\.md, "From a NAT gateway that something else made"$`,
      ),
    ]);
  }
  expect(await warned("")).toEqual([]);
  expect(await warned("eni-1")).toEqual([]);
  expect(await warned("nat-1", { privateRouteTableIds: ["rtb-mine"] })).toEqual([]);
  warn.mockRestore();
});

it("says what to do with a VPC that lists no private subnets, as awsx's before 3.6", async () => {
  const vpc = { vpcId: pulumi.output("vpc-1"), privateSubnetIds: pulumi.output(["subnet-1"]) };
  for (const other of [undefined, pulumi.output("vpc-1")]) {
    await expect(foundIn(other as never, {})).rejects.toThrow(/^vpc: expected a VPC's id as a plain string/);
  }
  await expect(foundIn(vpc as never, {})).rejects.toThrow(
    /^vpc: expected .* 3\.6 on; update @pulumi\/awsx, or/,
  );
});

it("a test in a clone imports the mocks by the package's name", async () => {
  const name: string = "egress-bench/testing";
  expect((await import(name)).mocks).toBe(mocks);
});

it("children are changed by `transformations` under mocks, which know no `transforms`", async () => {
  const tags: unknown[] = [];
  const instance = "aws:ec2/instance:Instance";
  const newResource = ({ type, inputs }: pulumi.runtime.MockResourceArgs) => {
    if (type === instance) tags.push(inputs.tags);
    return undefined;
  };
  await pulumi.runtime.setMocks(mocks({ newResource }));
  const transformation: pulumi.ResourceTransformation = ({ type, props, opts }) =>
    type === instance ? { props: { ...props, tags: { team: "network" } }, opts } : undefined;
  const opts = { transformations: [transformation] };
  await NatInstance.forVpc("nat", "vpc-1", { sessionManager: true }, opts);
  await vi.waitFor(() => expect(tags).toEqual([{ team: "network" }]));
});
