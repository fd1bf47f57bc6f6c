/** The command `npm run local`, separate from the process it runs in: a comparison of one local stack. */
import { dirname } from "node:path";
import { commands } from "../commands.ts";
import { runCommand, type Values } from "../program.ts";
import { renderResults } from "../terminal/progress-board.ts";
import { checkModes } from "./arguments.ts";
import { runComparison } from "./campaign.ts";
import type { CommandIo, ComparisonRequest } from "./request.ts";

const { stack: ownStack, out: ownOut } = commands.local.options;

/** @returns the exit status */
export async function local(argv: readonly string[], io: CommandIo): Promise<number> {
  return runCommand(commands.local, argv, io, async (values) => {
    checkModes(values);
    return (await runComparison(requestOf(values), io)).status;
  });
}

function requestOf({ stack, out, json, ...values }: Values<typeof commands.local>): ComparisonRequest {
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
        ...(stack === ownStack.default ? [] : [`--stack ${stack}`]),
        ...(option === "--down" || out === ownOut.default ? [] : [`--out ${out}`]),
        option,
      ].join(" "),
    render: (results, stdout) =>
      json ? `${JSON.stringify(results)}\n` : `\n${renderResults(results, stdout)}\n\n`,
  };
}
