/** A preview of AWS's largest comparison, against stand-ins of the providers, with its time by process. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { inCheckout } from "../../cli/pulumi/workspace.ts";
import { createAwsEngine } from "../helpers/aws-standin/engine.ts";
import { frugal } from "../helpers/pulumi.ts";
import { figuresOfNode, PROGRAM } from "./node-figures.ts";

const STACK = "aws-compare";

export async function preview(): Promise<string[]> {
  const engine = createAwsEngine({ startsAll: true });
  try {
    const { workspace } = await engine.wholeStack(STACK);
    const main = `export { results, summary } from ${JSON.stringify(inCheckout("index.ts"))};\n`;
    writeFileSync(join(engine.project, "index.ts"), main);
    const figures = figuresOfNode(dirname(engine.project));
    const { seconds, cpuSeconds, resources } = timed(engine.project, {
      ...withoutThrift({ ...process.env, ...workspace.envVars }),
      NODE_OPTIONS: figures.nodeOptions,
    });
    const program = figures.of(PROGRAM);
    const standIns = figures.of("aws-standin/").cpuSeconds + figures.of("/command.ts").cpuSeconds;
    const load = (loadavg()[0] ?? 0).toFixed(1);
    return [
      `a preview of ${STACK}, ${resources} resources: ${seconds.toFixed(1)} s at a load of ${load}; goal 4 s on a quiet machine`,
      `the program: ${program.seconds.toFixed(1)} s (CPU ${program.cpuSeconds.toFixed(1)} s), ${program.megabytes.toFixed(0)} MB at most`,
      `beside it: CPU ${(cpuSeconds - program.cpuSeconds - standIns).toFixed(1)} s of Pulumi's engine and language host, ${standIns.toFixed(1)} s of the providers' stand-ins (the real ones take another time)`,
    ];
  } finally {
    engine.dispose();
  }
}

/** The environment without settings that only make tests cheaper. */
function withoutThrift(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env;
  return {
    ...environment,
    ...Object.fromEntries(Object.keys(frugal).map((name) => [name, undefined])),
    NODE_COMPILE_CACHE,
  };
}

/** Runs it and times all its processes. */
function timed(project: string, env: NodeJS.ProcessEnv) {
  const times = join(project, "times");
  const preview = `time pulumi preview --stack ${STACK} --non-interactive --color never`;
  const script = `TIMEFORMAT='%R %U %S'; { ${preview}; } 2> ${times}`;
  const { status, stdout } = spawnSync("bash", ["-c", script], { cwd: project, env, encoding: "utf8" });
  const said = readFileSync(times, "utf8");
  const [seconds = 0, user = 0, system = 0] = (/^[\d.]+ [\d.]+ [\d.]+$/m.exec(said)?.[0] ?? "")
    .split(" ")
    .map(Number);
  const resources = /(\d+) to create/.exec(stdout)?.[1];
  if (status !== 0 || resources === undefined) {
    throw new Error(`the preview ended with ${status}: ${stdout}${said}`);
  }
  return { seconds, cpuSeconds: user + system, resources };
}
