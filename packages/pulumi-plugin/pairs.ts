/**
 * A client, a way out and a server as one component: in TypeScript a program puts them together itself, other languages cannot
 * pass such objects from component to component.
 */
import * as pulumi from "@pulumi/pulumi";
import { type EgressPath, type Host, SshKeyPair } from "egress-bench";
import * as aws from "egress-bench/aws";
import * as azure from "egress-bench/azure";
import * as local from "egress-bench/local";
import { z } from "zod";
import { hostSchema, hostsOfPath, sameAs, text } from "./hosts";
import { bare, type Zod } from "./schema";

type Options = pulumi.ComponentResourceOptions;

/** What a pair of any cloud puts out; the lab's has no server's address. */
export const pairOutputs = {
  client: hostSchema.meta({ description: "Machine that sends the tests, for a benchmark." }),
  server: hostSchema.meta({ description: "Machine that the tests end at, for a benchmark." }),
  natInstance: hostSchema
    .optional()
    .meta({ description: "NAT instance, for a benchmark, where there is one." }),
  serverAddress: z.string().optional().meta({ description: "Public address of the server." }),
  publicIps: z
    .array(z.string())
    .meta({ description: "Addresses that the server sees the client come from." }),
};

const login = (
  bare(sameAs(aws.natInstanceSchema, "ssh") as unknown as Zod).type as unknown as z.ZodType
).meta({
  description: "Login key, such as an SshKeyPair's two halves, and the CIDR blocks that may log in.",
});

/** The argument that names the way out of the client's subnet. */
const wayOut = <const Names extends readonly [string, ...string[]]>(...names: Names) =>
  z.enum(names).meta({ description: "Way out of the client's subnet." });

export const awsPairArgs = z.strictObject({
  zone: text.meta({ description: "Availability zone of all machines, such as us-east-1a." }),
  egress: wayOut("direct", "nat-gateway", "nat-instance", "fck-nat"),
  instanceType: text.meta({ description: "Type of the client and the server, such as c7g.8xlarge." }),
  natInstanceType: text
    .optional()
    .meta({ description: "Type of the NAT instance.", default: aws.DEFAULT_NAT_TYPE }),
  ssh: login,
  tags: sameAs(aws.natInstanceSchema, "tags"),
});

export const azurePairArgs = z.strictObject({
  resourceGroupName: sameAs(azure.natInstanceSchema, "resourceGroupName"),
  location: sameAs(azure.natInstanceSchema, "location"),
  egress: wayOut("direct", "nat-gateway", "nat-instance"),
  size: text.meta({ description: "Size of the client and the server, such as Standard_D8ls_v5." }),
  natSize: text
    .optional()
    .meta({ description: "Size of the NAT instance.", default: azure.DEFAULT_NAT_SIZE }),
  ssh: login,
  tags: sameAs(azure.natInstanceSchema, "tags"),
});

export const localPairArgs = z.strictObject({ egress: wayOut("direct", "nat-instance") });

/** A pair's resource, whose children the ones below are. */
class Pair extends pulumi.ComponentResource {
  constructor(cloud: string, name: string, schema: z.ZodType, args: unknown, options: Options) {
    super(`egress-bench:index:${cloud}BenchPair`, name, {}, options);
    const issue = schema.safeParse(args).error?.issues[0];
    if (issue)
      throw new pulumi.InputPropertyError({ propertyPath: issue.path.join("."), reason: issue.message });
  }

  made(path: EgressPath, server: Host, serverAddress: pulumi.Output<string> | undefined) {
    const outputs = {
      ...hostsOfPath(path, server),
      ...(serverAddress && { serverAddress }),
      publicIps: path.expectedSourceIps,
    };
    this.registerOutputs(outputs);
    return { resource: this, outputs };
  }
}

interface AwsPair extends Pick<aws.NatInstanceArgs, "tags"> {
  readonly zone: pulumi.Input<string>;
  readonly egress: "direct" | "nat-gateway" | "nat-instance" | "fck-nat";
  readonly instanceType: pulumi.Input<string>;
  readonly natInstanceType?: pulumi.Input<string>;
  readonly ssh: aws.SshArgs;
}

