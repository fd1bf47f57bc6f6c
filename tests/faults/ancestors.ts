/**
 * Each ancestor of a command's work is ended in turn, by each signal, and what remains is counted: no process; and no host but those
 * of a stack that the next start names, and that `--down` ends.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { labOf, ownStackFiles } from "../../cli/pulumi/workspace.ts";
import { writeMadeUpLog } from "../bench/made-up-log.ts";
import { largeResults } from "../fixtures/results/large.ts";
import { hostsOf } from "../helpers/lab-hosts.ts";
import { guardLab, marked } from "../helpers/left-behind.ts";
import type { Outcome } from "./fault.ts";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const;
export const MARK = "EGRESS_BENCH_FAULTS_COMMAND";
export const root = fileURLToPath(new URL("../../", import.meta.url));
const GONE_SECONDS = 90;
const PROGRAM = /^node .*cli\/main\.ts /;

/** A command, and an ancestor of its work by its command line. */
export interface Ancestor {
  readonly command: "local" | "compare" | "report" | "advise" | "nat-image";
  readonly name: string;
  readonly is: RegExp;
}

const both = [
  { name: "npm", is: /^npm run / },
  { name: "its program", is: PROGRAM },
];
const ofLab = [
  ...both,
  { name: "the engine", is: /^pulumi up / },
  { name: "the language host", is: /language-nodejs / },
  { name: "the stack's program", is: /node .*\/cmd\/run/ },
  { name: "the command plugin", is: /command-standin|pulumi-resource-command/ },
];

const rowsOf = (command: Ancestor["command"], ancestors: readonly Omit<Ancestor, "command">[]) =>
  ancestors.map((ancestor): Ancestor => ({ command, ...ancestor }));

export const ancestors: readonly Ancestor[] = [
  ...rowsOf("local", ofLab),
  ...rowsOf("compare", both),
  ...rowsOf("report", both),
  ...rowsOf("advise", both),
  ...rowsOf("nat-image", both),
];

/** A command line, and when its work has begun. */
interface Work {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly begun: (said: string) => boolean;
  /** Its stack of the lab. @default none */
  readonly stack?: string;
}

const works: Record<Ancestor["command"], (directory: string) => Work> = {
  local: (directory) => labWork(directory),
  compare: (directory) => labWork(directory, ["--cloud", "local"]),
  report: (directory) => {
    writeFileSync(`${directory}/large.json`, JSON.stringify(largeResults(100, 40)));
    return { args: [`${directory}/large.json`, "--out", directory], begun: () => true };
  },
  advise: (directory) => {
    writeMadeUpLog(`${directory}/flows.log`, 60e6);
    return { args: [`${directory}/flows.log`, "--out", directory], begun: () => true };
  },
  // The program that makes Debian's root is one that waits.
  "nat-image": (directory) => {
    mkdirSync(`${directory}/bin`);
    const waits = `#!/bin/sh\n: >'${directory}/waits'\nexec sleep 1000\n`;
    writeFileSync(`${directory}/bin/mmdebstrap`, waits, { mode: 0o755 });
    const environment = { PATH: `${directory}/bin:${process.env.PATH}`, TMPDIR: directory };
    return {
      args: ["--out", `${directory}/nat.raw`],
      environment,
      begun: () => existsSync(`${directory}/waits`),
    };
  },
};

const shortCase: Record<string, unknown> = { tool: "connect", durationSeconds: 5 };

/** A stack of the lab, in the file that {@link stackFile} names. */
export function labWork(
  directory: string,
  more: readonly string[] = [],
  { topology = "direct", cases = [shortCase] } = {},
): Work & { readonly stack: string } {
  const stack = `fault-${randomUUID().slice(0, 8)}`;
  mkdirSync(ownStackFiles, { recursive: true });
  const config = {
    "egress-bench:cloud": "local",
    "egress-bench:topologies": [topology],
    "egress-bench:plan": { cases },
  };
  writeFileSync(stackFile(stack), JSON.stringify({ config }));
  guardLab(labOf(stack));
  return {
    stack,
    args: [...more, "--stack", stack, "--out", more.length > 0 ? directory : `${directory}/results.json`],
    begun: (said) => /\[1\/\d+\]/.test(said),
  };
}

export const stackFile = (stack: string) => `${ownStackFiles}/Pulumi.${stack}.yaml`;

/** Ends the ancestor by each signal, each in a run of its own. */
export async function tryAncestor(ancestor: Ancestor): Promise<Outcome> {
  const ends = [];
  for (const signal of SIGNALS) ends.push(await endBy(signal, ancestor));
  return {
    saw: ends.map(({ saw }) => saw).join("; "),
    exit: ends.map(({ exit }) => exit).join(", "),
    left: ends.flatMap((end) => end.left),
    goOn: "what it says",
    wrong: ends.flatMap(({ wrong }) => wrong),
  };
}

async function endBy(signal: NodeJS.Signals, { command, is }: Ancestor) {
  const directory = mkdtempSync(`${tmpdir()}/egress-bench-ancestors-`);
  const { args, environment, begun, stack } = works[command](directory);
  const mark = `${MARK}=${directory}`;
  const run = start(["npm", "run", command, "--", ...args], { ...environment, [MARK]: directory });
  try {
    const victim = await found(() => {
      const processes = begun(run.said()) ? marked(mark) : [];
      return processes.some((one) => PROGRAM.test(one.command))
        ? processes.find((one) => is.test(one.command))
        : undefined;
    }, run);
    process.kill(victim.pid, signal);
    const left = await leftOf(mark);
    const wrong = stack === undefined ? [] : await whatStays(stack, signal, directory);
    const saw = /^STILL DEPLOYED.*$/m.exec(run.said())?.[0] ?? run.said().trim().split("\n").at(-1);
    return {
      saw: `${signal}: ${saw?.slice(0, 100)}`,
      exit: String(await run.code()),
      left: left.map((one) => `${signal}: ${one.pid} ${one.command.slice(0, 200)}`),
      wrong,
    };
  } finally {
    if (stack !== undefined) rmSync(stackFile(stack), { force: true });
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Ends the processes with this mark that do not end by themselves. @returns those */
export async function leftOf(mark: string): Promise<ReturnType<typeof marked>> {
  const deadline = performance.now() + GONE_SECONDS * 1000;
  while (marked(mark).length > 0 && performance.now() < deadline) await delay(100);
  const left = marked(mark);
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  return left;
}

/** Hosts that stay are named by the next start, and end by `--down`. */
export async function whatStays(stack: string, signal: string, directory: string): Promise<string[]> {
  const hosts = () => hostsOf(labOf(stack)).map(({ host }) => host);
  if (hosts().length === 0) return [];
  const next = start(["npm", "run", "local", "--", "--stack", stack, "--out", `${directory}/next.json`]);
  await next.code();
  const down = start(["npm", "run", "local", "--", "--stack", stack, "--down", "--yes"]);
  await down.code();
  return [
    ...(/unfinished run|an earlier run left/.test(next.said())
      ? []
      : [`${signal}: the next start says: ${next.said().slice(-600)}`]),
    ...hosts().map((host) => `${signal}: after --down: ${host}; ${down.said().slice(-600)}`),
  ];
}

export function start(
  [program = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, said: () => said, code: () => closed };
}

export async function found<T>(
  look: () => T | undefined,
  { child, said }: ReturnType<typeof start>,
): Promise<T> {
  for (;;) {
    const one = look();
    if (one !== undefined) return one;
    if (child.exitCode !== null) throw new Error(`it ended first: ${said().slice(-600)}`);
    await delay(20);
  }
}
