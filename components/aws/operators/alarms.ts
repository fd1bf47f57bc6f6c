/** Alarms and a dashboard in CloudWatch on what NAT instances publish. */

import { Dashboard } from "@pulumi/aws/cloudwatch/dashboard.js";
import { MetricAlarm } from "@pulumi/aws/cloudwatch/metricAlarm.js";
import type * as pulumi from "@pulumi/pulumi";
import { type AwsArgs, tagsOf } from "../common.ts";
import type { CloudWatchArgs } from "../nat-args.ts";
import { namespaceOf } from "./cloudwatch.ts";

/** Share of the connection table above which an alarm is raised, in per cent; the dashboard draws it as a line. */
const TABLE_USED_PERCENT = 80;

interface Rule {
  readonly metric: string;
  /** End of the alarm's name. @default the metric */
  readonly name?: string;
  readonly says: string;
  /** Heading of docs/runbooks.md, as a link has it. */
  readonly runbook: string;
  readonly statistic: "Sum" | "Maximum" | "Minimum";
  /** Limit: alarms above it, or below it where `below` is true. @default 0 */
  readonly threshold?: number;
  readonly below?: true;
  /** Minutes in a row that the rule must hold. */
  readonly minutes: number;
  /** Whether a machine's silence raises this alarm. */
  readonly silence?: true;
}

const [FULL, SLOW] = ["the-connection-table-is-full", "latency-or-loss"] as const;
const [ROLES, DIED] = ["who-is-active", "a-machine-died"] as const;

const rules: readonly Rule[] = [
  {
    // Its value is never below 0.
    ...{ metric: "ActiveConnectionCount", name: "Silent", statistic: "Minimum", below: true, minutes: 3 },
    ...{ says: "nothing is published", runbook: DIED, silence: true },
  },
  {
    ...{ metric: "Forwards", statistic: "Maximum", threshold: 1, below: true, minutes: 2 },
    says: "nothing that it forwards is answered",
    runbook: "it-runs-but-nothing-passes",
  },
  {
    ...{ metric: "ConnectionTableUsed", statistic: "Maximum", threshold: TABLE_USED_PERCENT, minutes: 3 },
    says: `more than ${TABLE_USED_PERCENT} % of the connections that the machine can track`,
    runbook: FULL,
  },
  {
    ...{ metric: "ErrorPortAllocation", statistic: "Sum", minutes: 1 },
    says: "connections found no source port",
    runbook: FULL,
  },
  {
    ...{ metric: "ConnectionsDropped", statistic: "Sum", minutes: 1 },
    says: "connections found no room in the table",
    runbook: FULL,
  },
  {
    ...{ metric: "PacketsDropCount", statistic: "Sum", minutes: 3 },
    says: "its interfaces drop packets",
    runbook: SLOW,
  },
  {
    ...{ metric: "AllowanceExceeded", statistic: "Sum", minutes: 3 },
    says: "EC2 shapes or drops: bandwidth, packets a second or connections of the instance type",
    runbook: SLOW,
  },
];

const rulesOfPairs: readonly Rule[] = [
  {
    ...{ metric: "Ready", statistic: "Minimum", threshold: 1, below: true, minutes: 2 },
    says: "neither carries nor stands by in sync: the next failure would end service",
    runbook: ROLES,
  },
  {
    ...{ metric: "SyncErrors", statistic: "Sum", minutes: 3 },
    says: "copies of connections are lost between the machines: a take-over would end sessions",
    runbook: ROLES,
  },
  {
    ...{ metric: "TakeOvers", statistic: "Sum", minutes: 1 },
    says: "it took over",
    runbook: DIED,
  },
];

interface Watched extends AwsArgs {
  readonly cloudWatch?: true | CloudWatchArgs | undefined;
  readonly region: pulumi.Output<string>;
  /** Values of the dimension `NatInstance`: one for a machine, two for a pair. */
  readonly machines: readonly string[];
}

export function watch(name: string, args: Watched, parent: pulumi.Resource): void {
  const { cloudWatch, machines } = args;
  if (cloudWatch === undefined || cloudWatch === true) {
    return;
  }
  const namespace = namespaceOf(cloudWatch);
  if (cloudWatch.alarms !== undefined) {
    alarms(name, { ...args, namespace }, cloudWatch.alarms.actions ?? [], parent);
  }
  if (cloudWatch.dashboard) {
    const dashboardName = `${name}-dashboard`;
    const body = args.region.apply((region) => JSON.stringify(dashboardBody(namespace, machines, region)));
    new Dashboard(dashboardName, { dashboardName, dashboardBody: body }, { parent });
  }
}

function alarms(
  name: string,
  args: Watched & { readonly namespace: string },
  actions: pulumi.Input<pulumi.Input<string>[]>,
  parent: pulumi.Resource,
): void {
  const { namespace, machines } = args;
  const common = (alarm: string, says: string, runbook: string) => ({
    alarmDescription: `${says}. Runbook: egress-bench, docs/runbooks.md#${runbook}`,
    alarmActions: actions,
    okActions: actions,
    tags: tagsOf(alarm, args),
  });
  const ruled: readonly Rule[] = machines.length > 1 ? [...rules, ...rulesOfPairs] : rules;
  for (const machine of machines) {
    for (const { metric, name: end = metric, says, runbook, ...rule } of ruled) {
      const { statistic, threshold = 0, below, minutes, silence } = rule;
      const alarm = `${machine}-${end}`;
      new MetricAlarm(
        alarm,
        {
          ...common(alarm, `${machine}: ${says}`, runbook),
          namespace,
          metricName: metric,
          dimensions: { NatInstance: machine },
          statistic,
          period: 60,
          evaluationPeriods: minutes,
          comparisonOperator: below ? "LessThanThreshold" : "GreaterThanThreshold",
          threshold,
          treatMissingData: silence ? "breaching" : "notBreaching",
        },
        { parent },
      );
    }
  }
  if (machines.length > 1) {
    const alarm = `${name}-nobody-active`;
    new MetricAlarm(
      alarm,
      { ...common(alarm, `${name}: neither machine carries`, ROLES), ...nobodyActive(args) },
      { parent },
    );
  }
}

