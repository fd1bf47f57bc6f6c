/**
 * `invented-runs.ts RESULTS DIRECTORY`: writes 24 daily runs made of one, for the picture of a history. From the 15th on the NAT
 * instance has another kernel and carries a fifth less: an invented step. NOT MEASURED.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resultsSchema } from "../../bench/results/index.ts";

const [from = "", directory = ""] = process.argv.slice(2);
const DAY_MS = 24 * 3600 * 1000;
const [RUNS, STEP_AT, CARRIED] = [24, 15, 0.8];

const results = resultsSchema.parse(JSON.parse(readFileSync(from, "utf8")));
const once = results.cases.filter(
  ({ id }, at, all) => at === all.findIndex((one) => one.id === id && one.topology === all[at]?.topology),
);
mkdirSync(directory, { recursive: true });
for (let run = 0; run < RUNS; run++) {
  const isAfter = run >= STEP_AT;
  const at = (iso: string) => new Date(Date.parse(iso) - (RUNS - run) * DAY_MS).toISOString();
  // Two per cent up and down, differently for each case.
  const noise = (nth: number) => 1 + (((run * 7 + nth * 3) % 11) - 5) / 250;
  const cases = once.map((one, nth) => ({
    ...one,
    repetitions: null,
    startedAt: one.startedAt && at(one.startedAt),
    finishedAt: one.finishedAt && at(one.finishedAt),
    measurement: one.measurement && {
      ...one.measurement,
      bitsPerSecond:
        one.measurement.bitsPerSecond &&
        Math.round(
          one.measurement.bitsPerSecond *
            noise(nth) *
            (isAfter && one.topology === "nat-instance" && one.id === "tcp-egress" ? CARRIED : 1),
        ),
    },
  }));
  const topologies = results.topologies.map((one) => ({
    ...one,
    hosts: one.hosts.map((host) =>
      isAfter && host.role === "nat" ? { ...host, kernel: "6.20.0 (invented)" } : host,
    ),
  }));
  const made = {
    ...results,
    ...{ stack: "invented", runId: `run-${run + 1}`, cases, topologies },
    ...{ startedAt: at(results.startedAt ?? ""), finishedAt: at(results.finishedAt ?? "") },
  };
  writeFileSync(join(directory, `${made.runId}.json`), JSON.stringify(made));
}
