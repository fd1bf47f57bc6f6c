/** Runs a stack from up to down, through the Automation API. */
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { type Results, withSeed } from "../../bench/index.ts";
import { isFromTerminal } from "../terminal/interrupt.ts";
import type { Reporter } from "../terminal/progress-board.ts";
import { hasDeadLock, StackBusyError } from "./backend.ts";
import { type Deployed, readDeployed, resourceName } from "./deployed.ts";
import { engineWords, loginWords } from "./engine-words.ts";
import { RunSteps } from "./run-steps.ts";
import { type ChosenPlan, choosePlan, readStackFile, type StackFile } from "./stack-file.ts";
import { watchStandstill } from "./standstill.ts";
import {
  backendUrl,
  configured,
  forgetStack,
  type OpenedStack,
  openStack,
  PROJECT,
  recordedRuns,
  recordRun,
  refreshConfig,
  type StackWorkspace,
} from "./workspace.ts";

export interface StackRunArgs {
  readonly file: StackFile;
  readonly workspace: StackWorkspace;
  readonly progress: Reporter;
  readonly plan: ChosenPlan;
  /** Server's address as shown in commands if the real one is unknown. */
  readonly serverAddress: string;
}

export interface Measured {
  readonly results: Results;
  /** Why the run ended early; null: it finished. */
  readonly brokenOff: string | null;
}

/** Leftovers of an earlier run of a stack. */
export interface Left {
  /** Whether commands of this checkout made it, rather than somebody by other means. */
  readonly isOurs: boolean;
  /** Measurements done so far in an unfinished run; null if there is none. */
  readonly measured: { readonly done: number; readonly all: number } | null;
  /** Packages of the deployed resources, such as `azure-native`. */
  readonly packages: readonly string[];
}

/** One stack deployed, measured and destroyed by a command. */
export class StackRun {
  readonly stack: Stack;
  protected readonly args: StackRunArgs;
  // A new id makes a new run measure everything again.
  #runId = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  #steps: RunSteps;
  /** Cached since the last operation; null: not read yet. */
  #state: Deployed | null;

  constructor({ stack, isNew }: OpenedStack, args: StackRunArgs) {
    this.stack = stack;
    this.args = args;
    this.#state = isNew ? readDeployed([]) : null;
    this.#steps = this.#stepsOf(this.#runId);
  }

  /**
   * Opens the stack, which may have leftovers of an earlier run.
   *
   * @throws {StackBusyError}
   * @throws {Error} where an earlier run deployed it and this backend does not have it
   */
  static async open(args: StackRunArgs): Promise<StackRun> {
    const isKnown = recordedRuns(args.file.name, args.workspace).size > 0;
    return new StackRun(await openFree(args, isKnown), args);
  }

  async left(): Promise<Left | null> {
    const deployed = await this.#deployed();
    if (deployed.resources.length === 0) {
      return null;
    }
    const { name } = this.stack;
    const runId = this.#configuredRun();
    const runs = recordedRuns(name, this.args.workspace);
    const isUnfinished = runId !== undefined && runs.has(runId) && !deployed.isWhole(runId);
    return {
      isOurs: runs.size > 0 && deployed.isOf(runs),
      measured: isUnfinished ? this.#progressOf(runId, deployed) : null,
      packages: deployed.packages,
    };
  }

