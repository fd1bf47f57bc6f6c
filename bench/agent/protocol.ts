/**
 * The host agent's protocol (`agent.py`): one JSON document each way, over SSH. A report comes from another machine and is
 * checked before use.
 */
import { z } from "zod";
import {
  attemptSchema,
  dataSourceSchema,
  failureClassSchema,
  failureKinds,
  type HostUsage,
  hostFactsSchema,
  hostUsageSchema,
  roleSchema,
} from "../results/index.ts";
import { isPlausible } from "../results/plausible.ts";
import { MAX_PAIRS } from "../tools/iperf3/plan.ts";

// A figure of a host that does not fit its schema, or that no machine can have, is left out; all others stay.

/** Rounding may put a share of CPU time a little below 0, or above 100. */
const LEAST = -1;
const MOST_PERCENT = 101;
/** Longer than any interface's name, counter's name or time. */
const MOST_CHARACTERS = 64;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

/** Whether all figures, at any depth, are plausible, all texts short, and every `at` a time. */
function isCounted(value: unknown, key = ""): boolean {
  if (typeof value === "number") {
    return value > LEAST && isPlausible(value) && !(key.endsWith("Percent") && value > MOST_PERCENT);
  }
  if (typeof value === "string") {
    return value.length <= MOST_CHARACTERS && (key !== "at" || TIME.test(value));
  }
  return (
    typeof value !== "object" ||
    value === null ||
    Object.entries(value).every(([name, one]) => isCounted(one, name))
  );
}

/** Schemas of a host's figures; a value that breaks its schema becomes null or absent. */
const figures = Object.fromEntries(
  Object.entries<z.ZodType>(hostUsageSchema.omit({ host: true, role: true, problem: true }).shape).map(
    ([name, schema]) => {
      const missing = schema.safeParse(null).success ? null : undefined;
      return [name, schema.refine((value) => isCounted(value, name)).catch(missing)];
    },
  ),
) as unknown as Omit<typeof hostUsageSchema.shape, "host" | "role" | "problem">;

/** A host's figures in a report. */
export const reportedUsage = hostUsageSchema
  .extend(figures)
  .transform((usage) =>
    withoutForwarded(
      usage.cpu === null && usage.problem === null
        ? { ...usage, problem: "CPU figures that no host can have" }
        : usage,
    ),
  );

/** Datagrams that a host forwards come to the test's ports and to no socket: only at an end are those the firewall's drops. */
function withoutForwarded(usage: HostUsage): HostUsage {
  const { network, role } = usage;
  if (network?.udp == null || role === "client" || role === "server") return usage;
  const { filteredDatagrams: _forwarded, ...udp } = network.udp;
  return { ...usage, network: { ...network, udp } };
}

/** Updated facts of hosts; anything else is left out. */
const factsAnew = z
  .array(hostFactsSchema.nullable().catch(null))
  .transform((all) => all.filter((facts) => facts !== null))
  .optional()
  .catch(undefined);

export { AGENT_DIRECTORY } from "./directory.ts";

/** Version of this protocol; the agent refuses any other. */
export const AGENT_PROTOCOL_VERSION = 1;

/** Most bytes of a report, for any number of streams and seconds. */
export const MAX_REPORT_BYTES = 64 * 1024;

/** Most ranges of ports of one protocol. */
export const MAX_PORT_RANGES = 8;

/** Bounds of the specifications below. Seconds allow what a plan's longest case may take. */
export const SPEC_BOUNDS = {
  services: 32,
  observed: 64,
  secretCharacters: 16,
  idCharacters: 200,
  pauseSeconds: 3600,
  timeoutSeconds: 7 * 86_400,
  attempts: 20,
  delaySeconds: 3600,
  waitSeconds: 300,
} as const;

export const EXECUTABLE = "[A-Za-z0-9_.+-]+";

export const RUN_KEY = "[A-Za-z0-9._-]{1,200}";

const portRanges = z
  .array(z.tuple([z.int(), z.int()]).readonly())
  .max(MAX_PORT_RANGES)
  .readonly();

/** Input of `agent.py prepare`. It installs nothing; it checks the tools, starts what the role needs, and reports facts. */
export const prepareSpecSchema = z.object({
  version: z.literal(AGENT_PROTOCOL_VERSION),
  host: z.string(),
  role: roleSchema,
  /** Secret of a stack's hosts, which proves to an agent's control port that the caller is one of them. */
  secret: z.string().min(SPEC_BOUNDS.secretCharacters),
  /** Executables that must exist; a missing one is an error that names it. */
  executables: z.array(z.string().regex(new RegExp(`^${EXECUTABLE}$`))),
  /** The agent's control port. */
  port: z.number(),
  /** Services to keep running where their program is installed; each is ready when it listens on its port. */
  services: z
    .array(z.object({ name: z.string(), port: z.number(), command: z.array(z.string()).readonly() }))
    .max(SPEC_BOUNDS.services),
  /** Ranges of ports, first and last, for the tests' own connections. @default the contract's */
  dataPorts: z.object({ tcp: portRanges, udp: portRanges }).optional(),
  /** Failures of this host that another host of the stack may request. Absent: none. */
  failures: z.array(z.enum(failureKinds)).optional(),
});
export type PrepareSpec = z.infer<typeof prepareSpecSchema>;

