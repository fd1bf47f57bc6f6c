/** Reads the parts of a stack's file that the commands need before the engine. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { type CloudName, cloudNames, type Plan, PlanError, parsePlan } from "../../bench/index.ts";
import { hintOf } from "../../bench/nearest.ts";
import { bearable } from "../../stacks/hosts/settings.ts";
import type { TopologyEntry } from "../../stacks/inventory.ts";
import { readPlanFile } from "../../stacks/plan-file.ts";
import { readyMade, stackFileOf } from "./workspace.ts";

/** A stack file, checked only as far as the commands need. */
export interface StackFile {
  readonly name: string;
  readonly cloud: CloudName;
  /** Region of AWS's provider. Undefined: another cloud, or the environment's own. */
  readonly region?: string | undefined;
  /** As written: a preset's name or a plan in full. */
  readonly plan: unknown;
  /** Options as written; the engine checks them. */
  readonly topologies: readonly TopologyEntry[];
  /** The section of the stack's own cloud, as written. */
  readonly settings: unknown;
  /** Clients per topology, each with its own server. */
  readonly pairs: number;
}

/** Options that replace parts of the stack file's plan: a preset's name or a file, seconds of each case, a factor. */
export type PlanChoice = Readonly<Partial<Record<"plan" | "duration" | "rate-scale", string | undefined>>>;

/** @param directory The stack file's directory, unless it is ready-made. @throws {Error} if it is missing or invalid */
export function readStackFile(name: string, directory = readyMade): StackFile {
  const path = stackFileOf(name, directory);
  if (!/^[\w.-]+$/.test(name) || !existsSync(path)) {
    const there = readdirSync(readyMade).flatMap((file) => /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1] ?? []);
    const hint = hintOf(name, there, "ls stacks/ lists all");
    throw new Error(`--stack: there is no stacks/Pulumi.${name}.yaml${hint}`);
  }
  const { config = {} } = parse(readFileSync(path, "utf8")) ?? {};
  try {
    return stackFileFrom(name, config);
  } catch (error) {
    throw new Error(`--stack: stacks/Pulumi.${name}.yaml: ${(error as Error).message}`);
  }
}

/** A stack file from a configuration. @throws {Error} naming the key */
export function stackFileFrom(name: string, config: Readonly<Record<string, unknown>>): StackFile {
  const named = String(config["egress-bench:cloud"]);
  const cloud = cloudNames.find((one) => one === named);
  if (cloud === undefined) {
    throw new Error(`egress-bench:cloud: expected one of ${cloudNames.join(", ")}, not ${named}`);
  }
  const entries: unknown = config["egress-bench:topologies"];
  if (!Array.isArray(entries)) {
    throw new Error("egress-bench:topologies: expected a list");
  }
  const region = config["aws:region"];
  return {
    name,
    cloud,
    region: region === undefined ? undefined : String(region),
    plan: structured(config["egress-bench:plan"] ?? "quick"),
    topologies: entries.map((entry) => {
      const { topology, name: own, ...options } = typeof entry === "string" ? { topology: entry } : entry;
      return { topology: String(topology), name: String(own ?? topology), options };
    }),
    settings: config[`egress-bench:${cloud}`] ?? {},
    pairs: Number(config["egress-bench:pairs"] ?? 1),
  };
}

/** Parses a structured value, which Pulumi keeps as text if a program set it. */
function structured(value: unknown): unknown {
  return typeof value === "string" && value.startsWith("{") ? JSON.parse(value) : value;
}

/** A plan, as configuration and as it will run. */
export type ChosenPlan = Readonly<Record<"input", unknown> & Record<"plan", Plan>>;

/** The chosen plan. @throws {PlanError} */
export function choosePlan(
  { plan: own, cloud, settings }: Pick<StackFile, "plan" | "cloud" | "settings">,
  { plan, duration, "rate-scale": rateScale }: PlanChoice,
): ChosenPlan {
  const base = planFileOf(plan ?? own, plan !== undefined);
  const changes = {
    ...(duration === undefined ? {} : { durationSeconds: duration }),
    ...(rateScale === undefined
      ? {}
      : { rateScale: Number.isNaN(Number(rateScale)) ? rateScale : Number(rateScale) }),
  };
  const input =
    Object.keys(changes).length === 0
      ? base
      : { ...(typeof base === "string" ? { preset: base } : (base as object)), ...changes };
  try {
    return { input, plan: bearable(parsePlan(input), { cloud, settings }) };
  } catch (error) {
    throw error instanceof PlanError ? named(asOptions(error.message, changes), plan !== undefined) : error;
  }
}

/** @throws {PlanError} naming an unreadable file */
function planFileOf(plan: unknown, byOption: boolean): unknown {
  try {
    return readPlanFile(plan, process.cwd());
  } catch (error) {
    throw named((error as Error).message, byOption);
  }
}

/** A plan's error, prefixed with the option that chose the plan. */
function named(message: string, byOption: boolean): PlanError {
  return new PlanError(
    byOption && !message.startsWith("--") ? `--plan: ${message.replace(/^preset: /, "")}` : message,
  );
}

/** A plan's error that names options instead of the plan's keys they set. */
function asOptions(message: string, changes: object): string {
  return Object.keys(changes).reduce(
    (text, key) => text.replace(new RegExp(`^${key}:`), `${optionOf[key]}:`),
    message,
  );
}

const optionOf: Readonly<Record<string, string>> = {
  durationSeconds: "--duration",
  rateScale: "--rate-scale",
};
