/** Derives the IAM policy of an AWS stack from its resources and provider functions. */

/** A program's resources and provider functions, by Pulumi's tokens. */
export interface AwsUse {
  readonly types: readonly string[];
  readonly functions: readonly string[];
  readonly region: string;
  /** Whether some size of the stack uses a spot instance. */
  readonly spot: boolean;
}

interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: "*" | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Actions without the prefix `ec2:`. */
const typesOfEc2: Readonly<Record<string, string>> = {
  Eip: "AllocateAddress ReleaseAddress DisassociateAddress DescribeAddresses DescribeAddressesAttribute",
  EipAssociation: "AssociateAddress DisassociateAddress DescribeAddresses",
  Instance: `RunInstances TerminateInstances StartInstances StopInstances ModifyInstanceAttribute
    ModifyInstanceMetadataOptions ModifyInstanceCreditSpecification ModifyVolume DescribeInstances
    DescribeInstanceAttribute DescribeInstanceCreditSpecifications DescribeInstanceTypes DescribeImages DescribeTags
    DescribeVolumes DescribeVolumesModifications DescribeVpcs DescribeSubnets DescribeSecurityGroups
    DescribeNetworkInterfaces ModifyNetworkInterfaceAttribute DescribeIamInstanceProfileAssociations
    AssociateIamInstanceProfile ReplaceIamInstanceProfileAssociation DisassociateIamInstanceProfile`,
  InternetGateway:
    "CreateInternetGateway DeleteInternetGateway AttachInternetGateway DetachInternetGateway DescribeInternetGateways",
  LaunchTemplate: `CreateLaunchTemplate CreateLaunchTemplateVersion ModifyLaunchTemplate DeleteLaunchTemplate
    DescribeLaunchTemplates DescribeLaunchTemplateVersions DescribeInstanceTypes`,
  NatGateway: `CreateNatGateway DeleteNatGateway AssociateNatGatewayAddress DisassociateNatGatewayAddress
    DescribeNatGateways`,
  NetworkInterface: `CreateNetworkInterface DeleteNetworkInterface ModifyNetworkInterfaceAttribute
    AttachNetworkInterface DetachNetworkInterface AssignPrivateIpAddresses UnassignPrivateIpAddresses
    DescribeNetworkInterfaces`,
  PlacementGroup: "CreatePlacementGroup DeletePlacementGroup DescribePlacementGroups",
  Route: "CreateRoute ReplaceRoute DeleteRoute DescribeRouteTables",
  RouteTable:
    "CreateRouteTable DeleteRouteTable DisassociateRouteTable DescribeRouteTables DescribeNetworkInterfaces",
  RouteTableAssociation:
    "AssociateRouteTable DisassociateRouteTable ReplaceRouteTableAssociation DescribeRouteTables",
  SecurityGroup: `CreateSecurityGroup DeleteSecurityGroup AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress
    RevokeSecurityGroupIngress RevokeSecurityGroupEgress DescribeSecurityGroups DescribeSecurityGroupRules
    DescribeNetworkInterfaces`,
  Subnet: "CreateSubnet DeleteSubnet ModifySubnetAttribute DescribeSubnets DescribeNetworkInterfaces",
  Vpc: `CreateVpc DeleteVpc ModifyVpcAttribute DescribeVpcs DescribeVpcAttribute DescribeNetworkAcls
    DescribeRouteTables DescribeSecurityGroups`,
  VpcPeeringConnection: `CreateVpcPeeringConnection AcceptVpcPeeringConnection DeleteVpcPeeringConnection
    ModifyVpcPeeringConnectionOptions DescribeVpcPeeringConnections`,
};

/** Names that the components use, so that a policy can restrict what a stack makes. */
const roleNames = ["arn:aws:iam::*:role/*-pair-role-*", "arn:aws:iam::*:role/*-metrics-role-*"];
/** Permissions of the function that switches clients to a NAT gateway and back. */
const functionRoleNames = ["arn:aws:iam::*:role/*-fallback-role-*"];
const profileNames = [
  "arn:aws:iam::*:instance-profile/*-pair-profile-*",
  "arn:aws:iam::*:instance-profile/*-metrics-profile-*",
];

