/** Flow logs as files, read and analysed like `npm run advise`, and building blocks for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDatabase } from "../../cli/database.ts";
import { analyse } from "../../packages/advise/cli/analyse.ts";
import { findFiles } from "../../packages/advise/cli/files.ts";
import { readLogs } from "../../packages/advise/cli/read.ts";
import { parseFormat } from "../../packages/advise/src/fields.ts";
import { type Ranges, readRanges } from "../../packages/advise/src/ranges.ts";
import type { Traffic } from "../../packages/advise/src/traffic.ts";
import type { AdviceOptions } from "../../packages/advise/src/types.ts";
import { priceSnapshots } from "../../report/index.ts";

/** Header of AWS's default format. */
export const AWS_HEADER =
  "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status";

/** 4 GB within a minute, to an unused address. */
export const minuteOfTraffic = {
  source: "10.0.0.1",
  destination: "192.0.2.1",
  bytes: 4e9,
  start: 1_790_000_000,
  end: 1_790_000_060,
} as const;

/** Options of advice for a NAT gateway at list prices. */
export const adviceOptions = {
  now: "nat-gateway",
  region: "us-east-1",
  regionFrom: "option",
  book: priceSnapshots.aws,
  results: [],
  ranges: "test",
  madeAt: "2026-11-22T00:00:00.000Z",
} as const satisfies AdviceOptions;

/** A record of AWS's default format. */
export interface AwsRecord {
  readonly eni?: string;
  readonly source: string;
  readonly destination: string;
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  readonly protocol?: number;
  readonly packets?: number;
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly action?: string;
}

export function awsLine(record: AwsRecord): string {
  const { eni = "eni-1", source, destination, start, end, bytes, action = "ACCEPT" } = record;
  const { sourcePort = 40_000, destinationPort = 443, protocol = 6, packets = 1 } = record;
  return `2 123456789012 ${eni} ${source} ${destination} ${sourcePort} ${destinationPort} ${protocol} ${packets} ${Math.round(bytes)} ${start} ${end} ${action} OK`;
}

/** A log of the default format. */
export function awsLog(records: readonly AwsRecord[]): string {
  return [AWS_HEADER, ...records.map(awsLine), ""].join("\n");
}

/** Azure's JSON for tuples of some interfaces. */
export function azureLog(tuplesByMac: Readonly<Record<string, readonly string[]>>): string {
  const records = Object.entries(tuplesByMac).map(([macAddress, flowTuples]) => ({
    time: "2026-11-01T00:00:00.0000000Z",
    flowLogVersion: 4,
    macAddress,
    category: "FlowLogFlowEvent",
    operationName: "FlowLogFlowEvent",
    flowRecords: { flows: [{ aclID: "a", flowGroups: [{ rule: "r", flowTuples }] }] },
  }));
  return JSON.stringify({ records });
}

/** An empty list of ranges. */
const noRanges: Ranges = { source: "none", find: () => null, entries: [] };

/** Ranges of two services, and one address outside. */
export const someRanges = readRanges(
  {
    createDate: "2026-11-01",
    prefixes: [
      { ip_prefix: "52.216.0.0/15", service: "S3", region: "us-east-1" },
      { ip_prefix: "52.216.0.0/15", service: "AMAZON", region: "us-east-1" },
      { ip_prefix: "3.0.0.0/8", service: "EC2", region: "eu-west-1" },
    ],
  },
  "test",
);

export interface TrafficOptions {
  readonly ranges?: Ranges;
  readonly nats?: readonly string[];
  readonly format?: string;
}

export async function withFiles<T>(
  files: Readonly<Record<string, string | Buffer>>,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-flow-logs-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), content);
    }
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The traffic in the files' logs, of one place. */
export function trafficOf(
  files: Readonly<Record<string, string | Buffer>>,
  options: TrafficOptions = {},
): Promise<Traffic> {
  return withFiles(files, (directory) => trafficIn(["."], directory, options));
}

/** The traffic in existing files, of one place. */
export async function trafficIn(
  ...[paths, directory, options]: Parameters<typeof trafficsIn>
): Promise<Traffic> {
  const [traffic, other] = await trafficsIn(paths, directory, options);
  if (traffic === undefined || other !== undefined) throw new Error("the log is not of one place");
  return traffic;
}

/** The traffic of each place in existing files. */
export async function trafficsIn(
  paths: readonly string[],
  directory: string,
  { ranges = noRanges, nats = [], format }: TrafficOptions = {},
): Promise<Traffic[]> {
  const database = await openDatabase();
  try {
    const { files } = await findFiles(paths, directory);
    const read = await readLogs(database, files, {
      fields: format === undefined ? undefined : parseFormat(format),
      progress: () => {},
      signal: new AbortController().signal,
    });
    return await analyse(database, read, { ranges, nats, progress: () => {} });
  } finally {
    database.close();
  }
}
