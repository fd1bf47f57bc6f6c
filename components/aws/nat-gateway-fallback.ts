/**
 * A NAT gateway that stands in for a NAT instance while it does not forward.
 *
 * A function moves the private routes, since a machine that died can move nothing. It hears of the machine by its heartbeat
 * (`heartbeat.ts`), so that it needs no place in the VPC and no way out of it.
 *
 * @module
 */
import { EventRule } from "@pulumi/aws/cloudwatch/eventRule.js";
import { EventTarget } from "@pulumi/aws/cloudwatch/eventTarget.js";
import { LogGroup } from "@pulumi/aws/cloudwatch/logGroup.js";
import { Eip } from "@pulumi/aws/ec2/eip.js";
import { getNatGatewayOutput } from "@pulumi/aws/ec2/getNatGateway.js";
import { NatGateway } from "@pulumi/aws/ec2/natGateway.js";
import { Function as LambdaFunction } from "@pulumi/aws/lambda/function.js";
import { FunctionEventInvokeConfig } from "@pulumi/aws/lambda/functionEventInvokeConfig.js";
import { Invocation } from "@pulumi/aws/lambda/invocation.js";
import { Permission } from "@pulumi/aws/lambda/permission.js";
import * as pulumi from "@pulumi/pulumi";
import { checked, invalid } from "../shared/arguments.ts";
import { type Ids, type PublicIp, type PublicSubnetArgs, publicIpOf, tagsOf } from "./common.ts";
import { type Statement, serviceRole } from "./machine-role.ts";
import {
  LIFECYCLE_KEY,
  routeSwitch,
  SWITCH_HANDLER,
  SWITCH_TIMEOUT_SECONDS,
  type SwitchSettings,
} from "./route-switch.ts";
import { publicSubnetId } from "./routes.ts";

/** Which NAT gateway clients go out by while the NAT instance does not forward. */
export interface NatGatewayFallbackArgs {
  /** One that exists: public, and of the same VPC. @default a new one in `subnetId` */
  readonly natGatewayId?: pulumi.Input<string> | undefined;
  /** Elastic IP of the new gateway, one that exists. @default a new one */
  readonly publicIp?: PublicIp | undefined;
}

/** What falls back. */
export interface FallingBack extends PublicSubnetArgs {
  readonly natGatewayFallback: true | NatGatewayFallbackArgs;
  readonly privateRouteTableIds: Ids;
  /** Of CloudWatch, where the machine's heartbeat goes. */
  readonly namespace: string;
  readonly networkInterfaceId: pulumi.Output<string>;
  /** The machine and its routes: nothing is moved before, nor after. */
  readonly ready: readonly pulumi.Resource[];
}

/** The gateway as clients are seen from it. */
interface Gateway {
  readonly id: pulumi.Output<string>;
  readonly address: pulumi.Output<string>;
}

const PYTHON = "python3.13";
const LOG_DAYS = 14;
/** For boto3, which takes about 90 MB. */
const MEMORY_MB = 128;

/** @throws {pulumi.InputPropertyError} for what contradicts itself. */
export function assertFallback(given: true | NatGatewayFallbackArgs | undefined, paired: boolean): void {
  if (given === undefined) {
    return;
  }
  if (paired) {
    throw invalid(
      "natGatewayFallback",
      "does not go with highAvailability: the standby takes over, and keeps sessions; leave one of them out",
    );
  }
  if (given !== true && given.natGatewayId !== undefined && given.publicIp !== undefined) {
    throw invalid(
      "natGatewayFallback.publicIp",
      "a gateway that exists has its address; leave publicIp out, or natGatewayId for a new gateway",
    );
  }
}

/**
 * Makes the gateway, unless there is one, and the function that leads clients to it and back.
 *
 * @returns The address that clients are seen from by then.
 */
export function natGatewayFallback(
  name: string,
  args: FallingBack,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const { namespace, networkInterfaceId, privateRouteTableIds } = args;
  const options = args.natGatewayFallback === true ? {} : args.natGatewayFallback;
  const gateway =
    options.natGatewayId === undefined
      ? newGateway(name, args, options.publicIp, parent)
      : existingGateway(options.natGatewayId, args.vpcId, parent);
  const settings = pulumi
    .all([networkInterfaceId, gateway.id, pulumi.output(privateRouteTableIds as pulumi.Output<string[]>)])
    .apply(
      ([interfaceId, natGatewayId, routeTableIds]): SwitchSettings => ({
        namespace,
        networkInterfaceId: interfaceId,
        natGatewayId,
        routeTableIds,
      }),
    );
  eachMinute(`${name}-fallback`, args, switchFunction(`${name}-fallback`, args, settings, parent), parent);
  return gateway.address;
}

function newGateway(
  name: string,
  args: FallingBack,
  publicIp: PublicIp | undefined,
  parent: pulumi.Resource,
): Gateway {
  const { id, address } = publicIp ?? newAddress(`${name}-fallback-eip`, args, parent);
  const gateway = new NatGateway(
    `${name}-fallback-nat-gateway`,
    {
      subnetId: publicSubnetId(args, parent),
      allocationId: id,
      tags: tagsOf(`${name}-fallback-nat-gateway`, args),
    },
    // An address is in one gateway at a time.
    { parent, dependsOn: [...(args.internetReady ?? [])], deleteBeforeReplace: true },
  );
  return { id: gateway.id, address: pulumi.output(address) };
}

