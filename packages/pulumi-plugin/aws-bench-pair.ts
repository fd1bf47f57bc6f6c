import * as pulumi from "@pulumi/pulumi";
import * as aws from "egress-bench/aws";
import { type BenchHost, hostsOfPath } from "./bench-host";
import { type Ssh, type SshInputs, secretKey, sshOf } from "./ssh";

/** Way out of the client's subnet. */
enum AwsEgressKind {
  /** Public address of the client's own. */
  Direct = "direct",
  /** NAT gateway. */
  NatGateway = "nat-gateway",
  /** NAT instance. */
  NatInstance = "nat-instance",
  /** NAT instance of the fck-nat image. */
  FckNat = "fck-nat",
}

/** Flat arguments of AWS's BenchPair. */
export interface AwsBenchPairArgs extends SshInputs {
  /** Availability zone of all machines, such as us-east-1a. */
  zone: pulumi.Input<string>;
  /** Way out of the client's subnet. */
  egress: AwsEgressKind;
  /** Type of the client and the server, such as c7g.8xlarge. */
  instanceType: pulumi.Input<string>;
  /** Type of the NAT instance, where there is one. Default: t4g.micro. */
  natInstanceType?: pulumi.Input<string>;
  /** Tags of the resources, beside Name. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

const CLIENT_CIDR = "10.64.1.0/24";

/** A VPC with a public subnet. */
interface PublicVpc {
  readonly network: aws.Network;
  /** Tags of the resources in the public subnet. */
  readonly args: {
    readonly vpcId: pulumi.Output<string>;
    readonly subnetId: pulumi.Output<string>;
    readonly internetReady: readonly pulumi.Resource[];
    readonly tags: AwsBenchPairArgs["tags"];
  };
}

function publicVpc(
  name: string,
  block: string,
  { zone, tags }: AwsBenchPairArgs,
  parent: pulumi.Resource,
): PublicVpc {
  const network = new aws.Network(name, { cidr: `${block}/18`, zone, tags }, { parent });
  const { subnetId, associated } = network.publicSubnet("public", `${block}/24`);
  const internetReady = [...network.internetReady, associated];
  return { network, args: { vpcId: network.vpcId, subnetId, internetReady, tags } };
}

/** Makes the way out of subnets with these route tables. */
function egressOf(
  name: string,
  { egress, natInstanceType: instanceType, tags }: AwsBenchPairArgs,
  vpc: PublicVpc["args"],
  ssh: Ssh,
  privateRouteTableIds: pulumi.Input<string>[],
  parent: pulumi.Resource,
): aws.AwsEgress {
  const machine = { ...vpc, ssh, instanceType, privateRouteTableIds, privateCidrs: [CLIENT_CIDR] };
  const { subnetId, internetReady } = vpc;
  switch (egress) {
    case AwsEgressKind.Direct:
      return new aws.DirectEgress(name, { tags }, { parent });
    case AwsEgressKind.NatGateway:
      return new aws.NatGatewayEgress(
        name,
        { subnetId, internetReady, tags, privateRouteTableIds },
        { parent },
      );
    case AwsEgressKind.NatInstance:
      return new aws.NatInstance(name, machine, { parent });
    case AwsEgressKind.FckNat:
      return new aws.FckNat(name, machine, { parent });
    default:
      throw new pulumi.InputPropertyError({
        propertyPath: "egress",
        reason: `is ${egress}; expected one of ${Object.values(AwsEgressKind).join(", ")}`,
      });
  }
}

/**
 * A client that reaches a server through a way out of its subnet and nothing else, each in a VPC of its own
 * (10.64.0.0/18 and 10.64.64.0/18). A client without a public address is reached through a jump host.
 */
export class AwsBenchPair extends pulumi.ComponentResource {
  /** Machine that sends the tests, for a benchmark. */
  readonly client: pulumi.Output<BenchHost>;
  /** Machine that the tests end at, for a benchmark. */
  readonly server: pulumi.Output<BenchHost>;
  /** NAT instance, for a benchmark, where there is one. */
  readonly natInstance?: pulumi.Output<BenchHost>;
  /** Public address of the server. */
  readonly serverAddress: pulumi.Output<string>;
  /** Public addresses that the server sees the client come from. */
  readonly publicIps: pulumi.Output<string[]>;
  /** Operator's private key. */
  readonly sshPrivateKey: pulumi.Output<string>;

  constructor(name: string, args: AwsBenchPairArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AwsBenchPair", name, {}, opts);
    const ssh = sshOf(name, args, this);
    const { instanceType, tags } = args;
    const clients = publicVpc(`${name}-client-network`, "10.64.0.0", args, this);
    const servers = publicVpc(`${name}-server-network`, "10.64.64.0", args, this);
    const { network } = clients;
    const isPublic = args.egress === AwsEgressKind.Direct;
    const subnet = isPublic
      ? network.publicSubnet("client", CLIENT_CIDR)
      : network.privateSubnet("client", CLIENT_CIDR);
    const egress = egressOf(`${name}-egress`, args, clients.args, ssh, [subnet.routeTableId], this);
    const pair = new aws.BenchPair(
      name,
      {
        tags,
        egress,
        ssh,
        vpcId: network.vpcId,
        clientSubnetId: subnet.subnetId,
        client: { instanceType },
        jump: isPublic ? undefined : clients.args,
        server: { ...servers.args, instanceType },
        internetReady: [...network.internetReady, subnet.associated],
      },
      { parent: this },
    );
    const hosts = hostsOfPath(pair.path, pair.server.host);
    this.client = hosts.client;
    this.server = hosts.server;
    if (hosts.natInstance) this.natInstance = hosts.natInstance;
    this.serverAddress = pair.server.publicAddress;
    this.publicIps = pulumi.output(egress.expectedSourceIps);
    this.sshPrivateKey = secretKey(ssh);
    const { serverAddress, publicIps } = this;
    this.registerOutputs({ ...hosts, serverAddress, publicIps });
  }
}
