/**
 * Runs the shell steps of a GitHub workflow's job, and those of this repository's own action, as GitHub documents them:
 * `bash -eo pipefail`, `if: always()`, `$GITHUB_OUTPUT` and `$GITHUB_STEP_SUMMARY`. Other actions are left out.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

interface Ran {
  readonly step: string;
  readonly status: number | null;
  readonly said: string;
}

export interface JobRun {
  readonly ran: readonly Ran[];
  readonly summary: string;
  readonly outputs: string;
}

/** Values of `${{ ... }}`; a missing one is an error. */
type Values = Readonly<Record<string, string>>;

/** @param file The workflow's file. @param directory Its checkout. @param name The job's name. @default the first */
export function runJob(
  file: string,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
  values: Values,
  name?: string,
): JobRun {
  const { jobs } = parse(readFileSync(file, "utf8")) as { jobs: Record<string, { steps: Step[] }> };
  const job = name === undefined ? Object.values(jobs)[0] : jobs[name];
  const [summary, outputs] = [join(directory, ".summary"), join(directory, ".outputs")];
  for (const one of [summary, outputs]) {
    writeFileSync(one, "");
  }
  const github = { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs, GITHUB_ACTION_PATH: directory };
  const ran: Ran[] = [];
  for (const step of (job?.steps ?? []).flatMap((one) => shellSteps(one, directory))) {
    const failed = ran.some(({ status }) => status !== 0);
    if (failed && step.if !== "always()") {
      continue;
    }
    const script = filled(step.run ?? "", values);
    const own = Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text, values)]);
    const { status, stdout, stderr } = spawnSync(
      "bash",
      ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      {
        cwd: directory,
        encoding: "utf8",
        env: { ...environment, ...github, ...Object.fromEntries(own) },
      },
    );
    ran.push({ step: step.name ?? script, status, said: `${stdout}${stderr}` });
  }
  return { ran, summary: readFileSync(summary, "utf8"), outputs: readFileSync(outputs, "utf8") };
}

/** The step itself, or the steps of the repository's own action with its inputs filled in. */
function shellSteps(step: Step, directory: string): Step[] {
  if (step.uses !== "./") {
    return step.run === undefined ? [] : [step];
  }
  const action = parse(readFileSync(join(directory, "action.yml"), "utf8"));
  const defaults = Object.entries(action.inputs as Record<string, { default: string }>).map(
    ([name, input]) => [`inputs.${name}`, String(step.with?.[name] ?? input.default)],
  );
  const inputs = Object.fromEntries(defaults);
  return (action.runs.steps as Step[]).map((inner) => ({
    ...inner,
    name: step.name ?? "action",
    ...(step.if === undefined ? {} : { if: step.if }),
    env: Object.fromEntries(
      Object.entries(inner.env ?? {}).map(([name, text]) => [name, filled(text, inputs)]),
    ),
  }));
}

function filled(text: string, values: Values): string {
  return text.replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) {
      throw new Error(`the workflow asks for ${name}, which the test does not give`);
    }
    return value;
  });
}
