/**
 * The command line of `npm run compare`.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { UsageError } from "../usage-error.ts";

/** The stacks of each cloud's comparison. */
export const comparisons = {
  azure: ["compare", "compare-rtt", "compare-vpn", "compare-bandwidth"],
  aws: ["aws-compare", "aws-fck-nat-sizes"],
  local: ["local-compare"],
} as const satisfies Record<string, readonly string[]>;
export type ComparedCloud = keyof typeof comparisons;

export const usage = `Usage: npm run compare -- --cloud azure|aws|local [options]

Deploys all stacks of a cloud's comparison, measures them, writes the results of each and one report of all, and
destroys what it deployed. A cloud's stacks run side by side, those of the local lab one after the other.

Options:
  --cloud NAME    azure: ${comparisons.azure.join(", ")}
                  aws: ${comparisons.aws.join(", ")}
                  local: ${comparisons.local.join(", ")}
  --stack NAME    only this stack of stacks/; may be given more than once
  --plan NAME     a preset, or a JSON or YAML file, in place of every stack's own plan
  --duration N    seconds of every case, in place of the plan's
  --rate-scale X  multiplies every rate of the plan, e.g. 0.1
  --out DIR       where results (<stack>.json) and report go         (default: out)
  --parallel N    stacks at a time in a cloud, 1 to 16                (default: 4)
  --yes           do not ask, however long or dear it is
  --json          print what was done as JSON
  --keep          leave deployed what is deployed, and say what it costs
  --resume        go on with an interrupted run; measures only what is missing
  --down          only destroy what an earlier run left
  --help          this text

Without --keep, everything is destroyed at the end, also after a failure. Ctrl-C ends the step under way and leaves
what is deployed, so that --resume can go on: what is left, what it costs and how to destroy it is always said.

Exit status: 0 all measured; 1 something was not measured, or failed; 2 wrong usage, or not agreed to;
3 something could not be destroyed and still costs money; 130 interrupted.
`;

export interface CompareArguments {
  readonly help: boolean;
  readonly cloud: ComparedCloud;
  readonly stacks: readonly string[];
  readonly plan: string | undefined;
  readonly duration: string | undefined;
  readonly rateScale: string | undefined;
  readonly out: string;
  readonly parallel: number;
  readonly yes: boolean;
  readonly json: boolean;
  readonly keep: boolean;
  readonly resume: boolean;
  readonly down: boolean;
}

const options = {
  cloud: { type: "string" },
  stack: { type: "string", multiple: true },
  plan: { type: "string" },
  duration: { type: "string" },
  "rate-scale": { type: "string" },
  out: { type: "string", default: "out" },
  parallel: { type: "string", default: "4" },
  yes: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  keep: { type: "boolean", default: false },
  resume: { type: "boolean", default: false },
  down: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @throws {UsageError} */
export function parseCompareArguments(args: readonly string[]): CompareArguments {
  const values = parse(args);
  const cloud = values.help ? "local" : cloudOf(values.cloud);
  const stacks = [...new Set(values.stack ?? comparisons[cloud])];
  const changes = [values.plan, values.duration, values["rate-scale"]];
  if (values.resume && changes.some((change) => change !== undefined)) {
    throw new UsageError(
      "--resume: goes on with the plan of the interrupted run; leave out --plan, --duration and --rate-scale",
    );
  }
  if (values.down && (values.resume || values.keep)) {
    throw new UsageError("--down: only destroys; leave out --resume and --keep");
  }
  return {
    help: values.help,
    cloud,
    stacks,
    plan: values.plan,
    duration: values.duration,
    rateScale: values["rate-scale"],
    out: values.out,
    parallel: cloud === "local" ? 1 : parallel(values.parallel),
    yes: values.yes,
    json: values.json,
    keep: values.keep,
    resume: values.resume,
    down: values.down,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function cloudOf(text: string | undefined): ComparedCloud {
  const clouds = Object.keys(comparisons) as ComparedCloud[];
  const found = clouds.find((cloud) => cloud === text);
  if (found === undefined) {
    throw new UsageError(`--cloud: expected one of ${clouds.join(", ")}; got ${text ?? "nothing"}`);
  }
  return found;
}

function parallel(text: string): number {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 16) {
    throw new UsageError(`--parallel: expected a whole number of stacks from 1 to 16; got "${text}"`);
  }
  return value;
}
