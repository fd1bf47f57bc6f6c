/** The configuration of a stack. Only this module reads Pulumi's configuration. */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkFits, cloudNames, MAX_PAIRS, type Plan, pairsOf, parsePlan, withSeed } from "../bench/index.ts";
import { validate } from "../bench/validate.ts";
import { isEverybody, parseCidr } from "../components/shared/cidr.ts";
import { tuningNames } from "../components/tuning/profiles.ts";
import type { Cloud } from "./cloud.ts";
import { bearable } from "./hosts/settings.ts";
import type { TopologyEntry } from "./inventory.ts";
import { readPlanFile } from "./plan-file.ts";

/** An undeployable configuration. The engine prints its message without a stack trace. */
export class ConfigError extends pulumi.RunError {}

const topologySchema = z.union([
  z.string().transform((topology) => ({ topology })),
  z.looseObject({
    topology: z.string().describe("Kind of topology."),
    name: z.string().optional().describe("Name of the entry, for results; the topology's unless given."),
  }),
]);

/** Namespace `egress-bench` of a stack's configuration. */
export const benchSchema = z.strictObject({
  cloud: z.enum(cloudNames).describe("The cloud that the stack is deployed to."),
  topologies: z
    .array(topologySchema)
    .min(1)
    .describe("Names, or `{topology, name, ...options}` to have one twice or with options, which are below."),
  plan: z.unknown().default("quick").describe("Name of a preset, a JSON or YAML file, or a plan in full."),
  pairs: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PAIRS)
    .default(1)
    .describe("Client-server pairs of each topology; cases with `pairs` need as many."),
  runId: z.coerce
    .string()
    .regex(/^[A-Za-z0-9._-]{1,40}$/)
    .default("1")
    .describe("Name of the run. A new name measures everything again."),
  tuning: z.enum(tuningNames).default("none").describe("Kernel settings of clients and servers."),
  azure: z.unknown().optional().describe("Settings of Azure, below."),
  aws: z.unknown().optional().describe("Settings of AWS, below."),
  local: z.unknown().optional().describe("Settings of the lab, below."),
  hosts: z.unknown().optional().describe("Settings of hosts that exist already, below."),
});

/** Namespace `ssh` of a stack's configuration. */
export const sshSettings = z.strictObject({
  allowedCidrs: z
    .union([z.string().transform((cidr) => [cidr]), z.array(z.string()).min(1)], {
      error: "expected a CIDR block, or a list of them",
    })
    .readonly()
    .optional()
    .describe("Address blocks that may reach SSH; looked up when not given."),
  allowAnywhere: z.stringbool().default(false).meta({
    description: "Allows blocks that cover half of all addresses or more, such as `0.0.0.0/0`.",
    allowed: "boolean",
    fallback: "`false`",
  }),
});

/** The configuration that `readStackConfig` passes to `deploy`. */
export interface StackConfig
  extends Readonly<Pick<z.infer<typeof benchSchema>, "cloud" | "runId" | "tuning" | "pairs">> {
  readonly stack: string;
  readonly topologies: readonly Record<string, unknown>[];
  readonly plan: Plan;
  /** The section of the stack's own cloud, unchecked: only that cloud's module has its schema. */
  readonly settings: unknown;
  readonly ssh: z.infer<typeof sshSettings>;
}

/**
 * Reads and checks the configuration of the running stack.
 *
 * @throws {ConfigError} naming the key, the value and what is allowed.
 */
export function readStackConfig(): StackConfig {
  const all = pulumi.runtime.allConfig();
  const own = section(all, pulumi.getProject());
  if (Object.keys(own).length === 0) {
    throw new ConfigError(noConfiguration(pulumi.getStack()));
  }
  const bench = check(benchSchema, own, pulumi.getProject());
  const ssh = check(sshSettings, section(all, "ssh"), "ssh");
  const { cloud, topologies, runId, tuning, pairs } = bench;
  const plan = withSeed(readPlan(bench), runId);
  const settings = bench[cloud] ?? {};
  return { stack: pulumi.getStack(), cloud, topologies, plan, runId, tuning, pairs, settings, ssh };
}

/**
 * Error for a missing configuration. Set-up copies the ready-made stacks to where Pulumi looks; `pulumi stack rm` removes
 * the copy.
 */
function noConfiguration(stack: string): string {
  const directory = ".egress-bench/stacks";
  return `Stack "${stack}" has no configuration: expected ${directory}/Pulumi.${stack}.yaml with egress-bench:cloud and egress-bench:topologies. Those of stacks/ are ready-made: cp stacks/Pulumi.NAME.yaml ${directory}/Pulumi.${stack}.yaml`;
}

