/**
 * Refusals that need AWS's answers come at preview too, before anything is made: through the real engine, against a
 * stand-in that knows some images, instance types and route tables.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { describe, expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { imageId } from "../../helpers/aws-standin/fake-functions.ts";
import { observe } from "../../helpers/engine-events.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

async function refusal(stack: Stack): Promise<string> {
  const { failed, failureText } = await observe((onEvent) => stack.preview({ onEvent }));
  expect(failed).toBe(true);
  return failureText;
}

describe("at preview", () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      "an image of another architecture",
      { instanceType: "t3.micro", image: imageId("ubuntu", "arm64", 1) },
      /image: ami-0a\d+ is for arm64, but instanceType t3\.micro is x86_64; choose an image of that architecture/,
    ],
    [
      "more addresses than an interface holds",
      { publicIpCount: 3 },
      /publicIpCount: 3 public addresses need 3 private ones, and an interface of t4g\.micro holds 2; lower publicIpCount or choose a larger instanceType/,
    ],
    [
      "an unknown instance type",
      { instanceType: "t4g.nanoo" },
      /instanceType: this region has no t4g\.nanoo; choose a type that it has/,
    ],
  ])("%s is refused", async (_, options, message) => {
    const topologies = [{ topology: "nat-instance", ...options }];
    const stack = await engine.stack("aws-nat-instance", { "egress-bench:topologies": topologies });
    expect(await refusal(stack)).toMatch(message);
  });

  it("an unknown zone is refused", async () => {
    const stack = await engine.stack("aws-direct", { "egress-bench:aws": { zone: "us-east-1zz" } });
    expect(await refusal(stack)).toContain(
      "egress-bench:aws.zone: got us-east-1zz; expected one of us-east-1a, us-east-1b",
    );
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      "a zone that lacks a type is refused",
      { zone: "us-east-1a", clientInstanceType: "c7i.8xlarge" },
      /egress-bench:aws\.zone: us-east-1a does not offer c7i\.8xlarge; set it to us-east-1b, which moves all machines there/,
    ],
    [
      "types that no zone offers are refused",
      { clientInstanceType: "t4g.nanoo" },
      /no zone of this region offers all of .*t4g\.nanoo.*choose other instance types, or another aws:region/,
    ],
  ])("%s", async (_, settings, message) => {
    const stack = await engine.stack("aws-direct", { "egress-bench:aws": settings });
    expect(await refusal(stack)).toMatch(message);
  });

  it("an unknown zone for a standby is refused", async () => {
    const stack = await engine.stack("aws-nat-instance-ha-zones", {
      "egress-bench:aws": { zone: "us-east-1b" },
      "egress-bench:topologies": [{ topology: "nat-instance-ha", zones: 2, instanceType: "c7i.large" }],
    });
    expect(await refusal(stack)).toContain(
      "no zone of this region beside us-east-1b offers all of c7i.large",
    );
  });

  it.each([{}, { zone: "us-east-1a" }])(
    "zones without the clients' own, of %j, are refused",
    async (settings) => {
      const stack = await engine.stack("aws-nat-gateway", {
        "egress-bench:aws": settings,
        "egress-bench:topologies": [
          { topology: "nat-gateway", availabilityMode: "regional", zones: ["us-east-1b"] },
        ],
      });
      expect(await refusal(stack)).toContain(
        "zones: the clients are in us-east-1a, and the gateway serves us-east-1b only; name their zone too",
      );
    },
  );

  it("a public subnet whose route table leads to no internet gateway is refused", async () => {
    const network = `
import { Network, NatGatewayEgress } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const subnet = network.publicSubnet("public", "10.0.0.0/24");
const other = network.privateSubnet("private", "10.0.1.0/24");
`;
    const egress = (table: string) => `
new NatGatewayEgress("nat", {
  subnetId: subnet.subnetId,
  publicRouteTableId: ${table}.routeTableId,
  privateRouteTableIds: [other.routeTableId],
  internetReady: network.internetReady,
});
`;
    const stack = await engine.programStack(network);
    await stack.up();
    await engine.programStack(network + egress("other"));
    expect(await refusal(stack)).toMatch(
      /publicRouteTableId: rtb-\w+ has no route 0\.0\.0\.0\/0 to an internet gateway.*add the route, or choose a public subnet/,
    );
    await engine.programStack(network + egress("subnet"));
    expect((await stack.preview()).changeSummary).toMatchObject({ create: 4 });
  });

  it("an address that another zone of the gateway has is refused; the order in the message works", async () => {
    const gateway = (zone: string, kept: string) => `
import { Eip } from "@pulumi/aws/ec2/eip.js";
import { Network, NatGatewayEgress } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const subnet = network.privateSubnet("private", "10.0.1.0/24");
const [first, second] = ["first", "second"].map((name) => {
  const { id, publicIp: address } = new Eip(name, { domain: "vpc" });
  return { id, address };
});
new NatGatewayEgress("nat", {
  availabilityMode: "regional",
  vpcId: network.vpcId,
  zone: "${zone}",
  publicIps: [${kept}],
  privateRouteTableIds: [subnet.routeTableId],
  internetReady: network.internetReady,
});
`;
    const stack = await engine.programStack(gateway("us-east-1a", "first"));
    await stack.up();
    await engine.programStack(gateway("us-east-1b", "first"));
    expect(await refusal(stack)).toMatch(
      /publicIps: eipalloc-\w+ is in us-east-1a of the gateway, and AWS takes it for us-east-1b only once it is free; give us-east-1b other addresses and run pulumi up, then give it this one/,
    );
    await expect(stack.up()).rejects.toThrow("Resource.AlreadyAssociated");
    for (const address of ["second", "first"]) {
      await engine.programStack(gateway("us-east-1b", address));
      await stack.preview();
      await stack.up();
    }
    await stack.destroy();
  });
});