export function awsPair(name: string, args: AwsPair, options: Options) {
  const pair = new Pair("Aws", name, awsPairArgs, args, options);
  const parent = { parent: pair };
  const { instanceType, natInstanceType, egress: kind, ssh, tags, zone } = args;
  const clientCidr = "10.64.1.0/24";
  const publicVpc = (own: string, block: string) => {
    const network = new aws.Network(`${name}-${own}-network`, { cidr: `${block}/18`, zone, tags }, parent);
    const { subnetId, associated } = network.publicSubnet("public", `${block}/24`);
    const internetReady = [...network.internetReady, associated];
    return { network, place: { vpcId: network.vpcId, subnetId, internetReady, tags } };
  };
  const { network, place } = publicVpc("client", "10.64.0.0");
  const servers = publicVpc("server", "10.64.64.0");
  const isPublic = kind === "direct";
  const subnet = isPublic
    ? network.publicSubnet("client", clientCidr)
    : network.privateSubnet("client", clientCidr);
  const routes = { ...place, privateRouteTableIds: [subnet.routeTableId] };
  const machine = { ...routes, ssh, instanceType: natInstanceType, privateCidrs: [clientCidr] };
  const own = `${name}-egress`;
  const { vpcId: _, ...gateway } = routes;
  const ways = {
    direct: () => new aws.DirectEgress(own, { tags }, parent),
    "nat-gateway": () => new aws.NatGatewayEgress(own, gateway, parent),
    "nat-instance": () => new aws.NatInstance(own, machine, parent),
    "fck-nat": () => new aws.FckNat(own, machine, parent),
  };
  const { path, server } = new aws.BenchPair(
    name,
    {
      ...{ tags, ssh, vpcId: network.vpcId, clientSubnetId: subnet.subnetId, client: { instanceType } },
      egress: ways[kind](),
      jump: isPublic ? undefined : place,
      server: { ...servers.place, instanceType },
      internetReady: [...network.internetReady, subnet.associated],
    },
    parent,
  );
  return pair.made(path, server.host, server.publicAddress);
}

interface AzurePair extends azure.AzureArgs {
  readonly egress: "direct" | "nat-gateway" | "nat-instance";
  readonly size: pulumi.Input<string>;
  readonly natSize?: pulumi.Input<string>;
  readonly ssh: azure.SshArgs;
}

export function azurePair(name: string, args: AzurePair, options: Options) {
  const pair = new Pair("Azure", name, azurePairArgs, args, options);
  const parent = { parent: pair };
  const { resourceGroupName, location, tags, size, natSize, ssh, egress: kind } = args;
  const place = { resourceGroupName, location, tags };
  const network = new azure.Network(`${name}-network`, { ...place, cidr: "10.64.0.0/20" }, parent);
  const servers = new azure.Network(`${name}-servers`, { ...place, cidr: "10.64.16.0/20" }, parent);
  const cidrs = { clientCidr: "10.64.0.0/24", jumpCidr: "10.64.1.0/24" };
  const own = `${name}-egress`;
  const ways = {
    direct: () => new azure.DirectEgress(own, place, parent),
    "nat-gateway": () => new azure.NatGatewayEgress(own, place, parent),
    "nat-instance": () => {
      const subnetId = network.subnet(`${name}-nat`, { cidr: "10.64.2.0/24" }).id;
      const nat = { ...place, subnetId, privateCidrs: [cidrs.clientCidr], size: natSize, ssh };
      return new azure.NatInstance(own, nat, parent);
    },
  };
  const subnetCidr = "10.64.16.0/24";
  const subnet = servers.subnet(`${name}-server`, { cidr: subnetCidr });
  const { path, server } = new azure.BenchPair(
    name,
    {
      ...{ ...place, ...cidrs, network, ssh, client: { size } },
      egress: ways[kind](),
      server: { ...place, size, subnet, subnetCidr },
    },
    parent,
  );
  return pair.made(path, server.host, server.publicAddress);
}

export function localPair(
  name: string,
  args: { readonly egress: "direct" | "nat-instance" },
  options: Options,
) {
  const pair = new Pair("Local", name, localPairArgs, args, options);
  const parent = { parent: pair };
  const lab = { name: pulumi.getStack(), operatorKey: new SshKeyPair(`${name}-operator`, parent) };
  const server = local.benchServer(`${name}-server`, lab, parent);
  const Egress = args.egress === "direct" ? local.DirectEgress : local.NatInstance;
  const egress = new Egress(`${name}-egress`, { server, index: 1 }, parent);
  const { path } = new local.BenchPair(name, { server, egress }, parent);
  return pair.made(path, server, undefined);
}