/** Alarms when neither machine is active: the sum of both; a missing machine counts as 0. */
function nobodyActive({ namespace, machines }: Parameters<typeof alarms>[1]) {
  const carried = { namespace, metricName: "Active", period: 60, stat: "Maximum" };
  const metricQueries = machines.map((machine, index) => ({
    id: `m${index + 1}`,
    metric: { ...carried, dimensions: { NatInstance: machine } },
    returnData: false,
  }));
  const expression = "SUM([FILL(m1, 0), FILL(m2, 0)])";
  const sum = { id: "active", expression, label: "Active", returnData: true };
  return {
    metricQueries: [...metricQueries, sum],
    comparisonOperator: "LessThanThreshold",
    threshold: 1,
    evaluationPeriods: 2,
    treatMissingData: "breaching",
  };
}

interface Shown {
  readonly metric: string;
  /** Factor of the metric's rate a second; without it the metric itself is drawn. */
  readonly perSecond?: number;
  readonly yAxis?: "right";
}

interface Graph {
  readonly title: string;
  readonly stat: "Sum" | "Maximum" | "Minimum" | "Average";
  readonly metrics: readonly Shown[];
  /** Whether the machines' values are stacked, which shows how many of them are 1. */
  readonly stacked?: true;
  readonly percent?: true;
}

const graphs: readonly Graph[] = [
  { title: "Forwards (1)", stat: "Minimum", metrics: [{ metric: "Forwards" }] },
  {
    title: "Bits a second, received plus sent",
    stat: "Sum",
    metrics: [{ metric: "Bytes", perSecond: 8 }],
  },
  {
    title: "Packets a second, received plus sent",
    stat: "Sum",
    metrics: [{ metric: "Packets", perSecond: 1 }],
  },
  {
    title: "Connections tracked; right: how many more EC2 would track",
    stat: "Maximum",
    metrics: [{ metric: "ActiveConnectionCount" }, { metric: "ConntrackAllowanceAvailable", yAxis: "right" }],
  },
  {
    title: "Connection table used, %",
    stat: "Maximum",
    metrics: [{ metric: "ConnectionTableUsed" }],
    percent: true,
  },
  {
    title: "Attempts without port or room",
    stat: "Sum",
    metrics: [{ metric: "ErrorPortAllocation" }, { metric: "ConnectionsDropped" }],
  },
  {
    title: "Packets dropped, and those that met EC2's limits",
    stat: "Sum",
    metrics: [{ metric: "PacketsDropCount" }, { metric: "AllowanceExceeded" }],
  },
];

const graphsOfPairs: readonly Graph[] = [
  // The averages of a period with a take-over add up to 1 too.
  { title: "Active (1 of 2)", stat: "Average", metrics: [{ metric: "Active" }], stacked: true },
  { title: "Ready (2 of 2)", stat: "Minimum", metrics: [{ metric: "Ready" }], stacked: true },
  { title: "Take-overs", stat: "Sum", metrics: [{ metric: "TakeOvers" }] },
  { title: "Copies of connections lost", stat: "Sum", metrics: [{ metric: "SyncErrors" }] },
];

const [WIDTH, HEIGHT, COLUMNS] = [12, 6, 24];

/**
 * A dashboard's body. CloudWatch lengthens periods for long time ranges, so a rate is divided by the period. Sources:
 * docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html,
 * docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html.
 * @param machines Values of the dimension `NatInstance`: one, or a pair's two.
 */
export function dashboardBody(namespace: string, machines: readonly string[], region: string) {
  const shown = machines.length > 1 ? [...graphs, ...graphsOfPairs] : graphs;
  const columns = COLUMNS / WIDTH;
  return {
    widgets: shown.map(({ title, stat, metrics, stacked = false, percent }, at) => ({
      type: "metric",
      x: (at % columns) * WIDTH,
      y: Math.floor(at / columns) * HEIGHT,
      width: WIDTH,
      height: HEIGHT,
      properties: {
        title,
        region,
        stat,
        stacked,
        period: 60,
        view: "timeSeries",
        yAxis: {
          left: { min: 0, ...(percent && { max: 100 }), showUnits: false },
          right: { min: 0, showUnits: false },
        },
        ...(percent && { annotations: { horizontal: [{ label: "alarm", value: TABLE_USED_PERCENT }] } }),
        metrics: metrics.flatMap((one) =>
          machines.flatMap((machine, nth) => lines(namespace, machine, one, nth)),
        ),
      },
    })),
  };
}

/** A metric of one machine, or its rate by an expression on the hidden metric. */
function lines(
  namespace: string,
  machine: string,
  { metric, perSecond, yAxis }: Shown,
  nth: number,
): unknown[][] {
  const label = `${machine} ${metric}`;
  const source = [namespace, metric, "NatInstance", machine];
  if (perSecond === undefined) {
    return [[...source, { label, ...(yAxis && { yAxis }) }]];
  }
  const id = `m${nth + 1}`;
  return [
    [...source, { id, visible: false }],
    [{ expression: `${perSecond} * ${id} / PERIOD(${id})`, label: machine }],
  ];
}
