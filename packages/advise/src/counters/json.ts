/**
 * Reads the JSON that `aws cloudwatch get-metric-data`, `get-metric-statistics` and `az monitor metrics list` print.
 *
 * AWS's metrics: https://docs.aws.amazon.com/vpc/latest/userguide/metrics-dimensions-nat-gateway.html
 * AWS's JSON: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataResult.html, API_Datapoint.html
 * Azure's metrics: https://learn.microsoft.com/azure/azure-monitor/reference/supported-metrics/microsoft-network-natgateways-metrics,
 * https://learn.microsoft.com/azure/nat-gateway/nat-metrics
 * Azure's JSON: https://learn.microsoft.com/rest/api/monitor/metrics/list
 */
import { z } from "zod";
import { LARGEST } from "../../../../bench/results/plausible.ts";
import { issueWords } from "../../../../bench/type-words.ts";
import { FormatError } from "../fields.ts";
import { bounds } from "../reduction/raw.ts";
import type { Counter, Counters, Series } from "./traffic.ts";

const awsCounters: Readonly<Record<string, readonly [Counter, "Sum" | "Maximum"]>> = {
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
  Datapoints: z.array(z.object({ Timestamp: time, Sum: amount.optional(), Maximum: amount.optional() })),
});
const azureMetrics = z.object({
  interval: z.string(),
  resourceregion: z.string().nullish(),
  value: z.array(
    z.object({
      id: z.string().default(""),
      name: z.object({ value: z.string() }),
      timeseries: z.array(
        z.object({
          metadatavalues: z
            .array(z.object({ name: z.object({ value: z.string() }), value: z.string() }))
            .default([]),
          data: z.array(z.object({ timeStamp: time, total: amount.nullish(), maximum: amount.nullish() })),
        }),
      ),
    }),
  ),
});

/** @param file Its name may contain the gateway's. @throws {FormatError} for any other JSON */
export function readMetrics(document: unknown, file: string): Counters {
  const keys = typeof document === "object" && document !== null ? Object.keys(document) : [];
  if (keys.includes("MetricDataResults")) {
    return ofMetricData(checked(metricData, document), file);
  }
  if (keys.includes("Datapoints")) {
    return ofStatistics(checked(metricStatistics, document), file);
  }
  if (keys.includes("value") && keys.includes("interval")) {
    return ofAzure(checked(azureMetrics, document));
  }
  throw new FormatError(
    "expected what aws cloudwatch get-metric-data, get-metric-statistics or az monitor metrics list prints as JSON",
  );
}

function checked<T extends z.ZodType>(schema: T, document: unknown): z.infer<T> {
  const parsed = schema.safeParse(document);
  if (!parsed.success) {
    throw new FormatError(issueWords(parsed.error.issues[0]));
  }
  return parsed.data;
}

const gatewayOf = (...texts: readonly string[]) =>
  /\bnat-[0-9a-f]{8,17}\b/.exec(texts.join(" "))?.[0] ?? null;

function ofMetricData({ MetricDataResults }: z.infer<typeof metricData>, file: string): Counters {
  const skipped: string[] = [];
  const series = MetricDataResults.flatMap(({ Id, Label, Timestamps, Values, StatusCode }): Series[] => {
    if (StatusCode !== "Complete") {
      throw new FormatError(`${Label || Id} is ${StatusCode}: not all of its points are there; ask again`);
    }
    const known = Object.entries(awsCounters).find(([name]) =>
      `${Label} ${Id}`.toLowerCase().includes(name.toLowerCase()),
    );
    if (known === undefined) {
      skipped.push(Label || Id);
      return [];
    }
    const points = Timestamps.map((t, at) => ({ t, value: Values[at] ?? 0 }));
    return [{ counter: known[1][0], gateway: gatewayOf(Label, file), periodSeconds: null, points }];
  });
  return { cloud: "aws", source: "metrics", region: null, series, skipped, currencies: [] };
}

function ofStatistics({ Label, Datapoints }: z.infer<typeof metricStatistics>, file: string): Counters {
  const known = awsCounters[Label];
  const rest = { cloud: "aws", source: "metrics", region: null, currencies: [] } as const;
  if (known === undefined) {
    return { ...rest, series: [], skipped: [Label] };
  }
  const [counter, statistic] = known;
  const points = Datapoints.map(({ Timestamp, [statistic]: value }) => {
    if (value === undefined) {
      throw new FormatError(`${Label} has no ${statistic}; ask with --statistics ${statistic}`);
    }
    return { t: Timestamp, value };
  });
  return {
    ...rest,
    series: [{ counter, gateway: gatewayOf(file), periodSeconds: null, points }],
    skipped: [],
  };
}

function ofAzure({ interval, resourceregion, value }: z.infer<typeof azureMetrics>): Counters {
  const periodSeconds = secondsOf(interval);
  const skipped: string[] = [];
  const series = value.flatMap(({ id, name, timeseries }) => {
    const gateway = /\/natGateways\/([^/]+)/i.exec(id)?.[1] ?? null;
    return timeseries.flatMap(({ metadatavalues, data }): Series[] => {
      const dimension = (key: string) =>
        metadatavalues.find((one) => one.name.value.toLowerCase() === key)?.value.toLowerCase();
      const counter = azureCounter(name.value, dimension("direction"), dimension("connectionstate"));
      if (counter === null) {
        skipped.push(name.value);
        return [];
      }
      // The number of connections is the sum of each minute's count; for longer intervals the mean is used.
      const samples = counter === "connections" ? Math.max(1, periodSeconds / 60) : 1;
      const points = data.flatMap(({ timeStamp: t, total, maximum }) => {
        const most = counter === "connections" ? (maximum ?? null) : null;
        const read = most ?? (total == null ? null : total / samples);
        return read === null ? [] : [{ t, value: read }];
      });
      return [{ counter, gateway, periodSeconds, points }];
    });
  });
  return {
    ...{ cloud: "azure", source: "metrics", series, skipped, currencies: [] },
    region: resourceregion?.toLowerCase().replaceAll(" ", "") ?? null,
  };
}

/** Null: not among the counters that advice uses. */
function azureCounter(metric: string, direction = "", state = ""): Counter | null {
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
