/** The command `npm run compare`, separate from the process it runs in. */
import { join } from "node:path";
import { runCommand } from "../command.ts";
import { renderResults } from "../terminal/progress-board.ts";
import { type CompareArguments, parseCompareArguments } from "./arguments.ts";
import { type ComparisonRun, leftHourlyUsd, problemsOf, runComparison } from "./campaign.ts";
import { isMatrix } from "./matrix-arguments.ts";
import { runMatrix } from "./matrix-command.ts";
import type { CommandIo, ComparisonRequest } from "./request.ts";

/** @returns the exit status */
export async function compare(argv: readonly string[], io: CommandIo): Promise<number> {
  const name = "compare";
  if (isMatrix(argv) && !argv.includes("--help")) {
    return runCommand({ name, parse: () => ({ help: false }), run: () => runMatrix(argv, io) }, io);
  }
  const run = async (args: CompareArguments) => {
    const comparison = await runComparison(requestOf(args), io);
    if (args.json) {
      io.stdout.write(`${JSON.stringify(asJson(comparison), null, 2)}\n`);
    }
    return comparison.status;
  };
  return runCommand({ name, parse: () => parseCompareArguments(argv), run }, io);
}

function requestOf(args: CompareArguments): ComparisonRequest {
  const { cloud, stacks, plan, duration, rateScale, parallel, yes, keep, resume, down, out, store } = args;
  return {
    command: "npm run compare",
    ...{ cloud, stacks, plan, duration, rateScale, parallel, yes, keep, resume, down, store },
    resultsFile: (stack) => join(out, `${stack}.json`),
    reportDirectory: out,
    again: (stack, option) =>
      `npm run compare -- --cloud ${cloud} --stack ${stack}${option === "--resume" ? ` --out ${out}` : ""} ${option}`,
    render: args.json ? null : (results, stdout) => `\n${results.stack}\n${renderResults(results, stdout)}\n`,
  };
}

function asJson({ report, outcomes, costs }: ComparisonRun) {
  const stacks = outcomes.map((outcome) => ({
    stack: outcome.stack,
    results: outcome.file,
    problems: problemsOf(outcome),
    left: outcome.left,
    hourlyUsd: leftHourlyUsd(outcome, costs),
  }));
  return { report: report instanceof Error ? null : report, stacks };
}
