/**
 * Azure's components with flat arguments.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import * as azure from "egress-bench/azure";
import { secretKey, sshOf } from "./ssh";

export interface AzureNatInstanceArgs {
  /** Resource group of what is made. */
  resourceGroupName: pulumi.Input<string>;
  /** Region, such as japaneast. */
  location: pulumi.Input<string>;
  /** Subnet of the instance. Not one of its clients': their route would lead the instance back to itself. */
  subnetId: pulumi.Input<string>;
  /** CIDR blocks of the subnets whose hosts may go out through it, such as 10.0.1.0/24. */
  privateCidrs: pulumi.Input<pulumi.Input<string>[]>;
  /** CIDR blocks that may reach SSH, such as 203.0.113.7/32. */
  sshAllowedCidrs: pulumi.Input<pulumi.Input<string>[]>;
  /** Operator's public key, as OpenSSH writes it. Default: a new key. */
  sshPublicKey?: pulumi.Input<string>;
  /** Operator's private key, as OpenSSH writes it, without passphrase. Default: a new key. */
  sshPrivateKey?: pulumi.Input<string>;
  /** Size of the instance. Default: Standard_B2ats_v2. */
  size?: pulumi.Input<string>;
  /** Availability zone. Default: Azure's choice. */
  zone?: pulumi.Input<string>;
  /** Public addresses, 1 to 64. Default: 1. */
  publicIpCount?: number;
  /** Tags of what is made. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/**
 * A NAT instance: one Linux machine with an nftables masquerade, its own security group and a route table for the
 * clients' subnets.
 */
export class AzureNatInstance extends pulumi.ComponentResource {
  /** Route table with 0.0.0.0/0 through the instance, for the clients' subnets. */
  readonly routeTableId: pulumi.Output<string>;
  /** Public addresses that its clients are seen from. */
  readonly publicIps: pulumi.Output<string[]>;
  /** Operator's private key. */
  readonly sshPrivateKey: pulumi.Output<string>;

  constructor(name: string, args: AzureNatInstanceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AzureNatInstance", name, {}, opts);
    const ssh = sshOf(name, args, this);
    const { resourceGroupName, location, subnetId, privateCidrs, size, zone, publicIpCount, tags } = args;
    const nat = new azure.NatInstance(
      name,
      { resourceGroupName, location, subnetId, privateCidrs, size, zone, publicIpCount, tags, ssh },
      { parent: this },
    );
    this.routeTableId = nat.routeTable.id;
    this.publicIps = pulumi.output(nat.expectedSourceIps);
    this.sshPrivateKey = secretKey(ssh);
    this.registerOutputs({ routeTableId: this.routeTableId, publicIps: this.publicIps });
  }
}

/** Kind of a NAT gateway. */
enum AzureNatGatewaySku {
  /** In one zone. */
  Standard = "Standard",
  /** Zone-redundant; missing in a handful of regions. */
  StandardV2 = "StandardV2",
}

export interface AzureNatGatewayEgressArgs {
  /** Resource group of what is made. */
  resourceGroupName: pulumi.Input<string>;
  /** Region, such as japaneast. */
  location: pulumi.Input<string>;
  /** Kind of the gateway. Default: Standard. */
  sku?: AzureNatGatewaySku;
  /** Public addresses to make, 1 to 16; each is worth 64,512 ports. Default: 1, or none with a prefix. */
  publicIpCount?: number;
  /** Length of a public IP prefix to make instead, 28 to 31. Default: none. */
  publicIpPrefixLength?: number;
  /** Minutes after which an idle connection is forgotten, 4 to 120. Default: 4. */
  idleTimeoutMinutes?: number;
  /** Availability zone, for Standard only. Default: Azure's choice. */
  zone?: string;
  /** Tags of what is made. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/** A managed NAT gateway with its public addresses, to be attached to subnets of one virtual network. */
export class AzureNatGatewayEgress extends pulumi.ComponentResource {
  /** NAT gateway, for the clients' subnets. */
  readonly natGatewayId: pulumi.Output<string>;
  /** Public addresses that its clients are seen from. */
  readonly publicIps: pulumi.Output<string[]>;

  constructor(name: string, args: AzureNatGatewayEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AzureNatGatewayEgress", name, {}, opts);
    const egress = new azure.NatGatewayEgress(name, { ...args }, { parent: this });
    this.natGatewayId = egress.gateway.id;
    this.publicIps = egress.expectedSourceIps;
    this.registerOutputs({ natGatewayId: this.natGatewayId, publicIps: this.publicIps });
  }
}
