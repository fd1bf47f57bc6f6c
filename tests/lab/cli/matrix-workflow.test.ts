/**
 * The jobs of docs/examples/matrix.yml, step by step in a fresh checkout at a path that a shell would take apart, with cells in the
 * lab. `npm ci` gives the
 * installed packages, and `gh` the jobs' uploads. Not shown: that GitHub starts the jobs; that shards run at once: `bench
 * -- matrix-s3`.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { resultsSchema } from "../../../bench/results/index.ts";
import { freshCheckout } from "../../helpers/checkout.ts";
import { runJob } from "../../helpers/workflow.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const resultsIn = (out: string) =>
  readdirSync(out)
    .filter((name) => /^week-.*\.json$/.test(name))
    .map((name) => join(out, name));

test("list, two shards and one report: each cell is measured once, nothing stays deployed, the report has all", {
  timeout: 400_000,
}, () => {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-matrix-workflow-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const checkout = join(directory, `it's a "clone" in $HOME`);
  freshCheckout(checkout);
  const cases = [{ tool: "connect", durationSeconds: 1 }];
  const matrix = {
    ...{ name: "week", backend: `file://${directory}`, axes: { topologies: ["direct", "nat-instance"] } },
    defaults: { cloud: "local", plan: { cases } },
  };
  writeFileSync(join(checkout, "matrix.yaml"), stringify(matrix));
  const uploads = join(directory, "uploads");
  const scripts = {
    npm: `[ "$*" = ci ] && exec ln -sfn '${join(root, "node_modules")}' node_modules\nshift 2\nexec node cli/main.ts "$1" "\${@:3}"`,
    gh: `cp -r '${uploads}' shards`,
  };
  mkdirSync(join(directory, "bin"));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(directory, "bin", name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }
  const PATH = [
    join(directory, "bin"),
    dirname(process.execPath),
    join(root, ".tools/bin"),
    process.env.PATH,
  ];
  const run = (job: string, { shard = "", baseline = "" } = {}) => {
    const environment = { ...process.env, PATH: PATH.join(":"), MATRIX: "matrix.yaml", SHARD: shard };
    const values = { "inputs.shards": "2", "inputs.baseline": baseline, "github.token": "" };
    const { ran, outputs, summary } = runJob(
      join(checkout, "docs/examples/matrix.yml"),
      checkout,
      { ...environment, PULUMI_CONFIG_PASSPHRASE: "week" },
      values,
      job,
    );
    const failed = ran.filter(({ status }) => status !== 0);
    return { outputs, summary, failed, said: ran.map(({ said }) => said).join("") };
  };
  const list = run("list");
  expect(list.failed).toEqual([]);
  expect(list.outputs).toBe("shards=[1,2]\n");
  expect(list.summary).toContain("2 cells");
  for (const shard of [1, 2]) {
    expect(run("measure", { shard: `${shard}/2` }).failed).toEqual([]);
    cpSync(join(checkout, "out"), join(uploads, `shard-${shard}`), { recursive: true });
    rmSync(join(checkout, "out"), { recursive: true });
  }
  const stacks = readdirSync(join(directory, ".pulumi/stacks/egress-bench")).filter((name) =>
    name.endsWith(".json"),
  );
  const deployed = stacks.map(
    (name) => readJson(join(directory, ".pulumi/stacks/egress-bench", name)).checkpoint.latest.resources,
  );
  expect(deployed).toEqual([]);
  const [baseline = ""] = resultsIn(join(uploads, "shard-1"));
  const merged = run("merge", { baseline });
  // One run of a case is too little to judge, so the gate does not pass it.
  expect(merged.failed.map(({ step, status }) => [step, status])).toEqual([["Report and judge", 4]]);
  const measured = [1, 2].flatMap((shard) => resultsIn(join(checkout, `shards/shard-${shard}`)));
  const topologies = measured.map((file) => resultsSchema.parse(readJson(file)).topologies[0]!.name);
  const page = readFileSync(join(checkout, "out/report.md"), "utf8");
  for (const file of measured) expect(page).toContain(basename(file, ".json"));
  expect(topologies.sort()).toEqual(["direct", "nat-instance"]);
});