  #progressOf(runId: string, deployed: Deployed): Left["measured"] {
    const file = readStackFile(this.stack.name, this.args.workspace.project);
    const steps = this.#stepsOf(runId, { file, plan: choosePlan(file, {}) });
    return { done: steps.count(deployed.reports(runId)), all: steps.length };
  }

  /** Makes the next {@link measure} measure everything again. */
  startAfresh(): void {
    const { input } = this.args.plan;
    recordRun(this.stack.name, this.args.workspace, this.#runId);
    refreshConfig(this.stack.name, this.args.workspace, {
      "egress-bench:runId": this.#runId,
      "egress-bench:plan": typeof input === "string" ? input : JSON.stringify(input),
    });
  }

  /** Makes the next {@link measure} continue an earlier run. @throws {Error} without leftovers of one */
  async resume(): Promise<void> {
    const runId = this.#configuredRun();
    if (runId === undefined || !(await this.isUsed())) {
      throw new Error(`stack ${this.stack.name}: nothing of it is deployed; leave out --resume`);
    }
    this.#runId = runId;
    this.#steps = this.#stepsOf(runId);
  }

  /** Deploys and measures. @throws {Error} when nothing was measured */
  async measure(interrupt: AbortSignal): Promise<Measured> {
    const { progress } = this.args;
    if (interrupt.aborted) {
      throw new Error("interrupted");
    }
    progress.step("Deploying");
    this.#state = null;
    const stoodStill = watchStandstill();
    try {
      await this.stack.up({
        onEvent: (event) => this.#follow(event),
        color: "never",
        ...untilInterrupt(interrupt),
      });
      return { results: (await this.#deployed()).results as Results, brokenOff: null };
    } catch (error) {
      const words = engineWords(error as Error);
      const why = interrupt.aborted
        ? "interrupted"
        : `${words}${loginWords(words, this.args.file)}${stoodStill()}`;
      return await this.#salvage(why);
    } finally {
      stoodStill();
      progress.stop();
    }
  }

  /** Destroys what is deployed. If something remains, its state stays. */
  async takeDown(interrupt: AbortSignal): Promise<void> {
    this.args.progress.step("Destroying");
    try {
      await this.destroy(interrupt);
    } finally {
      this.args.progress.stop();
    }
  }

  /** Removes a stack without resources. */
  async forget(): Promise<void> {
    await forgetStack(this.stack, this.args.workspace);
  }

  /** The deployed parts of the stack, in words; empty: none. */
  async found(): Promise<string[]> {
    const { length } = (await this.#deployed()).resources;
    const [, year, month, day, hour, minute] =
      /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)/.exec(this.#configuredRun() ?? "") ?? [];
    const begun =
      year === undefined ? "" : ` of the run begun at ${year}-${month}-${day} ${hour}:${minute} UTC`;
    return length === 0 ? [] : [`the stack ${this.stack.name}${begun}`];
  }

  async isUsed(): Promise<boolean> {
    return (await this.#deployed()).resources.length > 0;
  }

  /** @throws {StackBusyError} when another process uses the stack; {Error} otherwise */
  protected async destroy(interrupt: AbortSignal | undefined): Promise<void> {
    this.#state = null;
    const isBrokenOff = interruptedSince(interrupt);
    const isLocked = () => hasDeadLock(backendUrl(this.args.workspace), PROJECT, this.stack.name);
    try {
      // The update's engine may have been killed.
      if (isLocked()) await this.stack.cancel();
      await this.stack.destroy({ color: "never", ...untilInterrupt(interrupt) });
    } catch (error) {
      if ((error as Error).name === "ConcurrentUpdateError") isLocked();
      if (error instanceof StackBusyError) throw error;
      throw new Error(isBrokenOff() ? "interrupted" : engineWords(error as Error), { cause: error });
    }
  }

  async #deployed(): Promise<Deployed> {
    if (this.#state === null) {
      const { deployment } = await this.stack.exportStack();
      this.#state = readDeployed(deployment?.resources ?? []);
    }
    return this.#state;
  }

  #configuredRun(): string | undefined {
    return configured(this.stack.name, this.args.workspace, "egress-bench:runId");
  }

  #stepsOf(runId: string, { plan, file }: Pick<StackRunArgs, "plan" | "file"> = this.args): RunSteps {
    const { serverAddress } = this.args;
    return new RunSteps({ plan: withSeed(plan.plan, runId), file, serverAddress });
  }

  #follow(event: EngineEvent): void {
    const { progress } = this.args;
    const started = event.resourcePreEvent?.metadata.urn;
    const step = started === undefined ? null : this.#steps.begin(resourceName(started));
    if (step !== null) {
      progress.step(step.text, step.expected);
    }
    const metadata = event.resOutputsEvent?.metadata;
    const report = metadata?.new?.outputs?.stdout;
    if (metadata !== undefined && typeof report === "string") {
      const line = this.#steps.end(resourceName(metadata.urn), report);
      if (line !== null) {
        progress.line(line);
      }
    }
  }

  /** Results of a broken run from the state, including those of an earlier process. */
  async #salvage(why: string): Promise<Measured> {
    const deployed = await this.#deployed().catch(() => null);
    for (const [resource, report] of deployed?.reports(this.#runId) ?? []) {
      this.#steps.end(resource, report);
    }
    if (this.#steps.isEmpty) {
      throw new Error(why);
    }
    return {
      results: this.#steps.results(this.stack.name, this.#runId, why),
      brokenOff: this.#steps.ended(why),
    };
  }
}

/**
 * Opens a stack that no other command uses, and removes the locks of killed engines.
 *
 * @param mustExist See {@link openStack}.
 */
export async function openFree({ file, workspace }: StackRunArgs, mustExist = false): Promise<OpenedStack> {
  const isLocked = hasDeadLock(backendUrl(workspace), PROJECT, file.name);
  const opened = await openStack(file.name, workspace, mustExist);
  if (isLocked) {
    await opened.stack.cancel();
  }
  return opened;
}

/** Whether the person has interrupted since now: an operation interrupted before may fail for another reason. */
function interruptedSince(interrupt: AbortSignal | undefined): () => boolean {
  const isFree = interrupt?.aborted === false;
  let isAgain = false;
  interrupt?.addEventListener(
    "again",
    () => {
      isAgain = true;
    },
    { once: true },
  );
  return () => isAgain || (isFree && interrupt.aborted);
}

/** Pulumi gets a terminal's Ctrl-C itself, and a second signal would keep it from ending in order. */
function untilInterrupt(interrupt: AbortSignal | undefined): { signal?: AbortSignal } {
  if (interrupt === undefined) {
    return {};
  }
  const ours = new AbortController();
  interrupt.addEventListener("abort", () => isFromTerminal(interrupt) || ours.abort(), { once: true });
  interrupt.addEventListener("again", () => ours.abort(), { once: true });
  return { signal: ours.signal };
}
