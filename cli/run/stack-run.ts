/**
 * One run of a stack from up to down, through the Automation API.
 *
 * @module
 */
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import {
  assembleResults,
  type Case,
  type CaseRun,
  caseResult,
  describeCase,
  orderCases,
  type Plan,
  type PlannedRun,
  pairsOf,
  type Results,
  readRunReport,
  toolOf,
  withSeed,
} from "../../bench/index.ts";
import { caseResourceName, isSettledText } from "../../components/benchmark/case-output.ts";
import { numbered } from "../../components/local/addresses.ts";
import type { Expected, Reporter } from "../terminal/progress.ts";
import type { StackFile } from "./stack-file.ts";
import { forgetStack, openStack, type Place, refreshConfig } from "./workspace.ts";

/** One measurement to come, with the names of the resources that make it. */
interface Step extends PlannedRun {
  /** One a pair. */
  readonly resources: readonly string[];
}

export interface StackRunArgs {
  readonly file: StackFile;
  readonly place: Place;
  readonly progress: Reporter;
  /** The plan, as configuration has it and as it runs. */
  readonly plan: { readonly input: unknown; readonly plan: Plan };
  /** Server's address as commands show it that were not told the real one. */
  readonly serverAddress: string;
}

const UNFINISHED = "The run ended before all was measured; what was measured is below.";

/** Seconds of a case beside its tool: path proof, sampling, SSH. */
const CASE_OVERHEAD_SECONDS = 1.5;

/** Seconds that a case takes when all goes well. */
export function caseSeconds(benchCase: Case): number {
  return toolOf(benchCase).expectedSeconds(benchCase) + CASE_OVERHEAD_SECONDS;
}

/** The time of a new run: what it measures is measured afresh. */
export function newRunId(): string {
  return new Date().toISOString().replace(/\D/g, "").slice(0, 14);
}

export class StackRun {
  readonly stack: Stack;
  protected readonly args: StackRunArgs;
  #runId = newRunId();
  /** With the seed that this run's id makes. */
  #plan: Plan;
  #steps: readonly Step[];
  /** Of a case with pairs the first to start tells, the last to end. */
  readonly #begun = new Set<Step>();
  /** stdout of finished cases by resource: nothing measured is lost when the run breaks. */
  readonly #reports = new Map<string, string>();

  constructor(stack: Stack, args: StackRunArgs) {
    this.stack = stack;
    this.args = args;
    this.#plan = withSeed(args.plan.plan, this.#runId);
    this.#steps = stepsOf(this.#plan, args.file);
  }

  /** Opens the stack, which may hold what an earlier run left. */
  static async open(args: StackRunArgs): Promise<StackRun> {
    return new StackRun(await openStack(args.file.name, args.place), args);
  }

