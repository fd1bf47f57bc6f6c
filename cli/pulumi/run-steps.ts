/**
 * The measurements of a run: the resource of each, their progress lines, and the partial results of a run that
 * breaks off.
 */
import {
  assembleResults,
  type Case,
  type CaseRun,
  caseResult,
  describeCase,
  type Plan,
  type Results,
  readRunReport,
  toolOf,
} from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import { isSettledText } from "../../components/benchmark/case-resource.ts";
import { casesOf, type InventoryCase } from "../../stacks/inventory.ts";
import type { Expected } from "../terminal/progress-board.ts";
import type { StackFile } from "./stack-file.ts";

export interface RunStepsArgs {
  /** Includes the seed of the run. */
  readonly plan: Plan;
  readonly file: Pick<StackFile, "cloud" | "topologies">;
  /** Server's address as shown in commands if the real one is unknown. */
  readonly serverAddress: string;
}

/** Seconds of a case besides its tool: path proof, sampling, SSH. */
const CASE_OVERHEAD_SECONDS = 1.5;

export function caseSeconds(benchCase: Case): number {
  return toolOf(benchCase).expectedSeconds(benchCase) + CASE_OVERHEAD_SECONDS;
}

/** The steps of a run and its progress, from the engine's events. */
export class RunSteps {
  readonly #args: RunStepsArgs;
  readonly #steps: readonly InventoryCase[];
  readonly #byResource: ReadonlyMap<string, InventoryCase>;
  /** A case with pairs begins with its first pair and ends with its last. */
  readonly #begun = new Set<InventoryCase>();
  /** stdout of finished cases by resource. */
  readonly #reports = new Map<string, string>();

  constructor(args: RunStepsArgs) {
    this.#args = args;
    this.#steps = casesOf(args.plan, args.file.topologies);
    this.#byResource = new Map(
      this.#steps.flatMap((step) => step.pairs.map(({ resource }) => [resource, step])),
    );
  }

  get length(): number {
    return this.#steps.length;
  }

  get isEmpty(): boolean {
    return this.#reports.size === 0;
  }

  /** Number of measurements that these resources' reports complete. */
  count(reports: ReadonlyMap<string, string>): number {
    return this.#steps.filter(({ pairs }) => pairs.every(({ resource }) => reports.has(resource))).length;
  }

  /** Handles the start of a resource. @returns the progress text of a measurement that begins with it */
  begin(resource: string): { readonly text: string; readonly expected: Expected } | null {
    const step = this.#byResource.get(resource);
    if (step === undefined || this.#begun.has(step)) {
      return null;
    }
    this.#begun.add(step);
    return { text: this.#nameOf(step), expected: this.#expected(step) };
  }

  /** Handles the end of a resource with this output. @returns the progress text of a measurement that ends with it */
  end(resource: string, report: string): string | null {
    const step = this.#byResource.get(resource);
    if (step === undefined) {
      return null;
    }
    this.#reports.set(resource, report);
    if (!step.pairs.every((one) => this.#reports.has(one.resource))) {
      return null;
    }
    const outcome = isSettledText(report)
      ? "not needed: the repetitions before it are precise enough"
      : describeCase(
          caseResult(this.#caseRun(step), { sharedCpus: cloudRecords[this.#args.file.cloud].isLab }),
        );
    return `${this.#nameOf(step)}  ${outcome}`;
  }

  /** How a run broke off, and how much it measured. @param why The reason */
  ended(why: string): string {
    return `ended with ${this.count(this.#reports)} of ${this.length} measured: ${why}`;
  }

  /** Results of a run that broke off. @param why The reason */
  results(stack: string, runId: string, why: string): Results {
    const { file, plan } = this.#args;
    return assembleResults({
      stack,
      cloud: file.cloud as Results["cloud"],
      runId,
      plan,
      notes: [`The run ${this.ended(why)}`],
      server: null,
      topologies: file.topologies.map(({ name, topology }) => ({
        name,
        topology,
        expectedSourceIps: topologyNamed(topology)?.unknownAddress ? [] : null,
        hosts: [],
      })),
      runs: this.#steps
        .filter(({ pairs }) => !isSettledText(this.#reports.get(pairs[0]?.resource ?? "") ?? ""))
        .map((step) => this.#caseRun(step)),
    });
  }

  #nameOf(step: InventoryCase): string {
    const { plan } = this.#args;
    const position = `[${this.#steps.indexOf(step) + 1}/${this.#steps.length}]`;
    const round = plan.repeat.most > 1 ? ` (${step.repetition} of ${plan.repeat.most})` : "";
    return `${position} ${step.topology}  ${step.case.id}${round}`;
  }

  #expected(step: InventoryCase): Expected {
    const later = this.#steps.slice(this.#steps.indexOf(step) + 1);
    const { pauseSeconds } = this.#args.plan;
    return {
      seconds: pauseSeconds + caseSeconds(step.case),
      afterSeconds: later.reduce((sum, one) => sum + pauseSeconds + caseSeconds(one.case), 0),
    };
  }

  #caseRun({ pairs, topology, case: benchCase }: InventoryCase): CaseRun {
    return {
      topology,
      case: benchCase,
      command: toolOf(benchCase).command(benchCase, this.#args.serverAddress),
      pairs: pairs.map(({ resource, client, server }) => {
        const report = this.#reports.get(resource);
        return { client, server, report: report === undefined ? null : readRunReport(report) };
      }),
    };
  }
}
