/**
 * Files for Apache Otava, and its answers. Tried with Otava 0.8.0, which reads the files and answers in this form;
 * `npm run bench -- history` repeats it.
 */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { otavaFiles, readOtava } from "../../../packages/history/src/otava.ts";
import { seriesOf } from "../../../packages/history/src/series.ts";
import { stored } from "./fixture.ts";

const series = seriesOf(
  stored({ levels: [100, 100, 100], figure: "latencyP50", topology: "nat-instance, a" }),
  5,
);

test("a series is a separate test with the figure's direction", () => {
  const files = otavaFiles(series);
  expect(parse(files["otava.yaml"] ?? "")).toEqual({
    tests: {
      "0.azure.night.eastus.nat-instance-a.tcp-rtt.latencyP50": {
        type: "csv",
        file: "0.csv",
        time_column: "time",
        attributes: ["run"],
        metrics: { latencyP50: { column: "value", direction: -1 } },
      },
    },
    test_groups: { all: ["0.azure.night.eastus.nat-instance-a.tcp-rtt.latencyP50"] },
  });
  expect(files["0.csv"]?.split("\n").slice(0, 2)).toEqual([
    "time,run,value",
    "2026-01-01T00:00:00.000Z,run-0,100",
  ]);
});

// Printed by `otava analyze --output json all` (0.8.0).
const printed = `{"0.azure.night.eastus.nat.tcp-egress.throughput": [{"time": 1767744000, "attributes": {"run": "run-6"}, "changes": [{"metric": "throughput", "index": 6, "time": 1767744000, "forward_change_percent": "-10", "magnitude": "0.111000", "mean_before": "100000000.000000", "stddev_before": "1.0", "mean_after": "90000000.000000", "stddev_after": "1.0", "pvalue": "0.000000"}]}]}
{"1.azure.night.eastus.nat.tcp-rtt.latencyP50": []}
`;

test("its answer is read back", () => {
  expect(readOtava(printed)).toEqual([
    {
      test: "azure.night.eastus.nat.tcp-egress.throughput",
      time: "2026-01-07T00:00:00.000Z",
      before: "100 Mbit/s",
      after: "90.0 Mbit/s",
      percent: -10,
    },
  ]);
});

test("an invalid answer is refused", () => {
  expect(() => readOtava("Traceback")).toThrow("JSON");
});