  /** Has the next {@link measure} measure everything afresh. */
  async startAfresh(): Promise<void> {
    refreshConfig(this.stack.name, this.args.place);
    const { input } = this.args.plan;
    await this.stack.setConfig("egress-bench:runId", { value: this.#runId });
    await this.stack.setConfig("egress-bench:plan", {
      value: typeof input === "string" ? input : JSON.stringify(input),
    });
  }

  /** Has the next {@link measure} go on with what an earlier run left. @throws {Error} when it left nothing */
  async resume(): Promise<void> {
    const { value } = await this.stack.getConfig("egress-bench:runId").catch(() => ({ value: undefined }));
    if (value === undefined || !(await this.isUsed())) {
      throw new Error(`stack ${this.stack.name}: nothing of it is deployed; leave out --resume`);
    }
    this.#runId = value;
    this.#plan = withSeed(this.args.plan.plan, value);
    this.#steps = stepsOf(this.#plan, this.args.file);
  }

  /** Deploys and measures. @throws {Error} when nothing at all was measured */
  async measure(interrupt: AbortSignal): Promise<Results> {
    const { progress } = this.args;
    interrupt.throwIfAborted();
    progress.step(`Deploying ${this.stack.name}`);
    let outputs: Awaited<ReturnType<Stack["up"]>>["outputs"];
    try {
      ({ outputs } = await this.stack.up({
        onEvent: (event) => this.#follow(event),
        color: "never",
        ...untilInterrupt(interrupt),
      }));
    } catch (error) {
      progress.stop();
      if (this.#reports.size === 0) {
        throw new Error(whatFailed(error as Error));
      }
      progress.line(`${UNFINISHED} ${whatFailed(error as Error)}`);
      return this.#salvage(whatFailed(error as Error));
    }
    progress.stop();
    return outputs.results?.value as Results;
  }

  /** Destroys what is deployed and forgets the stack. */
  async takeDown(interrupt?: AbortSignal): Promise<void> {
    this.args.progress.step(`Destroying ${this.stack.name}`);
    try {
      await this.stack.destroy({ color: "never", ...untilInterrupt(interrupt) });
      await forgetStack(this.stack, this.args.place);
    } catch (error) {
      throw new Error(whatFailed(error as Error));
    } finally {
      this.args.progress.stop();
    }
  }

  /** Whether an earlier run left resources in the stack's state. */
  async isUsed(): Promise<boolean> {
    const { deployment } = await this.stack.exportStack();
    return (deployment?.resources ?? []).length > 0;
  }

  #follow(event: EngineEvent): void {
    const { progress } = this.args;
    const started = this.#stepOf(event.resourcePreEvent?.metadata.urn);
    if (started !== undefined && !this.#begun.has(started)) {
      this.#begun.add(started);
      progress.step(this.#nameOf(started), this.#expected(started));
    }
    const metadata = event.resOutputsEvent?.metadata;
    const finished = this.#stepOf(metadata?.urn);
    const report = metadata?.new?.outputs?.stdout;
    if (finished === undefined || typeof report !== "string") {
      return;
    }
    this.#reports.set(resourceOf(metadata?.urn), report);
    if (finished.resources.every((resource) => this.#reports.has(resource))) {
      const told = isSettledText(report)
        ? "not needed: converged"
        : describeCase(caseResult(this.#caseRun(finished), { sharedCpus: this.args.file.cloud === "local" }));
      progress.line(`${this.#nameOf(finished)}  ${told}`);
    }
  }

  #stepOf(urn: string | undefined): Step | undefined {
    return this.#steps.find(({ resources }) => resources.includes(resourceOf(urn)));
  }

  #nameOf(step: Step): string {
    const position = `[${this.#steps.indexOf(step) + 1}/${this.#steps.length}]`;
    const round = this.#plan.repeat.most > 1 ? ` (${step.repetition} of ${this.#plan.repeat.most})` : "";
    return `${position} ${step.topology}  ${step.case.id}${round}`;
  }

  #expected(step: Step): Expected {
    const later = this.#steps.slice(this.#steps.indexOf(step) + 1);
    const { pauseSeconds } = this.#plan;
    return {
      seconds: pauseSeconds + caseSeconds(step.case),
      afterSeconds: later.reduce((sum, one) => sum + pauseSeconds + caseSeconds(one.case), 0),
    };
  }

  #salvage(why: string): Results {
    const { file } = this.args;
    return assembleResults({
      stack: this.stack.name,
      cloud: file.cloud as Results["cloud"],
      runId: this.#runId,
      plan: this.#plan,
      notes: [`${UNFINISHED} ${why}`],
      server: null,
      topologies: file.topologies.map(({ name, topology }) => ({
        name,
        topology,
        expectedSourceIps: [],
        hosts: [],
      })),
      runs: this.#steps
        .filter(({ resources }) => !isSettledText(this.#reports.get(resources[0] ?? "") ?? ""))
        .map((step) => this.#caseRun(step)),
    });
  }

  #caseRun({ resources, topology, case: benchCase }: Step): CaseRun {
    const pairs = resources.map((resource, index) => {
      const report = this.#reports.get(resource);
      return {
        client: numbered(`${topology}-client`, index + 1),
        server: numbered("server", index + 1),
        report: report === undefined ? null : readRunReport(report),
      };
    });
    return {
      topology,
      case: benchCase,
      command: toolOf(benchCase).command(benchCase, this.args.serverAddress),
      report: pairs[0]?.report ?? null,
      pairs: pairs.length > 1 ? pairs : undefined,
    };
  }
}

/** Name of a remote command's resource; empty for any other. */
function resourceOf(urn: string | undefined): string {
  return /Command::(.+)$/.exec(urn ?? "")?.[1] ?? "";
}

function stepsOf(plan: Plan, file: StackFile): Step[] {
  const names = file.topologies.map(({ name }) => name);
  return orderCases(plan, names).map((planned) => ({
    ...planned,
    resources: Array.from({ length: pairsOf(planned.case) }, (_, pair) =>
      caseResourceName(planned.topology, planned.case.id, planned.repetition, pair),
    ),
  }));
}

/** A terminal's Ctrl-C reaches Pulumi by itself, and a second one would not let it end in order. */
function untilInterrupt(interrupt: AbortSignal | undefined): { signal?: AbortSignal } {
  return interrupt === undefined || process.stdin.isTTY ? {} : { signal: interrupt };
}

/** The engine's own words out of a failed update's whole output: its diagnostics. */
function whatFailed(error: Error): string {
  const diagnostics = /Diagnostics:\n([\s\S]*?)(?:\n(?:Outputs|Resources|Duration):|$)/.exec(
    error.message,
  )?.[1];
  const lines = (diagnostics ?? error.message).split("\n").map((line) => line.trim());
  return lines.filter(Boolean).slice(0, 12).join("\n  ");
}
