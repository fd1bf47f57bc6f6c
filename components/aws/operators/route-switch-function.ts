/**
 * The function that leads private routes to a NAT gateway while a NAT instance does not forward, and back. Python, for the
 * runtime's own boto3: `route_switch.py`. tests/unit/aws/route-switch.test.ts drives it and holds what it shares with this
 * file and the machine's heartbeat.
 */
import { readFileSync } from "node:fs";
import { EventRule } from "@pulumi/aws/cloudwatch/eventRule.js";
import { EventTarget } from "@pulumi/aws/cloudwatch/eventTarget.js";
import { LogGroup } from "@pulumi/aws/cloudwatch/logGroup.js";
import { Function as LambdaFunction } from "@pulumi/aws/lambda/function.js";
import { FunctionEventInvokeConfig } from "@pulumi/aws/lambda/functionEventInvokeConfig.js";
import { Invocation } from "@pulumi/aws/lambda/invocation.js";
import { Permission } from "@pulumi/aws/lambda/permission.js";
import * as pulumi from "@pulumi/pulumi";
import { BEAT_SECONDS } from "../../nat-instance/index.ts";
import { orderedSet } from "../../shared/arguments.ts";
import { type Ids, tagsOf } from "../common.ts";
import { type RoleOwnerArgs, type Statement, serviceRole } from "../machine-role.ts";

/** The routes that move, their two targets, and the heartbeat that decides. */
export interface RouteSwitchArgs extends RoleOwnerArgs {
  readonly natGatewayId: pulumi.Output<string>;
  readonly privateRouteTableIds: Ids;
  readonly namespace: string;
  readonly networkInterfaceId: pulumi.Output<string>;
  /** The machine and its routes: nothing is moved before them, nor after their deletion. */
  readonly ready: readonly pulumi.Resource[];
}

const PYTHON = "python3.13";
const LOG_DAYS = 14;
/** Memory for boto3, which takes about 90 MB. */
const MEMORY_MB = 128;

/** Makes the function, called each minute, once at creation and once at deletion. */
export function routeSwitchFunction(name: string, args: RouteSwitchArgs, parent: pulumi.Resource): void {
  eachMinute(name, args, switchFunction(name, args, parent), parent);
}

/** Permissions: to move just these routes, and to look, which takes no resources. */
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
    { Action: ["logs:CreateLogStream", "logs:PutLogEvents"], Resource: pulumi.interpolate`${logs.arn}:*` },
  ];
}

function switchFunction(name: string, args: RouteSwitchArgs, parent: pulumi.Resource): LambdaFunction {
  const { namespace, networkInterfaceId, natGatewayId } = args;
  const routeTableIds = pulumi.output(orderedSet(args.privateRouteTableIds));
  const settings = { namespace, networkInterfaceId, natGatewayId, routeTableIds };
  const logs = new LogGroup(
    `${name}-logs`,
    { retentionInDays: LOG_DAYS, tags: tagsOf(`${name}-logs`, args) },
    { parent },
  );
  const { role, policies } = serviceRole(name, args, "lambda", leaves(routeTableIds, logs), parent);
  return new LambdaFunction(
    `${name}-switch`,
    {
      description: "Leads private routes to a NAT gateway while a NAT instance does not forward, and back.",
      runtime: PYTHON,
      architectures: ["arm64"],
      handler: SWITCH_HANDLER,
      code: new pulumi.asset.AssetArchive({
        [`${SWITCH_HANDLER.split(".")[0]}.py`]: new pulumi.asset.StringAsset(routeSwitch()),
      }),
      memorySize: MEMORY_MB,
      timeout: SWITCH_TIMEOUT_SECONDS,
      role: role.arn,
      environment: { variables: { SETTINGS: pulumi.jsonStringify(settings) } },
      loggingConfig: { logFormat: "Text", logGroup: logs.name },
      tags: tagsOf(`${name}-switch`, args),
    },
    { parent, dependsOn: [...policies] },
  );
}

/** The rule that calls it each minute. Failed calls are not repeated: the next one comes in a minute. */
function eachMinute(
  name: string,
  args: RouteSwitchArgs,
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
  // At creation the function tries its permissions and fails the update if one is missing. At deletion, when its schedule
  // has ended, it leads the routes back: the gateway is deleted after it.
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

/** Looks per call, a beat apart. The function is called each minute. */
export const SWITCH_LOOKS = 4;

/** Timeout of a call in seconds: its looks, plus 30 s for a slow API. */
const SWITCH_TIMEOUT_SECONDS = SWITCH_LOOKS * BEAT_SECONDS + 30;

/** Key in Pulumi's events that names the current operation: create, update or delete. */
export const LIFECYCLE_KEY = "lifecycle";

/** Lambda's handler: file and function. */
const SWITCH_HANDLER = "route_switch.handler";

/** Text of the file of {@link SWITCH_HANDLER}. */
export function routeSwitch(): string {
  return readFileSync(new URL("./route_switch.py", import.meta.url), "utf8");
}
