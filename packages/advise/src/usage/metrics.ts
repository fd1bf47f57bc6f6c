/**
 * Reads the JSON that `aws cloudwatch get-metric-data`, `get-metric-statistics` and `az monitor metrics list` print, and the CSV of
 * CloudWatch's console.
 *
 * AWS's metrics: https://docs.aws.amazon.com/vpc/latest/userguide/metrics-dimensions-nat-gateway.html
 * AWS's JSON: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataResult.html, API_Datapoint.html
 * Azure's metrics: https://learn.microsoft.com/azure/azure-monitor/reference/supported-metrics/microsoft-network-natgateways-metrics,
 * https://learn.microsoft.com/azure/nat-gateway/nat-metrics
 * Azure's JSON: https://learn.microsoft.com/rest/api/monitor/metrics/list
 */
import { z } from "zod";
import { plainText } from "../../../../bench/index.ts";
import { LARGEST } from "../../../../bench/results/plausible.ts";
import { validate } from "../../../../bench/validate.ts";
import { count } from "../../../../report/text/format.ts";
import { FormatError } from "../fields.ts";
import { bounds } from "../reduction/raw.ts";
import { emptyRow, type FileUsage, type Statistic, type UsageRow } from "./row.ts";

const awsCounters: Readonly<Record<string, readonly [Statistic, "Sum" | "Maximum"]>> = {
  BytesOutToDestination: ["out", "Sum"],
  BytesInFromDestination: ["in", "Sum"],
  PacketsOutToDestination: ["packetsOut", "Sum"],
  PacketsInFromDestination: ["packetsIn", "Sum"],
  PeakBytesPerSecond: ["peak", "Maximum"],
  ActiveConnectionCount: ["connections", "Maximum"],
  ConnectionAttemptCount: ["newConnections", "Sum"],
  ErrorPortAllocation: ["portErrors", "Sum"],
};

/** The longest interval between points; services offer at most 30 days. */
const MOST_SECONDS = 31 * 86_400;