/** By token: a service and its actions; further services may follow. */
const typeActions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(typesOfEc2).map(([type, actions]) => [
      `aws:ec2/${type.charAt(0).toLowerCase()}${type.slice(1)}:${type}`,
      `ec2: ${actions}`,
    ]),
  ),
  // The group launches its template's instances with its creator's permissions.
  "aws:autoscaling/group:Group": `
    ec2: RunInstances TerminateInstances DescribeInstances DescribeLaunchTemplateVersions
    autoscaling: CreateAutoScalingGroup UpdateAutoScalingGroup DeleteAutoScalingGroup StartInstanceRefresh
      CancelInstanceRefresh CreateOrUpdateTags DeleteTags DescribeAutoScalingGroups DescribeInstanceRefreshes
      DescribeScalingActivities DescribeWarmPool EnableMetricsCollection DisableMetricsCollection
      SetDesiredCapacity`,
  // Role of a pair, for its takeover, or of a machine that publishes metrics; see `roleNames`.
  "aws:iam/role:Role": `iam: CreateRole DeleteRole GetRole UpdateRole UpdateAssumeRolePolicy TagRole UntagRole
    PutRolePermissionsBoundary DeleteRolePermissionsBoundary ListRolePolicies ListAttachedRolePolicies ListInstanceProfilesForRole`,
  "aws:iam/rolePolicy:RolePolicy": "iam: PutRolePolicy GetRolePolicy DeleteRolePolicy",
  // For a pair without SSH, which Systems Manager waits for.
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment":
    "iam: AttachRolePolicy DetachRolePolicy ListAttachedRolePolicies",
  "aws:iam/instanceProfile:InstanceProfile": `iam: CreateInstanceProfile DeleteInstanceProfile GetInstanceProfile GetRole
    AddRoleToInstanceProfile RemoveRoleFromInstanceProfile TagInstanceProfile UntagInstanceProfile`,
  // On-demand instances when spot is unavailable.
  "aws:autoscaling/policy:Policy": "autoscaling: PutScalingPolicy DeletePolicy DescribePolicies",
  "aws:autoscaling/schedule:Schedule":
    "autoscaling: PutScheduledUpdateGroupAction DeleteScheduledAction DescribeScheduledActions",
  // Falling back to a NAT gateway.
  "aws:autoscaling/lifecycleHook:LifecycleHook":
    "autoscaling: PutLifecycleHook DeleteLifecycleHook DescribeLifecycleHooks",
  "aws:cloudwatch/logGroup:LogGroup": `logs: CreateLogGroup DeleteLogGroup PutRetentionPolicy
    DeleteRetentionPolicy DescribeLogGroups TagResource UntagResource ListTagsForResource`,
  "aws:cloudwatch/eventRule:EventRule": `events: PutRule DeleteRule EnableRule DisableRule DescribeRule
    TagResource UntagResource ListTagsForResource`,
  "aws:cloudwatch/eventTarget:EventTarget": "events: PutTargets RemoveTargets ListTargetsByRule",
  "aws:lambda/function:Function": `lambda: CreateFunction UpdateFunctionCode UpdateFunctionConfiguration
    DeleteFunction GetFunction GetFunctionConfiguration GetFunctionCodeSigningConfig ListVersionsByFunction
    TagResource UntagResource ListTags`,
  "aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig": `lambda: PutFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig
    DeleteFunctionEventInvokeConfig GetFunctionEventInvokeConfig`,
  "aws:lambda/invocation:Invocation": "lambda: InvokeFunction",
  "aws:lambda/permission:Permission": "lambda: AddPermission RemovePermission GetPolicy GetFunction",
  "aws:cloudwatch/dashboard:Dashboard": "cloudwatch: PutDashboard GetDashboard DeleteDashboards",
  "aws:cloudwatch/metricAlarm:MetricAlarm":
    "cloudwatch: PutMetricAlarm DeleteAlarms DescribeAlarms TagResource UntagResource ListTagsForResource",
  "aws:ssm/association:Association": `ssm: CreateAssociation UpdateAssociation DeleteAssociation
    DescribeAssociation AddTagsToResource RemoveTagsFromResource ListTagsForResource`,
};

const functionActions: Readonly<Record<string, string>> = {
  // The provider derives it from its region.
  "aws:index/getPartition:getPartition": "",
  "aws:index/getAvailabilityZones:getAvailabilityZones": "ec2: DescribeAvailabilityZones",
  "aws:ec2/getAmi:getAmi": "ec2: DescribeImages",
  "aws:ec2/getEips:getEips": "ec2: DescribeAddresses",
  "aws:ec2/getElasticIp:getElasticIp": "ec2: DescribeAddresses DescribeAddressesAttribute",
  "aws:ec2/getInstanceType:getInstanceType": "ec2: DescribeInstanceTypes",
  "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": "ec2: DescribeInstanceTypeOfferings",
  "aws:ec2/getNatGateway:getNatGateway": "ec2: DescribeNatGateways",
  "aws:ec2/getInstance:getInstance":
    "ec2: DescribeInstances DescribeInstanceTypes DescribeVolumes DescribeInstanceAttribute DescribeInstanceCreditSpecifications DescribeTags",
  "aws:ec2/getNetworkInterface:getNetworkInterface": "ec2: DescribeNetworkInterfaces",
  "aws:ec2/getRouteTable:getRouteTable": "ec2: DescribeRouteTables",
  "aws:ec2/getRouteTables:getRouteTables": "ec2: DescribeRouteTables",
  "aws:ec2/getSubnet:getSubnet": "ec2: DescribeSubnets",
  "aws:ec2/getSubnets:getSubnets": "ec2: DescribeSubnets",
  // It reads the default first, and fails without the right to.
  "aws:servicequotas/getServiceQuota:getServiceQuota":
    "servicequotas: GetServiceQuota GetAWSDefaultServiceQuota",
  "aws:ssm/getParameter:getParameter": "ssm: GetParameter",
};