function newAddress(name: string, args: FallingBack, parent: pulumi.Resource): PublicIp {
  return publicIpOf(new Eip(name, { domain: "vpc", tags: tagsOf(name, args) }, { parent }));
}

function existingGateway(
  natGatewayId: pulumi.Input<string>,
  vpcId: pulumi.Input<string>,
  parent: pulumi.Resource,
): Gateway {
  const id = pulumi.output(checked(natGatewayId, assertId));
  const found = getNatGatewayOutput({ id }, { parent });
  const known = pulumi.all([id, vpcId, found.vpcId, found.state, found.connectivityType]);
  // Known only when it is one that can be used.
  const usable = known.apply(([of, wantedVpc, itsVpc, state, connectivityType]) => {
    assertUsable(of, wantedVpc, { vpcId: itsVpc, state, connectivityType });
    return of;
  });
  return { id: usable, address: pulumi.all([found.publicIp, usable]).apply(([address]) => address) };
}

const ID = "natGatewayFallback.natGatewayId";

function assertId(id: string): void {
  if (!/^nat-[0-9a-f]{8,}$/.test(id)) {
    throw invalid(ID, `got "${id}"; expected the id of a NAT gateway, such as nat-0123456789abcdef0`);
  }
}

/** @throws {pulumi.InputPropertyError} for a gateway that no client of the NAT instance could go out by. */
export function assertUsable(
  id: string,
  vpcId: string,
  found: { readonly vpcId: string; readonly state: string; readonly connectivityType: string },
): void {
  const problem =
    found.vpcId !== vpcId
      ? `is of ${found.vpcId}, the NAT instance of ${vpcId}; name one of the same VPC`
      : found.connectivityType === "private"
        ? "is private and leads to no internet; name a public one"
        : found.state === "available" || found.state === "pending"
          ? undefined
          : `is ${found.state}; name one that is available`;
  if (problem !== undefined) {
    throw invalid(ID, `${id} ${problem}, or leave it out for a new one`);
  }
}

/** Just these routes may be moved; what looking needs knows no resources. */
function leaves(routeTableIds: pulumi.Output<string[]>, logs: LogGroup): readonly Statement[] {
  return [
    {
      Action: "ec2:ReplaceRoute",
      Resource: routeTableIds.apply((ids) => ids.map((id) => `arn:aws:ec2:*:*:route-table/${id}`)),
    },
    {
      Action: ["ec2:DescribeRouteTables", "ec2:DescribeNatGateways", "cloudwatch:GetMetricData"],
      Resource: "*",
    },
    {
      Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
      Resource: pulumi.interpolate`${logs.arn}:*`,
    },
  ];
}

function switchFunction(
  name: string,
  args: FallingBack,
  settings: pulumi.Output<SwitchSettings>,
  parent: pulumi.Resource,
): LambdaFunction {
  const logs = new LogGroup(
    `${name}-logs`,
    { retentionInDays: LOG_DAYS, tags: tagsOf(`${name}-logs`, args) },
    { parent },
  );
  const tables = settings.apply(({ routeTableIds }) => [...routeTableIds]);
  const { role, policy } = serviceRole(name, args, "lambda", leaves(tables, logs), parent);
  return new LambdaFunction(
    `${name}-switch`,
    {
      description: "Leads private routes to a NAT gateway while a NAT instance does not forward, and back.",
      runtime: PYTHON,
      architectures: ["arm64"],
      handler: SWITCH_HANDLER,
      code: new pulumi.asset.AssetArchive({
        [`${SWITCH_HANDLER.split(".")[0]}.py`]: new pulumi.asset.StringAsset(routeSwitch),
      }),
      memorySize: MEMORY_MB,
      timeout: SWITCH_TIMEOUT_SECONDS,
      role: role.arn,
      environment: { variables: { SETTINGS: pulumi.jsonStringify(settings) } },
      loggingConfig: { logFormat: "Text", logGroup: logs.name },
      tags: tagsOf(`${name}-switch`, args),
    },
    { parent, dependsOn: [policy] },
  );
}

/** What calls it. A call that failed is not made again: the next one comes in a minute. */
function eachMinute(
  name: string,
  args: FallingBack,
  { arn, name: functionName }: LambdaFunction,
  parent: pulumi.Resource,
): void {
  const once = { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 0 };
  const rule = new EventRule(
    `${name}-minute`,
    { scheduleExpression: "rate(1 minute)", tags: tagsOf(`${name}-minute`, args) },
    { parent },
  );
  const calling = [
    new FunctionEventInvokeConfig(`${name}-once`, { functionName, ...once }, { parent }),
    new Permission(
      `${name}-permission`,
      {
        action: "lambda:InvokeFunction",
        function: functionName,
        principal: "events.amazonaws.com",
        sourceArn: rule.arn,
      },
      { parent },
    ),
  ];
  // At first it tries what it may do, and fails the update where that is too little. At last, when nobody calls it any
  // more, it leads the routes back: the gateway goes after it.
  const firstAndLast = new Invocation(
    `${name}-first-and-last`,
    { functionName, input: "{}", lifecycleScope: "CRUD", terraformKey: LIFECYCLE_KEY },
    { parent, dependsOn: [...args.ready] },
  );
  new EventTarget(
    `${name}-target`,
    { rule: rule.name, arn, retryPolicy: once },
    { parent, dependsOn: [...calling, firstAndLast] },
  );
}
