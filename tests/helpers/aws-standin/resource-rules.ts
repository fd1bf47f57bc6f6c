/**
 * Rules for each resource type that the SDK's types do not express.
 *
 * `forceNew` and `conflicts` are the provider's (internal/service/{ec2,autoscaling,lambda,events} of terraform-provider-aws); that
 * they are complete is not proved.
 */
import type { Properties } from "../../../tools/command-standin/shared/envelopes.ts";

export interface ResourceRules {
  /** Prefix of its ids. */
  readonly id: string;
  /** Inputs, or parts of one, that replace the resource when changed. */
  readonly forceNew: readonly string[];
  /** Inputs that exclude each other. */
  readonly conflicts?: readonly (readonly [string, string])[];
  /** Groups of inputs of which one is required. */
  readonly oneOf?: readonly (readonly string[])[];
  /** Whether its Pulumi name becomes part of its name in AWS. */
  readonly named?: boolean;
  /** Outputs that change with each update. */
  readonly anew?: readonly string[];
}

const resourceRules: Readonly<Record<string, ResourceRules>> = {
  "aws:ec2/vpc:Vpc": { id: "vpc", forceNew: ["cidrBlock"], oneOf: [["cidrBlock"]] },
  "aws:ec2/subnet:Subnet": {
    id: "subnet",
    forceNew: ["vpcId", "cidrBlock", "availabilityZone"],
    oneOf: [["cidrBlock"]],
  },
  "aws:ec2/internetGateway:InternetGateway": { id: "igw", forceNew: [] },
  "aws:ec2/routeTable:RouteTable": { id: "rtb", forceNew: ["vpcId"] },
  "aws:ec2/routeTableAssociation:RouteTableAssociation": {
    id: "rtbassoc",
    forceNew: ["subnetId"],
    oneOf: [["subnetId", "gatewayId"]],
  },
  "aws:ec2/route:Route": {
    id: "r",
    forceNew: ["routeTableId", "destinationCidrBlock"],
    oneOf: [
      ["gatewayId", "natGatewayId", "networkInterfaceId", "vpcPeeringConnectionId"],
      ["destinationCidrBlock"],
    ],
  },
  "aws:ec2/eip:Eip": { id: "eipalloc", forceNew: ["domain"] },
  "aws:ec2/eipAssociation:EipAssociation": {
    id: "eipassoc",
    forceNew: ["allocationId", "networkInterfaceId", "privateIpAddress", "instanceId", "allowReassociation"],
    oneOf: [["networkInterfaceId", "instanceId"]],
  },
  "aws:ec2/networkInterface:NetworkInterface": { id: "eni", forceNew: ["subnetId"] },
  "aws:ec2/securityGroup:SecurityGroup": {
    id: "sg",
    forceNew: ["vpcId", "description", "name"],
    named: true,
  },
  "aws:ec2/instance:Instance": {
    id: "i",
    forceNew: [
      "ami",
      "subnetId",
      "privateIp",
      "primaryNetworkInterface",
      "associatePublicIpAddress",
      // "Modifying the encrypted or kmsKeyId settings of the rootBlockDevice requires resource replacement": the SDK's own words.
      "rootBlockDevice.encrypted",
      "rootBlockDevice.kmsKeyId",
      "placementGroup",
      "keyName",
      "instanceMarketOptions",
      "userData",
      // With userDataReplaceOnChange, which our machines set.
      "userDataBase64",
    ],
    conflicts: [
      ["primaryNetworkInterface", "subnetId"],
      ["primaryNetworkInterface", "vpcSecurityGroupIds"],
      ["primaryNetworkInterface", "associatePublicIpAddress"],
      ["primaryNetworkInterface", "privateIp"],
      ["primaryNetworkInterface", "sourceDestCheck"],
      ["userData", "userDataBase64"],
    ],
    oneOf: [
      ["ami", "launchTemplate"],
      ["instanceType", "launchTemplate"],
    ],
  },
  "aws:ec2/natGateway:NatGateway": {
    id: "nat",
    // By CustomizeDiff: from zones of AWS's choice to given ones, and back.
    forceNew: ["allocationId", "subnetId", "availabilityMode", "vpcId", "availabilityZoneAddresses?"],
    conflicts: [
      ["subnetId", "vpcId"],
      ["allocationId", "availabilityZoneAddresses"],
      ["subnetId", "availabilityZoneAddresses"],
    ],
    oneOf: [["subnetId", "vpcId"]],
  },
  "aws:ec2/vpcPeeringConnection:VpcPeeringConnection": { id: "pcx", forceNew: ["vpcId", "peerVpcId"] },
  "aws:ec2/launchTemplate:LaunchTemplate": {
    id: "lt",
    forceNew: ["name"],
    conflicts: [["networkInterfaces", "vpcSecurityGroupIds"]],
    named: true,
    anew: ["latestVersion"],
  },
  "aws:ec2/placementGroup:PlacementGroup": { id: "pg", forceNew: ["name", "strategy"], named: true },
  "aws:iam/role:Role": { id: "role", forceNew: ["name", "path"], named: true },
  "aws:iam/rolePolicy:RolePolicy": { id: "policy", forceNew: ["name", "role"], named: true },
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment": { id: "attachment", forceNew: ["role", "policyArn"] },
  "aws:iam/instanceProfile:InstanceProfile": { id: "profile", forceNew: ["name", "path"], named: true },
  "aws:ssm/association:Association": {
    id: "assoc",
    forceNew: ["name"],
    oneOf: [["targets", "instanceId"]],
  },
  "aws:autoscaling/group:Group": {
    id: "asg",
    forceNew: ["name"],
    conflicts: [
      ["availabilityZones", "vpcZoneIdentifiers"],
      ["launchTemplate", "mixedInstancesPolicy"],
    ],
    oneOf: [["launchTemplate", "launchConfiguration", "mixedInstancesPolicy"]],
    named: true,
  },
  "aws:autoscaling/policy:Policy": { id: "scaling", forceNew: ["name", "autoscalingGroupName"], named: true },
  "aws:autoscaling/schedule:Schedule": {
    id: "schedule",
    forceNew: ["scheduledActionName", "autoscalingGroupName"],
  },
  "aws:autoscaling/lifecycleHook:LifecycleHook": {
    id: "hook",
    forceNew: ["name", "autoscalingGroupName"],
    named: true,
  },
  "aws:cloudwatch/logGroup:LogGroup": { id: "logs", forceNew: ["name"], named: true },
  "aws:cloudwatch/eventRule:EventRule": {
    id: "rule",
    forceNew: ["name"],
    oneOf: [["scheduleExpression", "eventPattern"]],
    named: true,
  },
  "aws:cloudwatch/eventTarget:EventTarget": { id: "target", forceNew: ["rule", "targetId"] },
  "aws:lambda/function:Function": {
    id: "function",
    forceNew: ["name", "packageType"],
    conflicts: [["code", "imageUri"]],
    oneOf: [["code", "imageUri", "s3Bucket"]],
    named: true,
  },
  "aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig": {
    id: "invoke",
    forceNew: ["functionName"],
  },
  "aws:lambda/invocation:Invocation": { id: "invocation", forceNew: ["functionName"] },
  "aws:lambda/permission:Permission": {
    id: "permission",
    forceNew: ["action", "function", "principal", "sourceArn"],
  },
  "aws:cloudwatch/dashboard:Dashboard": { id: "dashboard", forceNew: ["dashboardName"] },
  "aws:cloudwatch/metricAlarm:MetricAlarm": {
    id: "alarm",
    forceNew: ["name"],
    conflicts: [["metricName", "metricQueries"]],
    oneOf: [["metricName", "metricQueries"]],
    named: true,
  },
};

/** @throws {Error} for a type that no test expects. */
export function rulesOf(token: string): ResourceRules {
  const rules = resourceRules[token];
  if (rules === undefined) {
    throw new Error(`${token}: the stand-in has no such resource type`);
  }
  return rules;
}

/** The provider's refusals of combinations of inputs. */
export function ruleProblems(token: string, inputs: Properties): string[] {
  const { conflicts = [], oneOf = [] } = rulesOf(token);
  const given = (name: string) => inputs[name] !== undefined && inputs[name] !== null;
  return [
    ...conflicts
      .filter(([one, other]) => given(one) && given(other))
      .map(([one, other]) => `${token}: ${one} conflicts with ${other}`),
    ...oneOf
      .filter((group) => !group.some(given))
      .map((group) => `${token}: one of ${group.join(", ")} is missing`),
  ];
}
