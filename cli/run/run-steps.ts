/**
 * The measurements of a run: which resource makes which, what is shown of each, and what they come to when the run
 * breaks off.
 */

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
  topologyNamed,
} from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { caseResourceName, isSettledText } from "../../components/benchmark/case-resource.ts";
import { clientName, serverName } from "../../components/shared/host-names.ts";
import type { Expected } from "../terminal/progress.ts";
import type { StackFile } from "./stack-file.ts";

/** One measurement, with the names of the resources that make it. */
interface Step extends PlannedRun {
  /** One resource name per pair. */
  readonly resources: readonly string[];
}

/** Arguments of `RunSteps`. */
export interface RunStepsArgs {
  /** With the seed of the run. */
  readonly plan: Plan;
  readonly file: Pick<StackFile, "cloud" | "topologies">;
  /** Server's address as commands show it where the real one is not known. */
  readonly serverAddress: string;
}

/** Seconds of a case beside its tool: path proof, sampling, SSH. */
const CASE_OVERHEAD_SECONDS = 1.5;

/** Seconds that a case takes when all goes well. */
export function caseSeconds(benchCase: Case): number {
  return toolOf(benchCase).expectedSeconds(benchCase) + CASE_OVERHEAD_SECONDS;
}

/** The steps of a run, and how far it is: from the engine's events. */
export class RunSteps {
  readonly #args: RunStepsArgs;
  readonly #steps: readonly Step[];
  readonly #byResource: ReadonlyMap<string, Step>;
  /** A case with pairs begins with its first pair and ends with its last. */
  readonly #begun = new Set<Step>();
  /** stdout of finished cases by resource. */
  readonly #reports = new Map<string, string>();

  constructor(args: RunStepsArgs) {
    this.#args = args;
    const names = args.file.topologies.map(({ name }) => name);
    this.#steps = orderCases(args.plan, names).map((planned) => ({
      ...planned,
      resources: Array.from({ length: pairsOf(planned.case) }, (_, pair) =>
        caseResourceName(planned.topology, planned.case.id, planned.repetition, pair),
      ),
    }));
    this.#byResource = new Map(
      this.#steps.flatMap((step) => step.resources.map((resource) => [resource, step])),
    );
  }

  get length(): number {
    return this.#steps.length;
  }

  /** Whether nothing has been measured yet. */
  get isEmpty(): boolean {
    return this.#reports.size === 0;
  }

  /** How many of the measurements these resources' reports complete. */
  count(reports: ReadonlyMap<string, string>): number {
    return this.#steps.filter(({ resources }) => resources.every((one) => reports.has(one))).length;
  }

  /** A resource begins. @returns what to show of a measurement that begins with it */
  begin(resource: string): { readonly text: string; readonly expected: Expected } | null {
    const step = this.#byResource.get(resource);
    if (step === undefined || this.#begun.has(step)) {
      return null;
    }
    this.#begun.add(step);
    return { text: this.#nameOf(step), expected: this.#expected(step) };
  }

  /** A resource has ended with this output. @returns what to show of a measurement that ends with it */
  end(resource: string, report: string): string | null {
    const step = this.#byResource.get(resource);
    if (step === undefined) {
      return null;
    }
    this.#reports.set(resource, report);
    if (!step.resources.every((one) => this.#reports.has(one))) {
      return null;
    }
    const outcome = isSettledText(report)
      ? "not needed: those before are narrow enough"
      : describeCase(
          caseResult(this.#caseRun(step), { sharedCpus: cloudRecords[this.#args.file.cloud].isLab }),
        );
    return `${this.#nameOf(step)}  ${outcome}`;
  }

  /** Results of a run that broke off. @param why What ended it. */
  results(stack: string, runId: string, why: string): Results {
    const { file, plan } = this.#args;
    return assembleResults({
      stack,
      cloud: file.cloud as Results["cloud"],
      runId,
      plan,
      notes: [`The run ended before all was measured: ${why}`],
      server: null,
      topologies: file.topologies.map(({ name, topology }) => ({
        name,
        topology,
        // Nobody knows the addresses of default outbound access, not even the hosts.
        expectedSourceIps: topology === "default-snat" ? [] : null,
        hosts: [],
      })),
      runs: this.#steps
        .filter(({ resources }) => !isSettledText(this.#reports.get(resources[0] ?? "") ?? ""))
        .map((step) => this.#caseRun(step)),
    });
  }

  #nameOf(step: Step): string {
    const { plan } = this.#args;
    const position = `[${this.#steps.indexOf(step) + 1}/${this.#steps.length}]`;
    const round = plan.repeat.most > 1 ? ` (${step.repetition} of ${plan.repeat.most})` : "";
    return `${position} ${step.topology}  ${step.case.id}${round}`;
  }

  #expected(step: Step): Expected {
    const later = this.#steps.slice(this.#steps.indexOf(step) + 1);
    const { pauseSeconds } = this.#args.plan;
    return {
      seconds: pauseSeconds + caseSeconds(step.case),
      afterSeconds: later.reduce((sum, one) => sum + pauseSeconds + caseSeconds(one.case), 0),
    };
  }

  /** @param path Name of one of the stack's paths. */
  #hasOwnServer(path: string): boolean {
    const kind = this.#args.file.topologies.find(({ name }) => name === path)?.topology ?? path;
    return topologyNamed(kind)?.ownServer ?? false;
  }

  #caseRun({ resources, topology, case: benchCase }: Step): CaseRun {
    const pairs = resources.map((resource, index) => {
      const report = this.#reports.get(resource);
      return {
        client: clientName(topology, index + 1),
        server: serverName(this.#hasOwnServer(topology) ? topology : undefined, index + 1),
        report: report === undefined ? null : readRunReport(report),
      };
    });
    return {
      topology,
      case: benchCase,
      command: toolOf(benchCase).command(benchCase, this.#args.serverAddress),
      pairs,
    };
  }
}
