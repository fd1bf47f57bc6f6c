/**
 * AWS's components with flat arguments.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import * as aws from "egress-bench/aws";
import { secretKey, sshOf } from "./ssh";

export interface AwsNatInstanceArgs {
  /** VPC of the instance. */
  vpcId: pulumi.Input<string>;
  /** Public subnet of the instance: its route table leads 0.0.0.0/0 to an internet gateway. */
  subnetId: pulumi.Input<string>;
  /** Route tables of the clients' subnets; each gets a route 0.0.0.0/0 to the instance. */
  privateRouteTableIds: pulumi.Input<string>[];
  /** CIDR blocks of the subnets whose hosts may go out through it, such as 10.0.1.0/24. */
  privateCidrs: pulumi.Input<pulumi.Input<string>[]>;
  /** CIDR blocks that may reach SSH, such as 203.0.113.7/32. */
  sshAllowedCidrs: pulumi.Input<pulumi.Input<string>[]>;
  /** Operator's public key, as OpenSSH writes it. Default: a new key. */
  sshPublicKey?: pulumi.Input<string>;
  /** Operator's private key, as OpenSSH writes it, without passphrase. Default: a new key. */
  sshPrivateKey?: pulumi.Input<string>;
  /** Instance type, Arm or x86. Default: t4g.micro. */
  instanceType?: pulumi.Input<string>;
  /** Public addresses, 1 to what an interface of the instance type holds. Default: 1. */
  publicIpCount?: number;
  /** Whether another machine takes its place when it fails. Default: false. */
  autoHeal?: boolean;
  /** Tags of what is made, beside Name. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/** A NAT instance: one Linux machine with an nftables masquerade, behind an interface that outlives it. */
export class AwsNatInstance extends pulumi.ComponentResource {
  /** Forwarding interface, for route tables that others make. */
  readonly networkInterfaceId: pulumi.Output<string>;
  /** Public addresses that its clients are seen from. */
  readonly publicIps: pulumi.Output<string[]>;
  /** Operator's private key. */
  readonly sshPrivateKey: pulumi.Output<string>;

  constructor(name: string, args: AwsNatInstanceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AwsNatInstance", name, {}, opts);
    const ssh = sshOf(name, args, this);
    const {
      vpcId,
      subnetId,
      privateRouteTableIds,
      privateCidrs,
      instanceType,
      publicIpCount,
      autoHeal,
      tags,
    } = args;
    const own = { instanceType, publicIpCount, autoHeal };
    const nat = new aws.NatInstance(
      name,
      { vpcId, subnetId, privateRouteTableIds, privateCidrs, tags, ssh, ...own },
      { parent: this },
    );
    this.networkInterfaceId = nat.networkInterfaceId;
    this.publicIps = pulumi.output(nat.expectedSourceIps);
    this.sshPrivateKey = secretKey(ssh);
    this.registerOutputs({ networkInterfaceId: this.networkInterfaceId, publicIps: this.publicIps });
  }
}

export interface AwsFckNatArgs {
  /** VPC of the instance. */
  vpcId: pulumi.Input<string>;
  /** Public subnet of the instance: its route table leads 0.0.0.0/0 to an internet gateway. */
  subnetId: pulumi.Input<string>;
  /** Route tables of the clients' subnets; each gets a route 0.0.0.0/0 to the instance. */
  privateRouteTableIds: pulumi.Input<string>[];
  /** CIDR blocks of the subnets whose hosts may go out through it, such as 10.0.1.0/24. */
  privateCidrs: pulumi.Input<pulumi.Input<string>[]>;
  /** CIDR blocks that may reach SSH, such as 203.0.113.7/32. */
  sshAllowedCidrs: pulumi.Input<pulumi.Input<string>[]>;
  /** Operator's public key, as OpenSSH writes it. Default: a new key. */
  sshPublicKey?: pulumi.Input<string>;
  /** Operator's private key, as OpenSSH writes it, without passphrase. Default: a new key. */
  sshPrivateKey?: pulumi.Input<string>;
  /** Instance type, Arm or x86. Default: t4g.micro. */
  instanceType?: pulumi.Input<string>;
  /** Name of the image. Default: the newest release of the instance type's architecture. */
  imageName?: pulumi.Input<string>;
  /** Tags of what is made, beside Name. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/** A NAT instance of the fck-nat image, behind an interface that outlives it. */
export class AwsFckNat extends pulumi.ComponentResource {
  /** Public addresses that its clients are seen from. */
  readonly publicIps: pulumi.Output<string[]>;
  /** Operator's private key. */
  readonly sshPrivateKey: pulumi.Output<string>;

  constructor(name: string, args: AwsFckNatArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AwsFckNat", name, {}, opts);
    const ssh = sshOf(name, args, this);
    const { vpcId, subnetId, privateRouteTableIds, privateCidrs, instanceType, imageName, tags } = args;
    const nat = new aws.FckNat(
      name,
      { vpcId, subnetId, privateRouteTableIds, privateCidrs, instanceType, imageName, tags, ssh },
      { parent: this },
    );
    this.publicIps = pulumi.output(nat.expectedSourceIps);
    this.sshPrivateKey = secretKey(ssh);
    this.registerOutputs({ publicIps: this.publicIps });
  }
}

export interface AwsNatGatewayEgressArgs {
  /** Public subnet of the gateway: its route table leads 0.0.0.0/0 to an internet gateway. */
  subnetId: pulumi.Input<string>;
  /** Route tables of the clients' subnets; each gets a route 0.0.0.0/0 to the gateway. */
  privateRouteTableIds: pulumi.Input<string>[];
  /** Public addresses to make, 1 to 8; each is worth 55,000 connections to one destination. Default: 1. */
  publicIpCount?: number;
  /** Tags of what is made, beside Name. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/** A managed NAT gateway in one availability zone, with its public addresses and routes. */
export class AwsNatGatewayEgress extends pulumi.ComponentResource {
  /** NAT gateway, for route tables that others make. */
  readonly natGatewayId: pulumi.Output<string>;
  /** Public addresses that its clients are seen from. */
  readonly publicIps: pulumi.Output<string[]>;

  constructor(name: string, args: AwsNatGatewayEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AwsNatGatewayEgress", name, {}, opts);
    const egress = new aws.NatGatewayEgress(name, { ...args }, { parent: this });
    this.natGatewayId = egress.gateway.id;
    this.publicIps = pulumi.output(egress.expectedSourceIps);
    this.registerOutputs({ natGatewayId: this.natGatewayId, publicIps: this.publicIps });
  }
}
