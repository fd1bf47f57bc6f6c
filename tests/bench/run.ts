/**
 * `npm run bench`: the cost of egress-bench itself, in figures. Prints and asserts nothing: a slow or busy machine is no
 * defect. Needs the lab's requirements.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { guardRun } from "../helpers/left-behind.ts";

/** Output of a benchmark; a long one's lines come one by one. */
type Lines = Iterable<string> | AsyncIterable<string>;

/** Benchmarks, loaded when they run. Those that need a lab get its stack. */
const benchmarks: Record<string, (stack: () => Promise<Stack>) => Promise<Lines>> = {
  search: async () => (await import("./search/search.ts")).search(),
  answers: async () => (await import("./answers/answers.ts")).answers(),
  "advise-engines": async () => (await import("./advise-engines/advise-engines.ts")).adviseEngines(),
  advise: async () => (await import("./advise.ts")).adviseOnLog(),
  gate: async () => (await import("./gate.ts")).gate(),
  history: async () => (await import("./history.ts")).history(),
  pairs: async (stack) => (await import("./pairs.ts")).manyPairs(await stack()),
  growth: async () => (await import("./growth.ts")).growth(values.only),
  nat: async () => (await import("./nat.ts")).natDataPlanes(),
  failover: async (stack) => (await import("./failover.ts")).failover(await stack()),
  truth: async () => (await import("./truth.ts")).truth(values.only),
  "failover-trial": async () =>
    (await import("./failover-trial/failover-trial.ts")).failoverTrial(values.only),
  faults: async () => (await import("./faults.ts")).faults(values.only),
  changes: async () => (await import("./changes.ts")).changes(),
  "matrix-s3": async () => (await import("./matrix.ts")).matrixInS3(),
  audit: async () => (await import("./audit.ts")).audit(),
};

/** Ends the program with its usage and the problem with the arguments. */
function refuse(message: string): never {
  process.stderr.write(`npm run bench: ${message}\n${usage}`);
  process.exit(2);
}

function parse() {
  try {
    return parseArgs({
      options: {
        help: { type: "boolean", default: false },
        only: { type: "string", multiple: true },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const usage = readFileSync(new URL("./usage.txt", import.meta.url), "utf8");
const { values, positionals } = parse();
const unknown = positionals.find((name) => !Object.hasOwn(benchmarks, name));
if (values.help) {
  process.stdout.write(usage);
  process.exit();
}
if (unknown !== undefined) {
  refuse(`there is no benchmark "${unknown}"`);
}

const guarded = guardRun();
let lab: Promise<Stack> | undefined;
const stack = () => {
  lab ??= import("./lab.ts").then(({ openBenchLab }) => openBenchLab());
  return lab;
};
try {
  for (const [name, benchmark] of Object.entries(benchmarks)) {
    if (positionals.length === 0 || positionals.includes(name)) {
      const lines = await benchmark(stack);
      process.stdout.write(`${name}\n`);
      for await (const line of lines) process.stdout.write(`  ${line}\n`);
    }
  }
} finally {
  if (lab !== undefined) {
    const { closeBenchLab } = await import("./lab.ts");
    await closeBenchLab(await lab);
  }
  const left = await guarded.end();
  if (left !== null) {
    process.stderr.write(`${left}\n`);
    process.exitCode = 1;
  }
}
