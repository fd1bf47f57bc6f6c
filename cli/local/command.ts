/**
 * The command `npm run local`, apart from the process it runs in: a comparison of one stack on this machine.
 */
import { dirname } from "node:path";
import { checkModes, runOptions } from "../compare/arguments.ts";
import { EXIT, runComparison } from "../compare/comparison.ts";
import type { CommandIo, ComparisonRequest } from "../compare/request.ts";
import { parseOptions } from "../options.ts";
import { renderResults } from "../terminal/results-table.ts";
import { usageOf } from "../usage.ts";
import { UsageError } from "../usage-error.ts";

const DEFAULTS = { stack: "local-compare", out: "out/results.json" };

const options = {
  ...runOptions,
  stack: { type: "string", default: DEFAULTS.stack },
  out: { type: "string", default: DEFAULTS.out },
} as const;

type Values = ReturnType<typeof parse>;

/** @returns the exit status */
export async function local(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const values = parse(argv);
    if (values.help) {
      io.stdout.write(usageOf("local"));
      return EXIT.ok;
    }
    checkModes(values);
    return (await runComparison(requestOf(values), io)).status;
  } catch (error) {
    io.stderr.write(`npm run local: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

function parse(argv: readonly string[]) {
  return parseOptions(argv, options, {}).values;
}

function requestOf({ stack, out, json, ...values }: Values): ComparisonRequest {
  const { plan, duration, "rate-scale": rateScale, yes, keep, resume, down, store } = values;
  return {
    command: "npm run local",
    cloud: "local",
    stacks: [stack],
    parallel: 1,
    ...{ plan, duration, rateScale, yes, keep, resume, down, store },
    resultsFile: () => out,
    reportDirectory: dirname(out),
    again: (_, option) =>
      [
        "npm run local --",
        ...(stack === DEFAULTS.stack ? [] : [`--stack ${stack}`]),
        ...(option === "--down" || out === DEFAULTS.out ? [] : [`--out ${out}`]),
        option,
      ].join(" "),
    render: (results, stdout) =>
      json ? `${JSON.stringify(results)}\n` : `\n${renderResults(results, stdout)}\n\n`,
  };
}
