/**
 * A fault, what the person at the terminal then sees, and how it goes on: each on a real lab, by `pulumi up` itself.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { readRunReport } from "../../bench/agent/read-report.ts";
import type { Results } from "../../bench/results/index.ts";
import { hasEnded, type Process, startTime } from "../../components/local/lab/processes.ts";
import type { LabStack } from "../helpers/lab-stack.ts";

/** Names of the hosts of the lab that all faults share. */
export const [CLIENT, FORWARDER, SERVER] = ["nat-instance-client", "nat-instance-box", "server"] as const;

/** A fault of a run; its cases are `first`, `victim` and `last`. */
export interface Fault {
  readonly name: string;
  /** Configuration of the stack beside its plan. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** @default iperf3 for 4 s at 20 Mbit/s */
  readonly victim?: Readonly<Record<string, unknown>>;
  /** Variables of the update's environment beside the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Words of a program that starts the update. @default none */
  readonly by?: readonly string[];
  readonly before?: (lab: LabStack) => void | Promise<void>;
  /** Done while the victim's tool runs. */
  readonly strike?: (lab: LabStack, update: Update) => void | Promise<void>;
  /** Takes away, after the update, what would stay. */
  readonly repair?: (lab: LabStack) => void | Promise<void>;
  readonly ends: "well" | "in failure" | "killed";
  /** A line that the person sees: of the update's output, of its results, or where it is killed, of the next update's. */
  readonly says: RegExp;
  /** Cases without a measurement after the update. @default none where it ends well */
  readonly lost?: readonly string[];
  /** How to go on. @default `pulumi up`, after which all is measured, and nothing twice */
  readonly goOn?: "pulumi up" | "a new runId" | "the command that is printed" | "nothing to do";
  /** Keys of a lab of its own, for what the shared one has not. */
  readonly ownLab?: Readonly<Record<string, unknown>>;
}

/** An update that runs in a process of its own. */
export interface Update {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
}

/** What became of a fault. Every line of `wrong` is something that is not as the table has it, and so is each that is left. */
export interface Outcome {
  /** The line that was asked for, or the end of all that was said. */
  readonly saw: string;
  readonly exit: string;
  /** @default nothing */
  readonly lost?: readonly string[];
  /** @default nothing */
  readonly left?: readonly string[];
  readonly goOn: string;
  readonly wrong: readonly string[];
}

let runs = 0;
const short = { tool: "connect", durationSeconds: 1 };
const usualVictim = { tool: "iperf3", durationSeconds: 4, bitrate: "20M" };
/** Command lines of the tools that a victim runs. */
const TOOLS = "[i]perf3 -J|[i]perf3 .*-c |agent.py connect .*--duration [2-9]";

/** Starts `pulumi` on the lab's stack, as a person would. */
export function pulumi(lab: LabStack, ...args: string[]): Update {
  return pulumiAs({}, lab, ...args);
}

/** How else `pulumi` is started. */
interface Starting {
  /** Variables beside the usual ones. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Words of the program that starts it. @default none */
  readonly by?: readonly string[];
}

