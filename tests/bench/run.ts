/**
 * `npm run bench`: what egress-bench itself costs, in figures. Prints, asserts nothing: a machine that is slow or
 * busy today is no defect. Needs what the lab needs.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { adviseOnLog } from "./advise.ts";
import { agreement } from "./agreement.ts";
import { audit } from "./audit.ts";
import { caseOverhead } from "./case-overhead.ts";
import { cycles } from "./cycles.ts";
import { failover } from "./failover.ts";
import { faults } from "./faults.ts";
import { gate } from "./gate.ts";
import { closeBenchLab, openBenchLab } from "./lab.ts";
import { largeCase } from "./large-case.ts";
import { natDataPlanes } from "./nat.ts";
import { preview } from "./preview.ts";
import { largeReport } from "./report.ts";
import { search } from "./search/search.ts";
import { secondUp } from "./second-up.ts";

/** Those that need a lab get one's stack. */
const benchmarks: Record<string, (stack: () => Promise<Stack>) => Promise<string[]>> = {
  search,
  advise: adviseOnLog,
  gate,
  report: largeReport,
  "large-case": largeCase,
  "case-overhead": async (stack) => caseOverhead(await stack()),
  "second-up": async (stack) => secondUp(await stack()),
  preview: () => preview(),
  nat: natDataPlanes,
  failover: async (stack) => failover(await stack()),
  agreement: async (stack) => agreement(await stack()),
  faults: () => faults(values.only),
  cycles: () => cycles(),
  audit,
};

/** Ends the program with its usage and what is wrong with the arguments. */
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

let lab: Promise<Stack> | undefined;
const stack = () => {
  lab ??= openBenchLab();
  return lab;
};
try {
  for (const [name, benchmark] of Object.entries(benchmarks)) {
    if (positionals.length === 0 || positionals.includes(name)) {
      const lines = await benchmark(stack);
      process.stdout.write(`${name}\n${lines.map((line) => `  ${line}\n`).join("")}`);
    }
  }
} finally {
  if (lab !== undefined) {
    await closeBenchLab(await lab);
  }
}