/** Output of `agent.py prepare`. */
export const prepareReportSchema = z.object({
  version: z.literal(AGENT_PROTOCOL_VERSION),
  facts: hostFactsSchema,
});

/** Input of `agent.py run`. */
export const runSpecSchema = z.object({
  version: z.literal(AGENT_PROTOCOL_VERSION),
  /** Id of this measurement: the same key gives the same result. A second call waits for the first one's, or returns it. */
  key: z.string().regex(new RegExp(`^${RUN_KEY}$`)),
  command: z.string(),
  /** Digest of the facts that decide performance: another digest measures the same key again. */
  hosts: z.string().min(1).max(SPEC_BOUNDS.idCharacters).optional(),
  /** Seconds to wait first, so that the previous case has no effect. */
  pauseSeconds: z.number().min(0).max(SPEC_BOUNDS.pauseSeconds),
  /** Ports whose servers at the other end are started anew before each attempt. Absent: none. */
  renew: z.array(z.int().min(1).max(65_535)).optional(),
  /** Seconds after which the tool is ended (TERM, 5 s later KILL). */
  timeoutSeconds: z.number().positive().max(SPEC_BOUNDS.timeoutSeconds),
  reducer: z.enum(["iperf3", "none"]),
  retry: z.object({
    patterns: z.array(z.string()),
    attempts: z.number().int().min(1).max(SPEC_BOUNDS.attempts),
    delaySeconds: z.number().min(0).max(SPEC_BOUNDS.delaySeconds),
  }),
  /** The server's agent, which first reports the source address that it sees. */
  path: z.object({
    address: z.string(),
    port: z.number(),
    expected: z.array(z.string()),
    forbidden: z.array(z.string()),
  }),
  /** Agents (the client's own at 127.0.0.1) that sample their host while the tool runs. */
  observe: z
    .array(z.object({ host: z.string(), role: roleSchema, address: z.string(), port: z.number() }))
    .max(SPEC_BOUNDS.observed),
  /** The agent at which all members meet before the tool starts. Absent or null: start at once. */
  rendezvous: z
    .object({
      address: z.string(),
      port: z.number(),
      /** Id of the start, the same for all its members. */
      id: z.string().min(1).max(SPEC_BOUNDS.idCharacters),
      count: z.number().int().min(2).max(MAX_PAIRS),
      /** Number of the member: 1 to `count`, each once. */
      member: z.number().int().min(1),
      /** Seconds to wait for missing members; after that, all members' measurements fail. */
      waitSeconds: z.number().positive().max(SPEC_BOUNDS.waitSeconds),
    })
    .nullable()
    .optional(),
});
export type RunSpec = z.infer<typeof runSpecSchema>;

/** Output of `agent.py run`. Exit status 0 also for a failed measurement: that is a result. */
export const runReportSchema = z.object({
  version: z.literal(AGENT_PROTOCOL_VERSION),
  key: z.string(),
  /** The failure that the agent itself knows; the tool's parser finds all others. */
  failure: z.object({ class: failureClassSchema, message: z.string() }).nullable(),
  attempts: z.array(attemptSchema),
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  /** Reduced output, at most 48 KB. */
  stdout: z.string(),
  /** The last 2 KB. */
  stderr: z.string(),
  sourceIp: z.union([z.ipv4(), z.ipv6()]).nullable(),
  /** Source addresses that were expected in this measurement. Absent: nothing was measured. */
  expectedSourceIps: z.array(z.union([z.ipv4(), z.ipv6()])).optional(),
  hosts: z.array(reportedUsage),
  rawFile: z.string().nullable(),
  /** Milliseconds from the members' release to the tool's start; null without a rendezvous. */
  startedAfterMs: z.number().nullable(),
  /**
   * Source addresses of the test's own connections, as the other end saw them. Absent or null: it saw none, or was not
   * asked.
   */
  dataSources: z.array(dataSourceSchema).nullable().optional(),
  /** Facts of sampled hosts that have booted since they were prepared. */
  rebooted: factsAnew,
  /** Facts of sampled NAT instances whose set-up was repeated since then, because rules or settings had changed. */
  setUpAgain: factsAnew,
});
export type RunReport = z.infer<typeof runReportSchema>;
