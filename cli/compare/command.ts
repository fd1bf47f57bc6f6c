/** The command `npm run compare`, apart from the process it runs in. */
import { join } from "node:path";
import { isMatrix } from "../matrix/arguments.ts";
import { runMatrix } from "../matrix/command.ts";
import { renderResults } from "../terminal/results-table.ts";
import { errorOf } from "../thrown.ts";
import { usageOf } from "../usage.ts";
import { UsageError } from "../usage-error.ts";
import { type CompareArguments, parseCompareArguments } from "./arguments.ts";
import { type ComparisonRun, EXIT, leftHourlyUsd, problemsOf, runComparison } from "./comparison.ts";
import type { CommandIo, ComparisonRequest } from "./request.ts";

/** @returns the exit status */
export async function compare(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    if (isMatrix(argv) && !argv.includes("--help")) {
      return await runMatrix(argv, io);
    }
    const args = parseCompareArguments(argv);
    if (args.help) {
      io.stdout.write(usageOf("compare"));
      return EXIT.ok;
    }
    const comparison = await runComparison(requestOf(args), io);
    if (args.json) {
      io.stdout.write(`${JSON.stringify(asJson(comparison), null, 2)}\n`);
    }
    return comparison.status;
  } catch (error) {
    io.stderr.write(`npm run compare: ${errorOf(error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
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
