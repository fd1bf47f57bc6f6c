/** Writes Apache Otava's configuration and data, and reads its output. https://otava.apache.org */
import { stringify } from "yaml";
import { z } from "zod";
import { figures } from "../../../bench/figures/index.ts";
import { escapeCsv } from "../../../report/text/escape.ts";
import type { Series } from "./series.ts";

/** Files for the directory in which `otava --config-file otava.yaml analyze` runs, by name. Runs without a value and series of one run are left out. */
export function otavaFiles(series: readonly Series[]): Record<string, string> {
  const tests = series
    .map((one) => ({ ...one, points: one.points.filter(({ value }) => value !== null) }))
    .filter(({ points }) => points.length > 1)
    .map((one, index) => ({ one, name: nameOf(one, index), file: `${index}.csv` }));
  const config = {
    tests: Object.fromEntries(
      tests.map(({ one, name, file }) => [
        name,
        {
          type: "csv",
          file,
          time_column: "time",
          attributes: ["run"],
          metrics: {
            [one.figure]: {
              column: "value",
              direction: figures[one.figure].better === "lower" ? -1 : 1,
            },
          },
        },
      ]),
    ),
    test_groups: { all: tests.map(({ name }) => name) },
  };
  return {
    "otava.yaml": stringify(config),
    ...Object.fromEntries(tests.map(({ one, file }) => [file, csvOf(one)])),
  };
}

/** Otava's name of a series; the number keeps names distinct without their special characters. */
function nameOf({ cloud, stack, region, topology, caseId, figure }: Series, index: number): string {
  const words = [cloud, stack, region ?? "", topology, caseId, figure];
  return `${index}.${words.map((word) => word.replaceAll(/[^\w-]+/g, "-")).join(".")}`;
}

function csvOf({ points }: Series): string {
  const rows = points.map(({ at, runId, value }) => [at, runId, value].map(escapeCsv).join(","));
  return `${["time,run,value", ...rows].join("\n")}\n`;
}

const findingSchema = z.record(
  z.string(),
  z.array(
    z.object({
      time: z.number(),
      changes: z.array(
        z.object({
          metric: z.string(),
          mean_before: z.coerce.number(),
          mean_after: z.coerce.number(),
          forward_change_percent: z.coerce.number(),
        }),
      ),
    }),
  ),
);

export interface OtavaChange {
  readonly test: string;
  /** First run of the new level, as ISO 8601. */
  readonly time: string;
  readonly before: string;
  readonly after: string;
  readonly percent: number;
}

/**
 * Reads the output of `otava analyze --output json`: one line of JSON per series.
 *
 * @throws for other lines
 */
export function readOtava(output: string): OtavaChange[] {
  return output
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => Object.entries(findingSchema.parse(JSON.parse(line))))
    .flatMap(([test, groups]) =>
      groups.flatMap(({ time, changes }) =>
        changes.map(({ metric, mean_before, mean_after, forward_change_percent }) => {
          const format = Object.hasOwn(figures, metric)
            ? figures[metric as keyof typeof figures].format
            : String;
          return {
            test: test.replace(/^\d+\./, ""),
            time: new Date(time * 1000).toISOString(),
            before: format(mean_before),
            after: format(mean_after),
            percent: forward_change_percent,
          };
        }),
      ),
    );
}
