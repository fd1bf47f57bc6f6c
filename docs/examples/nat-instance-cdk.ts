/**
 * A VPC whose private subnets use a NAT instance, with the AWS CDK. Write its user data first:
 * `npm run nat-script -- --cloud aws --private-cidrs 10.0.0.0/16 --out nat-user-data.b64`
 */
import { readFileSync } from "node:fs";
import { App, Stack } from "aws-cdk-lib";
import * as ec2 from "aws-cdk-lib/aws-ec2";

const image = "/aws/service/canonical/ubuntu/server/24.04/stable/current/arm64/hvm/ebs-gp3/ami-id";

const stack = new Stack(new App(), "egress");
const nat = ec2.NatProvider.instanceV2({
  instanceType: new ec2.InstanceType("c7gn.medium"),
  machineImage: ec2.MachineImage.fromSsmParameter(image, { os: ec2.OperatingSystemType.LINUX }),
  defaultAllowedTraffic: ec2.NatTrafficDirection.OUTBOUND_ONLY,
});
const vpc = new ec2.Vpc(stack, "vpc", {
  ipAddresses: ec2.IpAddresses.cidr("10.0.0.0/16"),
  natGatewayProvider: nat,
  natGateways: 1,
});
nat.connections.allowFrom(ec2.Peer.ipv4(vpc.vpcCidrBlock), ec2.Port.allTraffic());
for (const { node } of nat.gatewayInstances) {
  (node.defaultChild as ec2.CfnInstance).userData = readFileSync("nat-user-data.b64", "utf8").trim();
}
