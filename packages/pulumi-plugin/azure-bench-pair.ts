import * as pulumi from "@pulumi/pulumi";
import * as azure from "egress-bench/azure";
import { type BenchHost, hostsOfPath } from "./bench-host";
import { type Ssh, type SshInputs, secretKey, sshOf } from "./ssh";

/** Way out of the client's subnet. */
enum AzureEgressKind {
  /** Public address of the client's own. */
  Direct = "direct",
  /** NAT gateway. */
  NatGateway = "nat-gateway",
  /** NAT instance. */
  NatInstance = "nat-instance",
}

/** Flat arguments of Azure's BenchPair. */
export interface AzureBenchPairArgs extends SshInputs {
  /** Resource group of the resources. */
  resourceGroupName: pulumi.Input<string>;
  /** Region, such as japaneast. */
  location: pulumi.Input<string>;
  /** Way out of the client's subnet. */
  egress: AzureEgressKind;
  /** Size of the client and the server, such as Standard_D8ls_v5. */
  size: pulumi.Input<string>;
  /** Size of the NAT instance, where there is one. Default: Standard_B2ats_v2. */
  natSize?: pulumi.Input<string>;
  /** Tags of the resources. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

const CLIENT_CIDR = "10.64.0.0/24";

/** Makes the way out of a network's client subnet. */
function egressOf(
  name: string,
  { resourceGroupName, location, tags, egress, natSize }: AzureBenchPairArgs,
  network: azure.Network,
  ssh: Ssh,
  parent: pulumi.Resource,
): azure.AzureEgress {
  const own = `${name}-egress`;
  const place = { resourceGroupName, location, tags };
  switch (egress) {
    case AzureEgressKind.Direct:
      return new azure.DirectEgress(own, place, { parent });
    case AzureEgressKind.NatGateway:
      return new azure.NatGatewayEgress(own, place, { parent });
    case AzureEgressKind.NatInstance: {
      const subnetId = network.subnet(`${name}-nat`, { cidr: "10.64.2.0/24" }).id;
      const nat = { ...place, subnetId, privateCidrs: [CLIENT_CIDR], size: natSize, ssh };
      return new azure.NatInstance(own, nat, { parent });
    }
    default:
      throw new pulumi.InputPropertyError({
        propertyPath: "egress",
        reason: `is ${egress}; expected one of ${Object.values(AzureEgressKind).join(", ")}`,
      });
  }
}

/**
 * A client that reaches a server through a way out of its subnet and nothing else, each in a virtual network of its own
 * (10.64.0.0/20 and 10.64.16.0/20). A client without a public address is reached through a jump host.
 */
export class AzureBenchPair extends pulumi.ComponentResource {
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

  constructor(name: string, args: AzureBenchPairArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AzureBenchPair", name, {}, opts);
    const ssh = sshOf(name, args, this);
    const { resourceGroupName, location, size, tags } = args;
    const place = { resourceGroupName, location, tags };
    const parent = { parent: this };
    const network = new azure.Network(`${name}-network`, { ...place, cidr: "10.64.0.0/20" }, parent);
    const servers = new azure.Network(`${name}-servers`, { ...place, cidr: "10.64.16.0/20" }, parent);
    const egress = egressOf(name, args, network, ssh, this);
    const subnetCidr = "10.64.16.0/24";
    const server = {
      ...place,
      size,
      subnet: servers.subnet(`${name}-server`, { cidr: subnetCidr }),
      subnetCidr,
    };
    const cidrs = { clientCidr: CLIENT_CIDR, jumpCidr: "10.64.1.0/24" };
    const pair = new azure.BenchPair(
      name,
      { ...place, ...cidrs, egress, network, client: { size }, ssh, server },
      parent,
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
