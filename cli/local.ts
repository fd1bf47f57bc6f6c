/**
 * `npm run local`: the main job on this machine. Deploys the lab, measures, prints a table, writes results, and
 * takes the lab down again.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Results, renderSummary, summarize } from "../bench/index.ts";
import { assertLabMachine } from "../components/local/lab/machine.ts";
import { LabRun } from "./run/lab-run.ts";
import { INTERRUPTED, onInterrupt } from "./terminal/interrupt.ts";
import { Progress } from "./terminal/progress.ts";

const usage = `Usage: npm run local -- [options]

Deploys a local lab of network namespaces, load-tests its egress topologies against each other, prints the
comparison, and takes the lab down. Needs Linux and root (or sudo without a password).

Options:
  --stack NAME    a stack file of stacks/ whose cloud is "local"   (default: local-compare)
  --plan NAME     a preset, or a JSON or YAML file, in place of the stack's own plan
  --duration N    seconds of every case, in place of the plan's
  --rate-scale X  multiplies every rate of the plan, e.g. 0.1
  --out FILE      where the results go                             (default: out/results.json)
  --json          print the results document instead of the table
  --keep          leave the lab up; \`npm run local -- --down\` takes it down
  --down          only take down what an earlier run left
  --help          this text

Exit status: 0 all measured; 1 something was not measured, or failed; 2 wrong usage; 130 interrupted.
`;

const options = {
  stack: { type: "string", default: "local-compare" },
  plan: { type: "string" },
  duration: { type: "string" },
  "rate-scale": { type: "string" },
  out: { type: "string", default: "out/results.json" },
  json: { type: "boolean", default: false },
  keep: { type: "boolean", default: false },
  down: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  assertLabMachine();
  const progress = new Progress();
  const interrupt = onInterrupt(() =>
    progress.line("Interrupted: ending the step under way, then taking the lab down."),
  );
  const run = await LabRun.openFree(
    values.stack,
    { plan: values.plan, durationSeconds: values.duration, rateScale: values["rate-scale"] },
    progress,
  );
  try {
    if (values.down) {
      return 0;
    }
    const status = await report(await run.measure(interrupt), values, progress);
    return interrupt.aborted ? INTERRUPTED : status;
  } catch (error) {
    if (interrupt.aborted) {
      return INTERRUPTED;
    }
    throw error;
  } finally {
    if (values.keep && !interrupt.aborted) {
      progress.line("The lab is up. `npm run local -- --down` takes it down.");
    } else {
      await run.takeDown();
    }
  }
}

/** Prints and writes what was measured. @returns the exit status */
async function report(
  results: Results,
  values: { out: string; json: boolean },
  progress: Progress,
): Promise<number> {
  const file = resolve(values.out);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  process.stdout.write(
    values.json ? `${JSON.stringify(results)}\n` : `\n${renderSummary(summarize(results))}\n\n`,
  );
  // Charts take a while to load, and nobody waits for them while measuring.
  const { writeReport } = await import("./report/files.ts");
  const { html } = writeReport([results], dirname(file));
  progress.line(`Results: ${values.out}; report: ${relative(process.cwd(), html)}`);
  const failed = results.cases.filter((one) => one.status === "failed");
  const [first] = failed;
  if (first === undefined) {
    return 0;
  }
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : "";
  progress.line(
    `Not measured: ${first.topology} ${first.id}: ${first.failure?.class}: ${first.failure?.message}${others}`,
  );
  return 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`npm run local: ${(error as Error).message}\n`);
  const usageError = String((error as { code?: string }).code).startsWith("ERR_PARSE_ARGS");
  process.exitCode = usageError ? 2 : 1;
}