/**
 * Extra actions for spot: the provider reads a spot instance's request after the launch, and cancels it before it ends the instance.
 *
 * Source: resourceInstanceRead and resourceInstanceDelete of terraform-provider-aws, internal/service/ec2/ec2_instance.go
 */
const spotActions = ["ec2:DescribeSpotInstanceRequests", "ec2:CancelSpotInstanceRequests"];

/** Function of every stack's preview, which compares its needs with the account's quotas. */
const QUOTA_FUNCTION = "aws:servicequotas/getServiceQuota:getServiceQuota";

/** Pulumi's tokens in the tables. */
export const knownAwsTypes: readonly string[] = Object.keys(typeActions);
export const knownAwsFunctions: readonly string[] = Object.keys(functionActions);

/** Actions that EC2 checks again for the right to tag what they create. */
const creates = /^ec2:(Create(?!Route$|Tags$|LaunchTemplateVersion$)|RunInstances|AllocateAddress)/;
const looks = /^(?!ssm:GetParameter$)\w+:(Describe|Get|List)/;

/** Input of `aws iam create-policy --policy-document`. @throws {Error} for a type or function that the tables lack */
export function awsPolicy({ types, functions, region, spot }: AwsUse) {
  const actions = [
    ...types.flatMap((type) => known(typeActions, type)),
    ...[...functions, QUOTA_FUNCTION].flatMap((token) => known(functionActions, token)),
    ...(spot ? spotActions : []),
  ];
  const iam = [...new Set(actions.filter((action) => action.startsWith("iam:")))].sort();
  const all = [...new Set(actions.filter((action) => !action.startsWith("iam:")))].sort();
  const changing = all.filter((action) => !looks.test(action) && action !== "ssm:GetParameter");
  const inRegion = { "aws:RequestedRegion": region };
  return {
    Version: "2012-10-17",
    Statement: [
      statement(
        "Look",
        all.filter((action) => looks.test(action)),
        "*",
        { StringEquals: inRegion },
      ),
      ...(all.includes("ssm:GetParameter")
        ? [statement("FindImage", ["ssm:GetParameter"], [`arn:aws:ssm:${region}::parameter/aws/service/*`])]
        : []),
      statement("Change", changing, "*", { StringEquals: inRegion }),
      ...(iam.length > 0 ? pairStatements(iam, all.includes("lambda:CreateFunction")) : []),
      statement("TagWhatIsMade", ["ec2:CreateTags"], [`arn:aws:ec2:${region}:*:*/*`], {
        StringEquals: {
          "ec2:CreateAction": changing
            .filter((action) => creates.test(action))
            .map((action) => action.replace("ec2:", "")),
        },
      }),
    ],
  };
}

/** IAM has no region. */
function pairStatements(actions: readonly string[], fallback: boolean): Statement[] {
  const handOver = (Sid: string, roles: readonly string[], service: string) =>
    statement(Sid, ["iam:PassRole"], roles, { StringEquals: { "iam:PassedToService": service } });
  const ofFunctions = fallback ? functionRoleNames : [];
  return [
    statement("MachineRole", actions, [...roleNames, ...ofFunctions, ...profileNames]),
    handOver("HandMachineRoleOver", roleNames, "ec2.amazonaws.com"),
    ...(fallback ? [handOver("HandFunctionRoleOver", functionRoleNames, "lambda.amazonaws.com")] : []),
  ];
}

function statement(
  Sid: string,
  Action: readonly string[],
  Resource: Statement["Resource"],
  Condition?: NonNullable<Statement["Condition"]>,
): Statement {
  return { Sid, Effect: "Allow", Action, Resource, ...(Condition === undefined ? {} : { Condition }) };
}

function known(table: Readonly<Record<string, string>>, token: string): readonly string[] {
  const text = table[token];
  if (text === undefined) {
    throw new Error(`${token}: tools/reference/permissions/aws.ts has no actions for it; add them`);
  }
  const [, ...parts] = text.split(/(\w+): /);
  return parts.flatMap((part, at) =>
    at % 2 === 0
      ? []
      : part
          .trim()
          .split(/\s+/)
          .map((action) => `${parts[at - 1]}:${action}`),
  );
}
