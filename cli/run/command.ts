/** The command `npm run compare`, separate from the process it runs in. */
import { join } from "node:path";
import { commands } from "../commands.ts";
import { runCommand } from "../program.ts";
import { renderResults } from "../terminal/progress-board.ts";
import { type CompareArguments, compareArguments } from "./arguments.ts";
import { type ComparisonRun, leftHourlyUsd, problemsOf, runComparison } from "./campaign.ts";
import { matrixArguments } from "./matrix-arguments.ts";
import { runMatrix } from "./matrix-command.ts";
import type { CommandIo, ComparisonRequest } from "./request.ts";

/** @returns the exit status */
export async function compare(argv: readonly string[], io: CommandIo): Promise<number> {
  return runCommand(commands.compare, argv, io, async (values) => {
    if (values.matrix !== undefined) {
      return runMatrix(matrixArguments(values), io);
    }
    const args = compareArguments(values);
    const comparison = await runComparison(requestOf(args), io);
    if (args.json) {
      io.stdout.write(`${JSON.stringify(asJson(comparison), null, 2)}\n`);
    }
    return comparison.status;
  });
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