/** The topologies of a stack, each checked by its cloud's schema. */
export function readTopologies(config: StackConfig, cloud: Pick<Cloud, "topologies">): TopologyEntry[] {
  const entries = config.topologies.map(({ topology, name, ...options }): TopologyEntry => {
    const kind = String(topology);
    const schema = Object.hasOwn(cloud.topologies, kind) ? cloud.topologies[kind] : undefined;
    if (schema === undefined) {
      const known = Object.keys(cloud.topologies).join(", ");
      throw new ConfigError(
        `topologies: "${kind}" is not a topology of cloud "${config.cloud}"; it has: ${known}`,
      );
    }
    return {
      name: checkName(String(name ?? kind)),
      topology: kind,
      options: check(schema, options, `topologies: ${kind}`),
    };
  });
  const names = entries.map((entry) => entry.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new ConfigError(`topologies: "${twice}" is listed twice; give each entry a \`name\` of its own`);
  }
  return entries;
}

/** Checks one section of the configuration against its schema. @throws {ConfigError} */
export function check<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  return validate(schema, value, (problems) => {
    const lines = problems.map((problem) => `  ${where}:${problem}`);
    return new ConfigError(`The stack's configuration cannot be used:\n${lines.join("\n")}`);
  });
}

function checkName(name: string): string {
  if (/^[a-z0-9][a-z0-9.-]{0,30}$/.test(name)) {
    return name;
  }
  throw new ConfigError(
    `topologies: name "${name}" must be 1 to 31 lower-case letters, digits, dots and hyphens, and start with a letter or digit`,
  );
}

function readPlan({ plan: input, pairs, topologies, cloud, hosts = {} }: z.infer<typeof benchSchema>): Plan {
  try {
    // The engine starts the program in the project's directory.
    const plan = bearable(parsePlan(readPlanFile(input, process.cwd())), { cloud, settings: hosts });
    const needed = Math.max(1, ...plan.cases.map(pairsOf));
    const remedy = `set egress-bench:pairs to ${needed} (\`pulumi config set pairs ${needed}\`)`;
    checkFits(
      plan,
      topologies.map(() => pairs),
      remedy,
    );
    return plan;
  } catch (error) {
    throw new ConfigError(`plan: ${(error as Error).message}`);
  }
}

/** The keys of one namespace, with structured values parsed. */
function section(all: Record<string, string>, namespace: string): Record<string, unknown> {
  const prefix = `${namespace}:`;
  const own = Object.entries(all).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), structured(value)]));
}

function structured(value: string): unknown {
  return /^\s*[[{]/.test(value) ? JSON.parse(value) : value;
}

/** Service that returns its caller's address, as text. */
const ECHO_SERVICE = "https://checkip.amazonaws.com";
const TIMEOUT_MS = 5000;

/**
 * The CIDR blocks that SSH is opened to: those of a stack's configuration, or the operator's own address. Asked before any
 * resource is made, so that a failure is one message.
 * @param lookUp Finds the operator's address.
 * @throws {ConfigError} for an invalid block, for the whole internet unless allowed, and where the address cannot be found out.
 */
export async function operatorCidrs(
  { allowedCidrs: given, allowAnywhere }: StackConfig["ssh"],
  lookUp = operatorAddress,
): Promise<readonly string[]> {
  if (given === undefined) {
    return [`${await lookUp()}/32`];
  }
  if (isOpen(given) && !allowAnywhere) {
    throw new ConfigError(
      `ssh:allowedCidrs: ${given.join(", ")} opens SSH to the whole internet; name your own address, or set ssh:allowAnywhere to true if that is meant`,
    );
  }
  return given;
}

function isOpen(cidrs: readonly string[]): boolean {
  try {
    return isEverybody(cidrs);
  } catch (error) {
    throw new ConfigError(`ssh:allowedCidrs: ${(error as Error).message}`);
  }
}

/**
 * The operator's public IPv4 address. @param request Stands in for `fetch` where there is no internet.
 * @throws {ConfigError}
 */
export async function operatorAddress(request: typeof fetch = fetch): Promise<string> {
  try {
    const answer = await request(ECHO_SERVICE, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const address = (await answer.text()).trim();
    parseCidr(`${address}/32`);
    return address;
  } catch (error) {
    throw new ConfigError(
      `Could not find out your public IPv4 address from ${ECHO_SERVICE} (${(error as Error).message}). Set it yourself: pulumi config set --path 'ssh:allowedCidrs[0]' 203.0.113.7/32`,
    );
  }
}
