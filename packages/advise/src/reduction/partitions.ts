/** Daily partitions of flow log tables, and the days in a bucket's listing. */

import { groupBy } from "../../../../bench/group-by.ts";
import type { Dialect } from "./dialects.ts";

/**
 * How tables of flow logs are partitioned by day.
 *
 * - `date`: a column `date` of that type, as in AWS's guide to VPC flow logs and Athena
 * - `day`: a text `2026/11/01`, as in the guide to Athena's partition projection
 * - `year-month-day`: texts `2026`, `11`, `01`, as in Hive-compatible delivery
 * - `none`: unpartitioned; everything is read
 */
export const partitionKinds = ["date", "day", "year-month-day", "none"] as const;
export type PartitionKind = (typeof partitionKinds)[number];

/** SQL that selects the partitions of these days. @param days Each day, `2026-11-01`, in order */
export function prunedTo(kind: PartitionKind, { name }: Dialect, days: readonly string[]): string {
  const [first = "", last = ""] = [days[0], days.at(-1)];
  switch (kind) {
    case "date":
      return `${name("date")} between date '${first}' and date '${last}'`;
    case "day":
      return `${name("day")} between '${slashed(first)}' and '${slashed(last)}'`;
    case "year-month-day": {
      const months = groupBy(days, (one) => one.slice(0, 7));
      return [...months]
        .map(([month, own]) => {
          const of = own.map((one) => one.slice(8));
          return `${name("year")} = '${month.slice(0, 4)}' and ${name("month")} = '${month.slice(5)}' and ${name("day")} between '${of[0]}' and '${of.at(-1)}'`;
        })
        .join("\n    or ");
    }
    case "none":
      return "true";
  }
}

const slashed = (day: string) => day.replaceAll("-", "/");

/** The days from the first to the last, both included. */
export function daysOf(from: string, to: string): string[] {
  const DAY_MS = 86_400_000;
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, at) =>
    new Date(first + at * DAY_MS).toISOString().slice(0, 10),
  );
}

/** A line of `aws s3 ls --recursive`: time, bytes, and a key that contains its day. */
const listed = /^\S+ +\S+ +(\d+) +(\S.*)$/;
/** The last day in a key; an earlier one belongs to a prefix. */
const dayOfKey = /^(?:.*\/)?(?:year=)?(\d{4})\/(?:month=)?(\d{2})\/(?:day=)?(\d{2})\//;
/** The service in the key of a delivered log. */
const serviceOfKey = /(?:^|\/)AWSLogs\/[^/]+\/(?:aws-service=)?([^/]+)\//;
const FLOW_LOGS = "vpcflowlogs";

/**
 * Objects and bytes of some days in a listing; null: no line is a flow log with a day. If no key has AWS's own names, objects
 * of a custom table are counted.
 */
export function listedBytes(
  listing: string,
  days: readonly string[] | null,
): { objects: number; bytes: number } | null {
  const wanted = days === null ? null : new Set(days);
  const all = listing.split("\n").flatMap((line) => {
    const [, size = "", key = ""] = listed.exec(line) ?? [];
    const [, year, month, day] = dayOfKey.exec(key) ?? [];
    const service = serviceOfKey.exec(key)?.[1] ?? null;
    return year === undefined ? [] : [{ day: `${year}-${month}-${day}`, bytes: Number(size), service }];
  });
  const delivered = all.filter(({ service }) => service === FLOW_LOGS);
  const logs = delivered.length > 0 ? delivered : all.filter(({ service }) => service === null);
  const own = logs.filter(({ day }) => wanted === null || wanted.has(day));
  return logs.length === 0
    ? null
    : { objects: own.length, bytes: own.reduce((sum, { bytes }) => sum + bytes, 0) };
}