/** Starts `pulumi` on the lab's stack in another environment, or by another program. */
export function pulumiAs({ environment, by = [] }: Starting, lab: LabStack, ...args: string[]): Update {
  const { workDir, envVars } = lab.stack.workspace;
  const [program = "", ...words] = [...by, "pulumi", ...args, "--stack", lab.stack.name, "--color", "never"];
  const child = spawn(program, words, {
    cwd: workDir,
    env: { ...process.env, ...envVars, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  return { child, ended: once(child, "close").then(([code]) => ({ code, text })) };
}

const UP = ["up", "--yes", "--non-interactive", "--suppress-outputs"];

export const up = (lab: LabStack, ...more: string[]) => pulumi(lab, ...UP, ...more);

/** Arguments of the first command of Pulumi's that a text names. */
function printedCommand(text: string): string[] {
  const words = /`pulumi ([^`]+)`/.exec(text)?.[1]?.split(" ") ?? [];
  return words.map((word) => word.replaceAll("'", ""));
}

/** Makes a fault, looks at what comes of it, and goes on. */
export async function tryFault(lab: LabStack, fault: Fault): Promise<Outcome> {
  newRun(lab, fault);
  await fault.before?.(lab);
  const update = pulumiAs({ environment: fault.environment ?? {}, by: fault.by ?? [] }, lab, ...UP);
  let started: Started[] = [];
  if (fault.strike !== undefined) {
    const struck = toolRuns(lab, update).then(() => {
      started = startedBy(update);
      return fault.strike?.(lab, update);
    });
    // An update that is left alone would meet the next fault's.
    await struck.catch(async (error) => {
      await update.ended;
      await fault.repair?.(lab);
      throw error;
    });
  }
  const { code, text: output } = await update.ended;
  const text = fault.ends === "killed" ? output + (await up(lab).ended).text : output;
  const results = code === 0 ? await resultsOf(lab) : null;
  const said = results === null ? [] : [...results.cases.map(lineOf), ...results.notes];
  const lines = [...said, ...text.split("\n").map((line) => line.trim())];
  const saw = lines.find((line) => fault.says.test(line));
  const kept = await firstStart(lab);
  await fault.repair?.(lab);
  await endStarted(started);
  const lost = results === null ? [] : results.cases.filter(isLost).map(({ id }) => id);
  const goneOn = await goOn(lab, fault, { done: code === 0, kept, text });
  const left = leftOn(lab);
  const ended = code === 0 ? "well" : code === null ? "killed" : "in failure";
  return {
    saw: (saw ?? text.slice(-600)).slice(0, 300),
    exit: String(code),
    lost,
    left,
    goOn: goneOn.how,
    wrong: [
      ...(saw === undefined ? [`no message matches ${fault.says}`] : []),
      ...(ended === fault.ends ? [] : [`it ended ${ended}, expected ${fault.ends}`]),
      ...(String(lost) === String(fault.lost ?? []) ? [] : [`lost ${lost}, expected ${fault.lost ?? []}`]),
      ...goneOn.wrong,
    ],
  };
}

interface Started extends Process {
  readonly command: string;
}

/** All processes that an update has started: its language host, its plugins and what those run. */
export function startedBy({ child }: Update): Started[] {
  const table = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" });
  const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
  const below = (parent: number): Started[] =>
    rows
      .filter(([, ppid]) => Number(ppid) === parent)
      .flatMap(([pid, , ...args]) => [
        { pid: Number(pid), startTime: startTime(Number(pid)) ?? "", command: args.join(" ") },
        ...below(Number(pid)),
      ]);
  return below(child.pid ?? Number.NaN);
}

/** Ends what an engine that was ended leaves, once it had time to end by itself. */
async function endStarted(started: readonly Started[]): Promise<void> {
  const living = () => started.filter((one) => !hasEnded(one));
  const deadline = performance.now() + 5000;
  while (living().length > 0 && performance.now() < deadline) await delay(100);
  for (const { pid } of living()) process.kill(pid, "SIGKILL");
}

function newRun(lab: LabStack, { configuration = {}, victim = usualVictim }: Fault): void {
  runs += 1;
  const cases = [
    { id: "first", ...short },
    { id: "victim", ...victim },
    { id: "last", ...short },
  ];
  lab.configure({ runId: `fault-${runs}`, plan: { name: "faults", cases }, ...configuration });
}

/** Waits until the victim's tool runs. */
export async function toolRuns(lab: LabStack, { child }: Update): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (child.exitCode === null && Date.now() < deadline) {
    if (runsTool(lab)) {
      return;
    }
    await delay(100);
  }
  throw new Error(`the victim's tool never ran; the update ended with ${child.exitCode}`);
}

function runsTool(lab: LabStack): boolean {
  try {
    return lab.onHost(CLIENT, `pgrep -f '${TOOLS}' || :`) !== "";
  } catch {
    return false; // the host is just being made
  }
}

/** Goes on as the table has it; whatever was measured before must be there as it was. */
async function goOn(
  lab: LabStack,
  fault: Fault,
  { done, kept, text: said }: { done: boolean; kept: string | null; text: string },
) {
  const how = fault.goOn ?? (done ? "nothing to do" : "pulumi up");
  if (how === "nothing to do") {
    return { how, wrong: [] };
  }
  if (how === "a new runId") {
    newRun(lab, { ...fault, configuration: {} });
  }
  const printed = how === "the command that is printed" ? printedCommand(said) : [];
  if (printed[0] !== undefined && printed[0] !== "up") {
    await pulumi(lab, printed[0], "--yes", ...printed.slice(1)).ended;
  }
  const { code, text } = await up(lab, ...(printed[0] === "up" ? printed.slice(1) : [])).ended;
  const results = code === 0 ? await resultsOf(lab) : null;
  const notOk = results?.cases.filter(isLost).map(lineOf) ?? [`it ended with ${code}: ${text.slice(-600)}`];
  const again = results?.cases.find(({ id }) => id === "first")?.startedAt ?? null;
  const measuredTwice = how !== "a new runId" && kept !== null && again !== null && again !== kept;
  return {
    how,
    wrong: [
      ...notOk.map((one) => `after ${how}: ${one}`),
      ...(measuredTwice ? [`what was measured at ${kept} was measured again at ${again}`] : []),
    ],
  };
}

async function resultsOf(lab: LabStack): Promise<Results> {
  return (await lab.stack.outputs()).results?.value as Results;
}

const isLost = ({ status }: Results["cases"][number]) => status !== "ok";

function lineOf({ id, status, failure, measurement }: Results["cases"][number]): string {
  const interrupted = (measurement?.outages ?? []).map(
    ({ startSeconds, seconds }) => ` outage at ${startSeconds} s for ${seconds} s`,
  );
  return failure === null
    ? `${id}: ${status}${interrupted.join("")}`
    : `${id}: ${failure.class}: ${failure.message}`;
}

/** When the first case of this run was measured, as the state has it. */
async function firstStart(lab: LabStack): Promise<string | null> {
  const { deployment } = await lab.stack.exportStack();
  const resources = (deployment?.resources ?? []) as {
    urn: string;
    inputs?: { triggers?: string[] };
    outputs?: { stdout?: string };
  }[];
  const first = resources.find(({ urn }) => urn.endsWith("::nat-instance:first"));
  if (first?.inputs?.triggers?.[0] !== `fault-${runs}` || first.outputs?.stdout === undefined) {
    return null;
  }
  return readRunReport(first.outputs.stdout).attempts[0]?.startedAt ?? null;
}

/** Tools that still run on a host though the update has ended. */
function leftOn(lab: LabStack): string[] {
  const tools =
    "for pid in $(pgrep -f 'iperf3 .*-c |agent.py (connect|run)'); do tr '\\0' ' ' < /proc/$pid/cmdline; echo; done 2>/dev/null";
  return lab
    .hosts()
    .flatMap((host) =>
      lab
        .onHost(host, tools)
        .split("\n")
        .filter((line) => line.trim() !== "" && !line.includes("pgrep")),
    )
    .map((line) => line.trim().slice(0, 100));
}
