/**
 * One run of a local stack from up to down, through the Automation API.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { parse } from "yaml";
import {
  assembleResults,
  type Case,
  type CaseRun,
  caseResult,
  describeCase,
  orderCases,
  type Plan,
  pairsOf,
  parsePlan,
  quote,
  type Results,
  readRunReport,
  toolOf,
} from "../bench/index.ts";
import { caseResourceName } from "../components/benchmark-run.ts";
import { numbered, SERVER_ADDRESS } from "../components/local/addresses.ts";
import { asRoot } from "../components/local/lab/machine.ts";
import type { Progress } from "./progress.ts";
import { forgetStack, inCheckout, openStack } from "./workspace.ts";

/** One measurement to come, with the names of the resources that make it, one a pair. */
interface Step {
  readonly resources: readonly string[];
  readonly topology: string;
  readonly case: Case;
}

/** What the run needs to know of the stack file. */
interface StackFile {
  readonly plan: unknown;
  readonly topologies: readonly { readonly name: string; readonly topology: string }[];
}

/** What a person asks for in place of the stack file's plan. */
interface PlanChoice {
  readonly preset: string | undefined;
  readonly durationSeconds: string | undefined;
}

const UNFINISHED = "The run ended before all was measured; what was measured is below.";

export class LabRun {
  readonly #stack: Stack;
  readonly #plan: Plan;
  readonly #file: StackFile;
  readonly #steps: readonly Step[];
  readonly #progress: Progress;
  readonly #runId = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  /** stdout of finished cases by resource: nothing measured is lost when the run breaks. */
  readonly #reports = new Map<string, string>();
  /** Of a case with pairs the first to start tells, the last to end. */
  readonly #told = new Set<Step>();

