/**
 * Rules for each resource type that the SDK's types do not express.
 *
 * `forceNew` and `conflicts` are the provider's (internal/service/{ec2,autoscaling,lambda,events} of terraform-provider-aws); that
 * they are complete is not proved.
 */
import type { Properties } from "../../../tools/command-standin/shared/envelopes.ts";

interface ResourceRules {
  /** Prefix of its ids. */
  readonly id: string;
  /** Inputs, or parts of one, that replace the resource when changed. */
  readonly forceNew?: string;
  /** Inputs that exclude each other: pairs. */
  readonly conflicts?: string;
  /** Groups of inputs of which one is required. */
  readonly oneOf?: string;
  /** Whether its Pulumi name becomes part of its name in AWS. */
  readonly named?: boolean;
  /** Outputs that change with each update. */
  readonly anew?: string;
}

const resourceRules: Readonly<Record<string, ResourceRules>> = {
  "ec2/vpc:Vpc": { id: "vpc", forceNew: "cidrBlock", oneOf: "cidrBlock" },
  "ec2/subnet:Subnet": { id: "subnet", forceNew: "vpcId cidrBlock availabilityZone", oneOf: "cidrBlock" },
  "ec2/internetGateway:InternetGateway": { id: "igw" },
  "ec2/routeTable:RouteTable": { id: "rtb", forceNew: "vpcId" },
  "ec2/routeTableAssociation:RouteTableAssociation": {
    ...{ id: "rtbassoc", forceNew: "subnetId", oneOf: "subnetId|gatewayId" },
  },
  "ec2/route:Route": {
    ...{ id: "r", forceNew: "routeTableId destinationCidrBlock" },
    oneOf: "gatewayId|natGatewayId|networkInterfaceId|vpcPeeringConnectionId destinationCidrBlock",
  },
  "ec2/eip:Eip": { id: "eipalloc", forceNew: "domain" },
  "ec2/eipAssociation:EipAssociation": {
    id: "eipassoc",
    forceNew: "allocationId networkInterfaceId privateIpAddress instanceId allowReassociation",
    oneOf: "networkInterfaceId|instanceId",
  },
  "ec2/networkInterface:NetworkInterface": { id: "eni", forceNew: "subnetId" },
  "ec2/securityGroup:SecurityGroup": { id: "sg", forceNew: "vpcId description name", named: true },
  "ec2/instance:Instance": {
    id: "i",
    // "Modifying the encrypted or kmsKeyId settings of the rootBlockDevice requires resource replacement": the SDK's own
    // words. User data: with userDataReplaceOnChange, which our machines set.
    forceNew:
      "ami subnetId privateIp primaryNetworkInterface associatePublicIpAddress rootBlockDevice.encrypted rootBlockDevice.kmsKeyId placementGroup keyName instanceMarketOptions userData userDataBase64",
    conflicts:
      "primaryNetworkInterface|subnetId primaryNetworkInterface|vpcSecurityGroupIds primaryNetworkInterface|associatePublicIpAddress primaryNetworkInterface|privateIp primaryNetworkInterface|sourceDestCheck userData|userDataBase64",
    oneOf: "ami|launchTemplate instanceType|launchTemplate",
  },
  "ec2/natGateway:NatGateway": {
    id: "nat",
    // By CustomizeDiff: from zones of AWS's choice to given ones, and back.
    forceNew: "allocationId subnetId availabilityMode vpcId availabilityZoneAddresses?",
    conflicts: "subnetId|vpcId allocationId|availabilityZoneAddresses subnetId|availabilityZoneAddresses",
    oneOf: "subnetId|vpcId",
  },
  "ec2/vpcPeeringConnection:VpcPeeringConnection": { id: "pcx", forceNew: "vpcId peerVpcId" },
  "ec2/launchTemplate:LaunchTemplate": {
    ...{ id: "lt", forceNew: "name", named: true, anew: "latestVersion" },
    conflicts: "networkInterfaces|vpcSecurityGroupIds",
  },
  "ec2/placementGroup:PlacementGroup": { id: "pg", forceNew: "name strategy", named: true },
  "iam/role:Role": { id: "role", forceNew: "name path", named: true },
  "iam/rolePolicy:RolePolicy": { id: "policy", forceNew: "name role", named: true },
  "iam/rolePolicyAttachment:RolePolicyAttachment": { id: "attachment", forceNew: "role policyArn" },
  "iam/instanceProfile:InstanceProfile": { id: "profile", forceNew: "name path", named: true },
  "ssm/association:Association": { id: "assoc", forceNew: "name", oneOf: "targets|instanceId" },
  "autoscaling/group:Group": {
    ...{ id: "asg", forceNew: "name", named: true },
    conflicts: "availabilityZones|vpcZoneIdentifiers launchTemplate|mixedInstancesPolicy",
    oneOf: "launchTemplate|launchConfiguration|mixedInstancesPolicy",
  },
  "autoscaling/policy:Policy": { id: "scaling", forceNew: "name autoscalingGroupName", named: true },
  "autoscaling/schedule:Schedule": { id: "schedule", forceNew: "scheduledActionName autoscalingGroupName" },
  "autoscaling/lifecycleHook:LifecycleHook": {
    ...{ id: "hook", forceNew: "name autoscalingGroupName", named: true },
  },
  "cloudwatch/logGroup:LogGroup": { id: "logs", forceNew: "name", named: true },
  "cloudwatch/eventRule:EventRule": {
    ...{ id: "rule", forceNew: "name", oneOf: "scheduleExpression|eventPattern", named: true },
  },
  "cloudwatch/eventTarget:EventTarget": { id: "target", forceNew: "rule targetId" },
  "lambda/function:Function": {
    ...{ id: "function", forceNew: "name packageType", named: true },
    ...{ conflicts: "code|imageUri", oneOf: "code|imageUri|s3Bucket" },
  },
  "lambda/functionEventInvokeConfig:FunctionEventInvokeConfig": { id: "invoke", forceNew: "functionName" },
  "lambda/invocation:Invocation": { id: "invocation", forceNew: "functionName" },
  "lambda/permission:Permission": { id: "permission", forceNew: "action function principal sourceArn" },
  "cloudwatch/dashboard:Dashboard": { id: "dashboard", forceNew: "dashboardName" },
  "cloudwatch/metricAlarm:MetricAlarm": {
    ...{ id: "alarm", forceNew: "name", named: true },
    ...{ conflicts: "metricName|metricQueries", oneOf: "metricName|metricQueries" },
  },
};

const words = (text = "") => text.split(" ").filter((word) => word !== "");
const groups = (text?: string) => words(text).map((group) => group.split("|"));

/** @throws {Error} for a type that no test expects. */
export function rulesOf(token: string) {
  const rules = resourceRules[token.replace("aws:", "")];
  if (rules === undefined) {
    throw new Error(`${token}: the stand-in has no such resource type`);
  }
  const { id, forceNew, conflicts, oneOf, named = false, anew } = rules;
  return {
    id,
    named,
    forceNew: words(forceNew),
    conflicts: groups(conflicts),
    oneOf: groups(oneOf),
    anew: words(anew),
  };
}

/** The provider's refusals of combinations of inputs. */
export function ruleProblems(token: string, inputs: Properties): string[] {
  const { conflicts, oneOf } = rulesOf(token);
  const given = (name: string) => inputs[name] !== undefined && inputs[name] !== null;
  return [
    ...conflicts
      .filter((pair) => pair.every(given))
      .map(([one, other]) => `${token}: ${one} conflicts with ${other}`),
    ...oneOf
      .filter((group) => !group.some(given))
      .map((group) => `${token}: one of ${group.join(", ")} is missing`),
  ];
}
