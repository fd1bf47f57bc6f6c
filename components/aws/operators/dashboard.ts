/** A dashboard in CloudWatch of what NAT instances publish. */

/** Share of the connection table above which an alarm is raised, in per cent; the dashboard draws it as a line. */
export const TABLE_USED_PERCENT = 80;

/** A metric's place in a widget. */
interface Shown {
  readonly metric: string;
  /** Factor of the metric's rate a second; without it the metric itself is drawn. */
  readonly perSecond?: number;
  readonly yAxis?: "right";
}

/** A widget's drawing. */
interface Graph {
  readonly title: string;
  readonly stat: "Sum" | "Maximum" | "Minimum" | "Average";
  readonly metrics: readonly Shown[];
  /** Whether the machines' values are stacked, which shows how many of them are 1. */
  readonly stacked?: true;
  readonly percent?: true;
}

const graphs: readonly Graph[] = [
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
