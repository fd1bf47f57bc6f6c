/**
 * Two copies of the project on one machine, with a stack of the same name each: deployed, measured and taken down side by
 * side, through the engine.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { resultsSchema } from "../../../bench/results/index.ts";
import { labName } from "../../../components/local/lab-name.ts";
import { hostsOf } from "../../helpers/lab-hosts.ts";
import { shortCase } from "../../helpers/lab-stack.ts";
import { createEngine, type Engine, savingAtEnd } from "../../helpers/pulumi.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const stackName = `test-${randomUUID().slice(0, 8)}`;
const hosts = ["direct-box", "direct-client", "nat-instance-box", "nat-instance-client", "server"];

interface Copy {
  readonly engine: Engine;
  readonly stack: Stack;
  readonly lab: string;
}

/** A project of its own that runs this one's program, with a state of its own, as another clone has. */
async function copyOfProject(): Promise<Copy> {
  const engine = createEngine(savingAtEnd);
  const project = join(engine.directory, "project");
  mkdirSync(project);
  // What Pulumi.yaml asks for beside the program.
  for (const name of ["node_modules", "stacks"]) symlinkSync(join(root, name), join(project, name));
  const file = parse(readFileSync(join(root, "Pulumi.yaml"), "utf8"));
  writeFileSync(join(project, "Pulumi.yaml"), stringify({ ...file, stackConfigDir: "." }));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  writeFileSync(join(project, "index.ts"), `export { results, summary } from "${root}index.ts";\n`);
  const stack = await engine.projectStack(stackName, project);
  const config = {
    "egress-bench:cloud": "local",
    "egress-bench:topologies": ["direct", "nat-instance"],
    "egress-bench:plan": { cases: [shortCase("slow"), { tool: "connect", durationSeconds: 1 }] },
  };
  const secrets = parse(readFileSync(join(project, `Pulumi.${stackName}.yaml`), "utf8"));
  writeFileSync(join(project, `Pulumi.${stackName}.yaml`), stringify({ ...secrets, config }));
  return { engine, stack, lab: labName(stackName, project, engine.environment.PULUMI_BACKEND_URL) };
}

const living = ({ lab }: Copy) =>
  hostsOf(lab)
    .map(({ host }) => host)
    .sort();

let copies: readonly [Copy, Copy];
beforeAll(async () => {
  copies = await Promise.all([copyOfProject(), copyOfProject()]);
});
afterAll(async () => {
  await Promise.all(copies.map(({ stack }) => stack.destroy({ color: "never" })));
  expect(copies.map(living)).toEqual([[], []]);
  for (const { engine } of copies) {
    engine.dispose();
  }
});

test("measure at once, each on hosts of its own", async () => {
  const ups = await Promise.all(copies.map(({ stack }) => stack.up({ color: "never" })));
  for (const { outputs } of ups) {
    const results = resultsSchema.parse(outputs.results?.value);
    expect(results.cases.map(({ failure }) => failure)).toEqual([null, null, null, null]);
    expect(results.topologies.map(({ path }) => path.status)).toEqual(["proved", "proved"]);
  }
  expect(copies.map(living)).toEqual([hosts, hosts]);
  const processes = copies.flatMap(({ lab }) => hostsOf(lab).map(({ holder }) => holder));
  expect(new Set(processes).size).toBe(2 * hosts.length);
});

test("one goes, the other stays and measures again", async () => {
  const [gone, stays] = copies;
  const before = hostsOf(stays.lab).map(({ holder }) => holder);
  await gone.stack.destroy({ color: "never" });
  expect(copies.map(living)).toEqual([[], hosts]);
  await stays.stack.setConfig("egress-bench:runId", { value: "again" });
  const { outputs } = await stays.stack.up({ color: "never" });
  const { runId, cases } = resultsSchema.parse(outputs.results?.value);
  expect(runId).toBe("again");
  expect(cases.map(({ failure }) => failure)).toEqual([null, null, null, null]);
  expect(hostsOf(stays.lab).map(({ holder }) => holder)).toEqual(before);
});
