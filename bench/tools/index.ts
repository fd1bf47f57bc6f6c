/** The entry point of the tools. */
import { z } from "zod";
import { hasAnswer } from "../figures/index.ts";
import type { FailureKind } from "../results/failover.ts";
import type { Role } from "../results/hosts.ts";
import type { Measurement } from "../results/measurement.ts";
import { impossibleFigure } from "../results/plausible.ts";
import * as registry from "./registry.ts";
import { type ParseContext, type Parsed, type Service, type Tool, ToolFailure } from "./tool.ts";
import { underLoad } from "./under-load/index.ts";

type Registry = typeof registry;
/** A fully decided case of any tool. */
export type Case = { [T in keyof Registry]: Parameters<Registry[T]["command"]>[0] }[keyof Registry];

export const tools: Readonly<Record<string, Tool>> = registry;

/** A case of any tool, with all fields present. */
export const caseSchema = z.discriminatedUnion(
  "tool",
  Object.values(tools).map((tool) => tool.caseSchema) as [z.ZodObject, ...z.ZodObject[]],
) as unknown as z.ZodType<Case>;

/** The tool of that name; undefined if this version does not have it. */
export function toolNamed(name: string): Tool | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

/** The tool of a case, with the load that runs underneath. */
export function toolOf(benchCase: Case): Tool<Case> {
  const tool = tools[benchCase.tool] as Tool<Case>;
  return "load" in benchCase && benchCase.load != null ? underLoad(tool, benchCase.load) : tool;
}

/** Measurement of a case's tool. @throws {ToolFailure} also for impossible figures. */
export function parseOutput(stdout: string, context: ParseContext<Case>): Parsed {
  const parsed = toolOf(context.case).parse(stdout, context);
  const seconds = toolOf(context.case).expectedSeconds(context.case) + LONGEST_TIMEOUT;
  const problem = impossibleFigure(parsed.measurement, seconds);
  if (problem !== null) {
    throw new ToolFailure(
      "bad-output",
      `it printed impossible figures: ${problem.path.join(".")} is ${problem.figure}; expected ${problem.expected}`,
    );
  }
  if (!hasAnswer(parsed.measurement, toolOf(context.case).question)) {
    throw new ToolFailure("bad-output", "it printed none of the figures that the case measures");
  }
  return { ...parsed, measurement: withKnownPercentiles(parsed.measurement) };
}

/** Seconds that a tool may wait for an answer behind its test. */
const LONGEST_TIMEOUT = 10;

/** Samples that a percentile needs; with fewer it would only be the largest sample. */
export const samplesNeeded = { p90: 10, p99: 100, p999: 1000 } as const;

function withKnownPercentiles(measurement: Measurement): Measurement {
  const { latencyUs } = measurement;
  const samples = latencyUs?.samples;
  if (latencyUs === null || samples == null) {
    return measurement;
  }
  const known = (name: keyof typeof samplesNeeded) =>
    samples < samplesNeeded[name] ? null : latencyUs[name];
  return {
    ...measurement,
    latencyUs: { ...latencyUs, p90: known("p90"), p99: known("p99"), p999: known("p999") },
  };
}

/**
 * Servers that an end of a benchmark keeps running for a plan's cases.
 *
 * @param ports Replacements of the tools' port numbers by name, for several hosts on one machine.
 */
export function servicesOf(
  cases: readonly Case[],
  end: Role,
  ports: Readonly<Record<string, number>> = {},
): Service[] {
  return Object.values(tools)
    .filter((tool) => tool.isServedOnDemand !== true || cases.some((one) => one.tool === tool.name))
    .flatMap((tool) => tool.services(ports))
    .filter(({ ends }) => ends.some((one) => one === end));
}

/** Packages that every client and server installs at boot. */
export const bootPackages: readonly string[] = Object.values(tools)
  .filter(({ isPreinstalled }) => isPreinstalled === true)
  .flatMap(({ packages = [] }) => packages);

export const toolPackages: readonly string[] = Object.values(tools).flatMap(({ packages = [] }) => packages);

/** Packages that a plan's cases need on an end in addition, each once. */
export function extraPackagesOf(cases: readonly Case[], end: Role): string[] {
  const wanted = cases
    .map(toolOf)
    .flatMap(({ packages = [], endPackages = {} }) => [
      ...packages,
      ...(end === "client" || end === "server" ? (endPackages[end] ?? []) : []),
    ]);
  return [...new Set(wanted)].filter((name) => !bootPackages.includes(name)).sort();
}

/** Go modules of programs that an end needs for a plan's cases and no package provides. */
export function buildsOf(cases: readonly Case[], end: Role): Record<string, string> {
  return end === "client" ? Object.assign({}, ...cases.map((one) => toolOf(one).clientBuilds ?? {})) : {};
}

/** Failures of NAT instances that cases have provoked, each once. */
export function failuresOf(cases: readonly Case[]): FailureKind[] {
  return [...new Set(cases.flatMap((one) => toolOf(one).provokes?.(one) ?? []))];
}

/** Commands that print the versions of a host's tools, by name of tool. */
export function versionCommands(): Record<string, readonly string[]> {
  const commands = Object.values(tools).map(({ name, versionCommand }) => [name, versionCommand] as const);
  return Object.fromEntries(
    commands.flatMap(([name, words]) => (words === undefined ? [] : [[name, words]])),
  );
}

/** The direction of a case's main traffic: a probe's load, if it has one. */
export function directionOf(benchCase: Case): Case["direction"] {
  return toolOf(benchCase).traffic(benchCase)?.direction ?? benchCase.direction;
}

/** Ports of the server whose services are started anew before a case. */
export function renewedPorts(benchCase: Case): number[] {
  const { needsNewServices, ports } = toolOf(benchCase);
  return needsNewServices === true ? Object.values(ports).map(({ first }) => first) : [];
}

/** Whether the server runs a case's command, connecting to the client. */
export function isReversed(benchCase: Case): boolean {
  return benchCase.direction === "ingress" && toolOf(benchCase).senderConnects === true;
}

/** Executables that the hosts of a plan need, each once. */
export function executablesOf(cases: readonly Case[]): string[] {
  return [...new Set(cases.flatMap((one) => toolOf(one).executables))];
}

/**
 * Seconds after which a case's command is killed: its expected duration, a tenth more, and 15 s for slow connections.
 */
export function timeoutSeconds(benchCase: Case): number {
  return Math.ceil(toolOf(benchCase).expectedSeconds(benchCase) * 1.1 + 15);
}
