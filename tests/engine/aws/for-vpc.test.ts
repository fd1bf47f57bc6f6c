/** `NatInstance.forVpc` of a VPC that exists, and of one that the same program makes: a route on every private table. */
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAwsEngine, (one) => one.dispose());

const network = `import { NatInstance, Network } from "./components/aws/index.ts";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
network.publicSubnet("public", "10.0.0.0/24");
network.privateSubnet("apps", "10.0.1.0/24");
network.privateSubnet("more", "10.0.2.0/24");
`;

/** A component with awsx's outputs. That awsx's own fits was tried by hand, with its provider of August 2026. */
const component = `import * as pulumi from "@pulumi/pulumi";
import * as ec2 from "@pulumi/aws/ec2/index.js";
import { NatInstance } from "./components/aws/index.ts";
const vpc = new pulumi.ComponentResource("test:index:Vpc", "vpc");
const made = new ec2.Vpc("vpc", { cidrBlock: "10.0.0.0/16" });
const [outside, ...inside] = ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"].map((cidrBlock, at) => {
  const subnet = new ec2.Subnet(\`net-\${at}\`, { vpcId: made.id, cidrBlock, availabilityZone: "us-east-1a" }, { parent: vpc });
  const table = new ec2.RouteTable(\`net-\${at}\`, { vpcId: made.id }, { parent: vpc });
  new ec2.RouteTableAssociation(\`net-\${at}\`, { subnetId: subnet.id, routeTableId: table.id }, { parent: vpc });
  if (at > 0) return subnet;
  const gateway = new ec2.InternetGateway("net", { vpcId: made.id }, { parent: vpc });
  const way = { routeTableId: table.id, destinationCidrBlock: "0.0.0.0/0", gatewayId: gateway.id };
  new ec2.Route("net", way, { parent: vpc });
  return subnet;
});
const publicSubnetIds = pulumi.output([outside.id]);
Object.assign(vpc, { vpcId: made.id, publicSubnetIds, privateSubnets: pulumi.output(inside) });
await NatInstance.forVpc("nat", vpc, { autoHeal: true });
`;

const idOf = (kind: string, cidrBlock: string) =>
  Object.values(engine.cloud().resources).find(
    (one) => one.kind === kind && one.inputs.cidrBlock === cidrBlock,
  )?.id;

it.each<[string, string, (vpcId: string) => string]>([
  ["that exists", network, (id) => `${network}await NatInstance.forVpc("nat", "${id}", { autoHeal: true });`],
  ["of the same program", "", () => component],
])(
  "leads the private subnets of a VPC %s, and finds the same afterwards",
  {
    timeout: 300_000,
  },
  async (_, before, program) => {
    await (await engine.programStack(before)).up();
    const stack = await engine.programStack(program(idOf("Vpc", "10.0.0.0/16") ?? ""));
    await stack.preview();
    await stack.up();
    await stack.preview({ expectNoChanges: true });
    const made = Object.values(engine.cloud().resources);
    const routes = made.filter(({ kind, inputs }) => kind === "Route" && inputs.networkInterfaceId);
    expect(new Set(routes.map(({ inputs }) => inputs.routeTableId)).size).toBe(2);
    expect(routes).toHaveLength(2);
    const interfaces = made.filter(({ kind }) => kind === "NetworkInterface");
    expect(interfaces.map(({ inputs }) => inputs.subnetId)).toEqual([idOf("Subnet", "10.0.0.0/24")]);
    await stack.destroy();
  },
);