const time = z.union([z.string(), z.number()]).transform((value, context) => {
  // Without ISO times the AWS CLI prints seconds.
  const t = typeof value === "number" ? value * 1000 : Date.parse(value);
  if (!(t >= bounds.earliestMs && t < bounds.latestMs)) {
    context.addIssue({ code: "custom", message: `expected a time from 2000 to 2100, got "${value}"` });
  }
  return t;
});
const amount = z.number().nonnegative().max(LARGEST);
const metricData = z.object({
  MetricDataResults: z.array(
    z.object({
      Id: z.string(),
      Label: z.string().default(""),
      Timestamps: z.array(time),
      Values: z.array(amount),
      StatusCode: z.string().default("Complete"),
    }),
  ),
});
const metricStatistics = z.object({
  Label: z.string(),
  Datapoints: z.array(
    z.object({
      Timestamp: time,
      Sum: amount.optional(),
      Maximum: amount.optional(),
      Unit: z.string().default(""),
    }),
  ),
});
const azureMetrics = z.object({
  interval: z.string(),
  resourceregion: z.string().nullish(),
  value: z.array(
    z.object({
      id: z.string().default(""),
      name: z.object({ value: z.string() }),
      unit: z.string().default(""),
      timeseries: z.array(
        z.object({
          metadatavalues: z
            .array(z.object({ name: z.object({ value: z.string() }), value: z.string() }))
            .default([]),
          data: z.array(
            z.object({
              timeStamp: time,
              total: amount.nullish(),
              maximum: amount.nullish(),
              average: z.number().nullish(),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** What a person says about metrics beside the files. */
export interface AboutMetrics {
  /** The file's name, which may contain the gateway's. */
  readonly file: string;
  /** Seconds of each point. Undefined: as the file says, or by the points' distances. */
  readonly periodSeconds?: number | undefined;
}

/**
 * The CSV that CloudWatch's console saves: rows of headings, with a column for each metric, and then a row for each time.
 * Null: it is none.
 *
 * @throws {FormatError}
 */
export function metricsCsv(rows: readonly (readonly string[])[], about: AboutMetrics): FileUsage | null {
  const first = rows.findIndex(([cell = ""]) => csvTime(cell) !== null);
  const headings = rows.slice(0, Math.max(0, first));
  const labels = headings[0]?.map((_, at) => [...new Set(headings.map((row) => row[at]))].join(" ")) ?? [];
  const columns = labels.flatMap((Label, at) =>
    at > 0 && awsMetricIn(Label) !== undefined ? [{ Label, at }] : [],
  );
  if (columns.length === 0) {
    return null;
  }
  const results = columns.map(({ Label, at }) => {
    const points = rows.slice(first).filter((row) => csvTime(row[0] ?? "") !== null && row[at]);
    return {
      ...{ Id: "", Label },
      Timestamps: points.map(([cell = ""]) => csvTime(cell)),
      Values: points.map((row) => Number(row[at])),
    };
  });
  const read = readMetrics({ MetricDataResults: results }, about);
  const isSaid = columns.every(({ Label }) => statisticWord.test(Label));
  const assumed = isSaid
    ? []
    : ["The CSV does not name its statistic: Sum is taken, and the console's default is Average."];
  return { ...read, assumed: [...(read.assumed ?? []), ...assumed] };
}

function csvTime(cell: string): string | null {
  const [, date = "", time = ""] =
    /^(\d{4}[/-]\d\d[/-]\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.0+)?(?:Z| UTC)?$/.exec(cell.trim()) ?? [];
  return date === "" ? null : `${date.replaceAll("/", "-")}T${time}Z`;
}

/** @throws {FormatError} for any other JSON */
export function readMetrics(document: unknown, about: AboutMetrics): FileUsage {
  const keys = typeof document === "object" && document !== null ? Object.keys(document) : [];
  if (keys.includes("MetricDataResults")) {
    return ofMetricData(validate(metricData, document, wrongForm), about);
  }
  if (keys.includes("Datapoints")) {
    return ofStatistics(validate(metricStatistics, document, wrongForm), about);
  }
  if (keys.includes("value") && keys.includes("interval")) {
    return ofAzure(validate(azureMetrics, document, wrongForm));
  }
  throw new FormatError(
    "expected what aws cloudwatch get-metric-data, get-metric-statistics or az monitor metrics list prints as JSON",
  );
}

const wrongForm = ([problem]: readonly [string, ...string[]]) => new FormatError(problem);

/** Units and rates beside whole bytes and counts: CloudWatch's names of units, and what labels of metric math say. */
const otherUnit =
  /\b(kilo|mega|giga|tera)?bits?\b|\b(kilo|mega|giga|tera|kibi|mebi|gibi|tebi)bytes?\b|\b[kmgt]i?(b|bits?|bps)\b|\bper[ -]?(second|minute|hour)|(\/|bytes?_?per_?) ?s(ec(ond)?s?)?\b|\brate\(|\bperiod\(/i;

/** @throws {FormatError} where a metric's unit or label says another one than bytes or counts */
function assertUnit(metric: string, said: string): void {
  const unit = otherUnit.exec(said.replaceAll(metric, ""))?.[0];
  if (unit !== undefined && !(metric === "PeakBytesPerSecond" && /^bytes\/second$/i.test(said))) {
    throw new FormatError(
      `${metric} is in another unit ("${plainText(said)}"): expected bytes or counts of each period; ask for the metric itself, without a unit or metric math`,
    );
  }
}

const gatewayOf = (...texts: readonly string[]) =>
  /\bnat-[0-9a-f]{8,17}\b/.exec(texts.join(" "))?.[0] ?? null;

/** A statistic's name in a label, which CloudWatch adds where a metric is asked for several. */
const statisticWord = /\b(Sum|Average|Minimum|Maximum|SampleCount|p\d+(?:\.\d+)?|TM\([^)]*\))\b/i;

const awsMetricIn = (text: string) =>
  Object.entries(awsCounters).find(([name]) => new RegExp(`(?<![a-z])${name}(?![a-z])`, "i").test(text));

function ofMetricData({ MetricDataResults }: z.infer<typeof metricData>, about: AboutMetrics): FileUsage {
  const skipped: string[] = [];
  const assumed: string[] = [];
  const series = MetricDataResults.flatMap(({ Id, Label, Timestamps, Values, StatusCode }): UsageRow[][] => {
    if (StatusCode !== "Complete") {
      throw new FormatError(`${Label || Id} is ${StatusCode}: not all of its points are there; ask again`);
    }
    const known = awsMetricIn(`${Label} ${Id}`);
    const said = statisticWord.exec(Label)?.[1];
    if (known === undefined || (said !== undefined && said.toLowerCase() !== known[1][1].toLowerCase())) {
      skipped.push(known === undefined ? Label || Id : `${Label} (its ${known[1][1]} is needed)`);
      return [];
    }
    assertUnit(known[0], Label);
    const points = Timestamps.map((t, at) => ({ t, value: Values[at] ?? 0 }));
    return [rowsOf(known[1][0], gatewayOf(Label, about.file), points, about, assumed)];
  });
  return { cloud: "aws", source: "metrics", series, skipped, assumed };
}

function ofStatistics(
  { Label, Datapoints }: z.infer<typeof metricStatistics>,
  about: AboutMetrics,
): FileUsage {
  const known = awsCounters[Label];
  const assumed: string[] = [];
  if (known === undefined) {
    return { cloud: "aws", source: "metrics", series: [], skipped: [Label] };
  }
  const [statistic, needed] = known;
  const points = Datapoints.map(({ Timestamp, Unit, [needed]: value }) => {
    assertUnit(Label, Unit);
    if (value === undefined) {
      throw new FormatError(`${Label} has no ${needed}; ask with --statistics ${needed}`);
    }
    return { t: Timestamp, value };
  });
  const series = [rowsOf(statistic, gatewayOf(about.file), points, about, assumed)];
  return { cloud: "aws", source: "metrics", series, skipped: [], assumed };
}

interface Point {
  /** The period's first millisecond since 1970. */
  readonly t: number;
  readonly value: number;
}

function rowsOf(
  statistic: Statistic,
  gateway: string | null,
  points: readonly Point[],
  about: AboutMetrics,
  assumed: string[],
): UsageRow[] {
  const periodMs = 1000 * (about.periodSeconds ?? guessedPeriod(points, assumed));
  return points.map(({ t, value }) => ({
    ...{ ...emptyRow, gateway, statistic },
    ...{ from: t, to: t + periodMs, quantity: value },
  }));
}

/** Periods that people ask for, in seconds, the longest first. */
const usualPeriods = [30 * 86_400, 7 * 86_400, 86_400, 21_600, 3600, 900, 300, 60, 30, 10, 1];
/** Share of the steps that are one period in a series without missing points. */
const REGULAR = 0.5;

/** CloudWatch's JSON does not name the period: the longest usual one that fits between any two points. @throws {FormatError} */
function guessedPeriod(points: readonly Point[], assumed: string[]): number {
  const times = [...new Set(points.map(({ t }) => t))].sort((a, b) => a - b);
  const steps = times.slice(1).map((t, at) => (t - (times[at] ?? 0)) / 1000);
  if (points.length === 0) {
    return 60;
  }
  if (steps.length === 0) {
    throw new FormatError(
      "a metric has one point, whose period the file does not name; say its seconds with --period, or ask the service for --period 60",
    );
  }
  const period =
    usualPeriods.find((seconds) => steps.every((step) => step % seconds === 0)) ?? Math.min(...steps);
  if (steps.filter((step) => step === period).length < REGULAR * steps.length) {
    assumed.push(
      `The file does not name its points' period: ${count(period)} s are taken, the longest usual one that fits. Say it with --period SECONDS.`,
    );
  }
  return period;
}

function ofAzure({ interval, resourceregion, value }: z.infer<typeof azureMetrics>): FileUsage {
  const periodSeconds = secondsOf(interval);
  const skipped: string[] = [];
  const region = resourceregion?.toLowerCase().replaceAll(" ", "") ?? null;
  const series = value.flatMap(({ id, name, unit, timeseries }) => {
    const gateway = /\/natGateways\/([^/]+)/i.exec(id)?.[1]?.toLowerCase() ?? null;
    const other = /\/providers\/Microsoft\.Network\/(?!natGateways\/)([^/]+)\//i.exec(id)?.[1];
    if (other !== undefined) {
      skipped.push(`${name.value} of ${other}`);
      return [];
    }
    return timeseries.flatMap(({ metadatavalues, data }): UsageRow[][] => {
      const dimension = (key: string) =>
        metadatavalues.find((one) => one.name.value.toLowerCase() === key)?.value.toLowerCase();
      const statistic = azureCounter(name.value, dimension("direction"), dimension("connectionstate"));
      if (statistic === null) {
        skipped.push(name.value);
        return [];
      }
      assertUnit(name.value, unit.replace(/^BytesPerSecond$/i, "Bytes/Second"));
      if (
        data.some((one) => one.average != null) &&
        data.every((one) => (one.total ?? one.maximum) == null)
      ) {
        throw new FormatError(`${name.value} has an average alone; ask with --aggregation Total`);
      }
      // The number of connections is the sum of each minute's count; for longer intervals the mean is used.
      const samples = statistic === "connections" ? Math.max(1, periodSeconds / 60) : 1;
      const rows = data.flatMap(({ timeStamp: t, total, maximum }): UsageRow[] => {
        const most = statistic === "connections" ? (maximum ?? null) : null;
        const quantity = most ?? (total == null ? null : total / samples);
        return quantity === null
          ? []
          : [{ ...emptyRow, region, gateway, from: t, to: t + 1000 * periodSeconds, statistic, quantity }];
      });
      return [rows];
    });
  });
  return { cloud: "azure", source: "metrics", series, skipped };
}

/** Null: not among the counters that advice uses. */
function azureCounter(metric: string, direction = "", state = ""): Statistic | null {
  switch (metric) {
    case "ByteCount":
      return direction === "out" ? "out" : direction === "in" ? "in" : "bytes";
    case "PacketCount":
      return direction === "out" ? "packetsOut" : direction === "in" ? "packetsIn" : null;
    case "TotalConnectionCount":
      return "connections";
    // New connections of the interval; by state also those without a port.
    case "SNATConnectionCount":
      return state === "failed"
        ? "portErrors"
        : state === "" || state === "attempted"
          ? "newConnections"
          : null;
    default:
      return null;
  }
}

/** `PT5M` of the service, `0:05:00` or `1 day, 0:00:00` of the CLI. @throws {FormatError} */
function secondsOf(interval: string): number {
  const [, days, hours, minutes] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(interval) ??
    /^(?:(\d+) days?, )?(\d+):(\d+):\d+$/.exec(interval) ??
    [];
  const seconds = Number(days ?? 0) * 86_400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60;
  if (seconds === 0 || !(seconds <= MOST_SECONDS)) {
    throw new FormatError(`field interval: expected PT1M, PT5M, PT1H or the like, got "${interval}"`);
  }
  return seconds;
}
