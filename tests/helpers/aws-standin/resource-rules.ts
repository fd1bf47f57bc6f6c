/**
 * Rules for each resource type that the SDK's types do not express: the provider's. What replaces a resource, and which inputs are known
 * at all, is in the fixture of its code; that the rest is complete is not proved.
 */
import type { Properties } from "../../../tools/command-standin/shared/envelopes.ts";
import provider from "../../fixtures/aws-provider-calls.json" with { type: "json" };

interface ResourceRules {
  readonly id: string;
  /** Inputs that exclude each other: pairs. */
  readonly conflicts?: string;
  /** Groups of inputs of which one is required. */
  readonly oneOf?: string;
  /** Whether its Pulumi name becomes part of its name in AWS. */
  readonly named?: boolean;
  readonly anew?: string;
}

const resourceRules: Readonly<Record<string, ResourceRules>> = {
  "ec2/vpc:Vpc": { id: "vpc", oneOf: "cidrBlock" },
  "ec2/subnet:Subnet": { id: "subnet", oneOf: "cidrBlock" },
  "ec2/internetGateway:InternetGateway": { id: "igw" },
  "ec2/routeTable:RouteTable": { id: "rtb" },
  "ec2/routeTableAssociation:RouteTableAssociation": { id: "rtbassoc", oneOf: "subnetId|gatewayId" },
  "ec2/route:Route": {
    id: "r",
    oneOf: "gatewayId|natGatewayId|networkInterfaceId|vpcPeeringConnectionId destinationCidrBlock",
  },
  "ec2/eip:Eip": { id: "eipalloc" },
  "ec2/eipAssociation:EipAssociation": { id: "eipassoc", oneOf: "networkInterfaceId|instanceId" },
  "ec2/networkInterface:NetworkInterface": { id: "eni" },
  "ec2/securityGroup:SecurityGroup": { id: "sg", named: true },
  "ec2/instance:Instance": {
    id: "i",
    conflicts:
      "primaryNetworkInterface|subnetId primaryNetworkInterface|vpcSecurityGroupIds primaryNetworkInterface|associatePublicIpAddress primaryNetworkInterface|privateIp primaryNetworkInterface|sourceDestCheck userData|userDataBase64",
    oneOf: "ami|launchTemplate instanceType|launchTemplate",
  },
  "ec2/natGateway:NatGateway": {
    id: "nat",
    conflicts: "subnetId|vpcId allocationId|availabilityZoneAddresses subnetId|availabilityZoneAddresses",
    oneOf: "subnetId|vpcId",
  },
  "ec2/vpcPeeringConnection:VpcPeeringConnection": { id: "pcx" },
  "ec2/launchTemplate:LaunchTemplate": {
    ...{ id: "lt", named: true, anew: "latestVersion" },
    conflicts: "networkInterfaces|vpcSecurityGroupIds",
  },
  "ec2/placementGroup:PlacementGroup": { id: "pg", named: true },
  "iam/role:Role": { id: "role", named: true },
  "iam/rolePolicy:RolePolicy": { id: "policy", named: true },
  "iam/rolePolicyAttachment:RolePolicyAttachment": { id: "attachment" },
  "iam/instanceProfile:InstanceProfile": { id: "profile", named: true },
  "ssm/association:Association": { id: "assoc", oneOf: "targets|instanceId" },
  "autoscaling/group:Group": {
    ...{ id: "asg", named: true },
    conflicts: "availabilityZones|vpcZoneIdentifiers launchTemplate|mixedInstancesPolicy",
    oneOf: "launchTemplate|launchConfiguration|mixedInstancesPolicy",
  },
  "autoscaling/policy:Policy": { id: "scaling", named: true },
  "autoscaling/schedule:Schedule": { id: "schedule" },
  "autoscaling/lifecycleHook:LifecycleHook": { id: "hook", named: true },
  "cloudwatch/logGroup:LogGroup": { id: "logs", named: true },
  "cloudwatch/eventRule:EventRule": { id: "rule", oneOf: "scheduleExpression|eventPattern", named: true },
  "cloudwatch/eventTarget:EventTarget": { id: "target" },
  "lambda/function:Function": {
    ...{ id: "function", named: true },
    ...{ conflicts: "code|imageUri", oneOf: "code|imageUri|s3Bucket" },
  },
  "lambda/functionEventInvokeConfig:FunctionEventInvokeConfig": { id: "invoke" },
  "lambda/invocation:Invocation": { id: "invocation" },
  "lambda/permission:Permission": { id: "permission" },
  "cloudwatch/dashboard:Dashboard": { id: "dashboard" },
  "cloudwatch/metricAlarm:MetricAlarm": {
    ...{ id: "alarm", named: true },
    ...{ conflicts: "metricName|metricQueries", oneOf: "metricName|metricQueries" },
  },
};

const words = (text = "") => text.split(" ").filter((word) => word !== "");
const groups = (text?: string) => words(text).map((group) => group.split("|"));

/** Inputs, or parts of one, that replace a resource when changed, that the provider changes in place, or keeps where they go. */
function planOf(token: string) {
  const plan: string | undefined = (provider.plans as Readonly<Record<string, string>>)[token];
  if (plan === undefined) {
    throw new Error(`${token}: tests/fixtures/aws-provider-calls.json has no plan for it`);
  }
  const [replacing, inPlace] = plan.replaceAll("~", "").split("|");
  const kept = words(plan).filter((word) => word.endsWith("~"));
  return {
    replacing: words(replacing),
    inPlace: words(inPlace),
    kept: kept.map((word) => word.slice(0, -1).split(".") as [string, string?]),
  };
}

/** @throws {Error} for a type that no test expects. */
export function rulesOf(token: string) {
  const rules = resourceRules[token.replace("aws:", "")];
  if (rules === undefined) {
    throw new Error(`${token}: the stand-in has no such resource type`);
  }
  const { id, conflicts, oneOf, named = false, anew } = rules;
  const { replacing, kept } = planOf(token);
  return {
    id,
    named,
    forceNew: replacing,
    kept,
    conflicts: groups(conflicts),
    oneOf: groups(oneOf),
    anew: words(anew),
  };
}

/** The provider's refusals of combinations of inputs, and inputs that the fixture lacks. */
export function ruleProblems(token: string, inputs: Properties): string[] {
  const { conflicts, oneOf } = rulesOf(token);
  const given = (name: string) => inputs[name] !== undefined && inputs[name] !== null;
  const { replacing, inPlace } = planOf(token);
  const known = [...replacing, ...inPlace].map((name) => name.replace(/[.?].*/, ""));
  return [
    ...Object.keys(inputs)
      .filter((name) => given(name) && !known.includes(name))
      .map((name) => `${token}: tests/fixtures/aws-provider-calls.json does not have its ${name}`),
    ...conflicts
      .filter((pair) => pair.every(given))
      .map(([one, other]) => `${token}: ${one} conflicts with ${other}`),
    ...oneOf
      .filter((group) => !group.some(given))
      .map((group) => `${token}: one of ${group.join(", ")} is missing`),
  ];
}
