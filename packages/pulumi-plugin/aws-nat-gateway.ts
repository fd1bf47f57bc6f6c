import * as pulumi from "@pulumi/pulumi";
import * as aws from "egress-bench/aws";
import { type AwsElasticIp, elasticIpsOf } from "./aws-nat";
import type { leftOut, Passed } from "./left-out";

/** Place of a NAT gateway. */
enum AwsAvailabilityMode {
  /** In one public subnet. */
  Zonal = "zonal",
  /** In a VPC as a whole. */
  Regional = "regional",
}

/** Flat arguments of AWS's NatGatewayEgress. */
export interface AwsNatGatewayEgressArgs {
  /** Place of the gateway. Default: zonal. */
  availabilityMode?: AwsAvailabilityMode;
  /** For zonal, which needs it: public subnet, whose route table leads 0.0.0.0/0 to an internet gateway. Default: none. */
  subnetId?: pulumi.Input<string>;
  /** Route table of that subnet, to have it checked at preview. Default: not checked. */
  publicRouteTableId?: pulumi.Input<string>;
  /** For regional, which needs it. Default: none. */
  vpcId?: pulumi.Input<string>;
  /** For regional: the one availability zone that it serves. Default: all zones with clients. */
  zone?: pulumi.Input<string>;
  /** Route tables of the clients' subnets; each gets a route 0.0.0.0/0 to the gateway. */
  privateRouteTableIds: pulumi.Input<string>[];
  /** Public addresses to make, 1 to 8; each is worth 55,000 connections to one destination. Default: 1. */
  publicIpCount?: number;
  /** Elastic IPs that exist already, used instead of new ones. Default: new ones. */
  elasticIps?: pulumi.Input<AwsElasticIp>[];
  /** Tags of the resources, beside Name. Default: none. */
  tags?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/** A managed NAT gateway in one availability zone or a whole VPC, with its public addresses and routes. */
export class AwsNatGatewayEgress extends pulumi.ComponentResource {
  /** NAT gateway, for your own route tables. */
  readonly natGatewayId: pulumi.Output<string>;
  /** Public addresses that servers see. */
  readonly publicIps: pulumi.Output<string[]>;

  constructor(name: string, args: AwsNatGatewayEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:AwsNatGatewayEgress", name, {}, opts);
    const { availabilityMode, subnetId, publicRouteTableId, vpcId, zone } = args;
    const { privateRouteTableIds, publicIpCount, tags } = args;
    const passed: Passed<aws.NatGatewayEgressArgs, typeof leftOut.AwsNatGatewayEgress> = {
      ...{ availabilityMode, subnetId, publicRouteTableId, vpcId, zone },
      ...{ privateRouteTableIds, publicIpCount, tags },
      publicIps: elasticIpsOf(args.elasticIps),
    };
    const egress = new aws.NatGatewayEgress(name, passed, { parent: this });
    this.natGatewayId = egress.gateway.id;
    this.publicIps = pulumi.output(egress.expectedSourceIps);
    this.registerOutputs({ natGatewayId: this.natGatewayId, publicIps: this.publicIps });
  }
}