  private constructor(stack: Stack, plan: Plan, file: StackFile, progress: Progress) {
    this.#stack = stack;
    this.#plan = plan;
    this.#file = file;
    this.#progress = progress;
    const names = file.topologies.map(({ name }) => name);
    this.#steps = orderCases(plan, names).map(({ topology, case: benchCase }) => ({
      resources: Array.from({ length: pairsOf(benchCase) }, (_, pair) =>
        caseResourceName(topology, benchCase.id, pair),
      ),
      topology,
      case: benchCase,
    }));
  }

  /** Opens the stack, free of what an earlier run may have left. */
  static async open(name: string, choice: PlanChoice, progress: Progress): Promise<LabRun> {
    const file = readStackFile(name);
    const plan = choosePlan(file.plan, choice);
    const parsed = parsePlan(plan);
    const stack = await openStack(name);
    const run = new LabRun(stack, parsed, file, progress);
    if (await isUsed(stack)) {
      await run.takeDown();
      return LabRun.open(name, choice, progress);
    }
    await stack.setConfig("egress-bench:runId", { value: run.#runId });
    await stack.setConfig("egress-bench:plan", {
      value: typeof plan === "string" ? plan : JSON.stringify(plan),
    });
    return run;
  }

  /** Deploys and measures. @throws {Error} when nothing at all was measured */
  async measure(interrupt: AbortSignal): Promise<Results> {
    // A terminal's Ctrl-C reaches Pulumi by itself, and a second one would not let it end in order.
    const signal = process.stdin.isTTY ? {} : { signal: interrupt };
    this.#progress.step(`Deploying ${this.#stack.name}`);
    let outputs: Awaited<ReturnType<Stack["up"]>>["outputs"];
    try {
      ({ outputs } = await this.#stack.up({
        onEvent: (event) => this.#follow(event),
        color: "never",
        ...signal,
      }));
    } catch (error) {
      this.#progress.stop();
      if (this.#reports.size === 0) {
        throw new Error(whatFailed(error as Error));
      }
      this.#progress.line(`${UNFINISHED} ${whatFailed(error as Error)}`);
      return this.#salvage(whatFailed(error as Error));
    }
    this.#progress.stop();
    return outputs.results?.value as Results;
  }

  /** Takes the lab down and forgets it, also when its state is broken. */
  async takeDown(): Promise<void> {
    this.#progress.step("Taking the lab down");
    try {
      // A run that was killed may have left its lock.
      await this.#stack.cancel().catch(() => undefined);
      await this.#stack.destroy({ color: "never" });
    } finally {
      this.#sweep();
      await forgetStack(this.#stack);
      this.#progress.stop();
    }
  }

  /** Ends hosts that no state tells of. */
  #sweep(): void {
    const program = asRoot(`${quote(process.execPath)} ${quote(inCheckout("components/local/lab/main.ts"))}`);
    const spec = quote(JSON.stringify({ stack: this.#stack.name }));
    const swept = spawnSync("sh", ["-c", `${program} lab-down ${spec}`], { encoding: "utf8" });
    if (swept.status !== 0) {
      this.#progress.line(`Could not end what is left of the lab: ${swept.stderr.trim()}`);
    }
  }

  #follow(event: EngineEvent): void {
    const started = this.#stepOf(event.resourcePreEvent?.metadata.urn);
    if (started !== undefined && !this.#told.has(started)) {
      this.#told.add(started);
      this.#progress.step(`${this.#position(started)} ${started.topology}  ${started.case.id}`);
    }
    const metadata = event.resOutputsEvent?.metadata;
    const finished = this.#stepOf(metadata?.urn);
    const report = metadata?.new?.outputs?.stdout;
    if (finished === undefined || typeof report !== "string") {
      return;
    }
    this.#reports.set(resourceOf(metadata?.urn), report);
    if (finished.resources.every((resource) => this.#reports.has(resource))) {
      const told = describeCase(caseResult(this.#caseRun(finished)));
      this.#progress.line(`${this.#position(finished)} ${finished.topology}  ${finished.case.id}  ${told}`);
    }
  }

  #stepOf(urn: string | undefined): Step | undefined {
    return this.#steps.find(({ resources }) => resources.includes(resourceOf(urn)));
  }

  #position(step: Step): string {
    return `[${this.#steps.indexOf(step) + 1}/${this.#steps.length}]`;
  }

  #salvage(why: string): Results {
    return assembleResults({
      stack: this.#stack.name,
      cloud: "local",
      runId: this.#runId,
      plan: this.#plan,
      notes: [`${UNFINISHED} ${why}`],
      server: null,
      topologies: this.#file.topologies.map((one) => ({ ...one, expectedSourceIps: [], hosts: [] })),
      runs: this.#steps.map((step) => this.#caseRun(step)),
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
      command: toolOf(benchCase).command(benchCase, SERVER_ADDRESS),
      report: pairs[0]?.report ?? null,
      pairs: pairs.length > 1 ? pairs : undefined,
    };
  }
}

/** Name of a remote command's resource; empty for any other. */
function resourceOf(urn: string | undefined): string {
  return /Command::(.+)$/.exec(urn ?? "")?.[1] ?? "";
}

function choosePlan(own: unknown, { preset, durationSeconds }: PlanChoice): unknown {
  const base = preset ?? own;
  if (durationSeconds === undefined) {
    return base;
  }
  return { ...(typeof base === "string" ? { preset: base } : (base as object)), durationSeconds };
}

/** Whether an earlier run left resources in the stack's state. */
async function isUsed(stack: Stack): Promise<boolean> {
  const { deployment } = await stack.exportStack();
  return (deployment?.resources ?? []).length > 0;
}

function readStackFile(name: string): StackFile {
  const path = inCheckout(`stacks/Pulumi.${name}.yaml`);
  if (!existsSync(path)) {
    throw new Error(`--stack: there is no stacks/Pulumi.${name}.yaml`);
  }
  const { config } = parse(readFileSync(path, "utf8"));
  const topologies = config["egress-bench:topologies"] as (string | { topology: string; name?: string })[];
  return {
    plan: config["egress-bench:plan"],
    topologies: topologies
      .map((entry) => (typeof entry === "string" ? { topology: entry } : entry))
      .map((entry) => ({
        topology: entry.topology,
        name: ("name" in entry && entry.name) || entry.topology,
      })),
  };
}

/** The engine's own words out of a failed update's whole output: its diagnostics. */
function whatFailed(error: Error): string {
  const diagnostics = /Diagnostics:\n([\s\S]*?)(?:\n(?:Outputs|Resources|Duration):|$)/.exec(
    error.message,
  )?.[1];
  const lines = (diagnostics ?? error.message).split("\n").map((line) => line.trim());
  return lines.filter(Boolean).slice(0, 12).join("\n  ");
}
