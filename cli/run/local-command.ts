/** The command `npm run local`, separate from the process it runs in: a comparison of one local stack. */
import { dirname } from "node:path";
import { runCommand } from "../command.ts";
import { parseOptions } from "../options.ts";
import { renderResults } from "../terminal/progress-board.ts";
import { checkModes, runOptions } from "./arguments.ts";
import { runComparison } from "./campaign.ts";
import type { CommandIo, ComparisonRequest } from "./request.ts";

const DEFAULTS = { stack: "local-compare", out: "out/results.json" };

const options = {
  ...runOptions,
  stack: { type: "string", default: DEFAULTS.stack },
  out: { type: "string", default: DEFAULTS.out },
} as const;

type Values = ReturnType<typeof parse>;

/** @returns the exit status */
export async function local(argv: readonly string[], io: CommandIo): Promise<number> {
  const run = async (values: Values) => {
    checkModes(values);
    return (await runComparison(requestOf(values), io)).status;
  };
  return runCommand({ name: "local", parse: () => parse(argv), run }, io);
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
