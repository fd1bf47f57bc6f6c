/**
 * The steps of docs/examples/properties.yml with an npm that only prints its arguments. Not proved: that GitHub runs it in
 * this way.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it, vi } from "vitest";
import { samples } from "../helpers/samples.ts";
import { runJob } from "../helpers/workflow.ts";

const workflow = fileURLToPath(new URL("../../docs/examples/properties.yml", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-properties-"));
afterAll(() => rmSync(directory, { recursive: true }));

it("a night's failure fails the job, with its seed in the summary and in the kept log", () => {
  const npm = `#!/bin/sh\necho "$* with $EGRESS_BENCH_SAMPLES times, seed $EGRESS_BENCH_SEED"
echo '{ seed: -1028896413, path: "36:1", endOnFailure: true }'; echo 'tests: 1 passed, 1 failed, 0 skipped'; exit 1\n`;
  writeFileSync(join(directory, "npm"), npm, { mode: 0o755 });
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  const { ran, summary } = runJob(workflow, directory, env, { "github.run_id": "19876543210" });
  expect(ran.map(({ status }) => status)).toEqual([1, 0]);
  expect(summary).toBe(
    '{ seed: -1028896413, path: "36:1", endOnFailure: true }\ntests: 1 passed, 1 failed, 0 skipped\n',
  );
  expect(readFileSync(join(directory, "properties.log"), "utf8")).toContain(
    "test -- --project unit --project model with 50 times, seed 19876543210",
  );
});

it("EGRESS_BENCH_SAMPLES multiplies the samples of property tests, and must be a number", () => {
  expect(samples(40)).toBe(40);
  vi.stubEnv("EGRESS_BENCH_SAMPLES", "50");
  expect(samples(40)).toBe(2000);
  vi.stubEnv("EGRESS_BENCH_SAMPLES", "many");
  expect(() => samples(40)).toThrow("EGRESS_BENCH_SAMPLES: expected a whole number from 1, got many");
  vi.unstubAllEnvs();
});
