/**
 * The host agent's protocol (`agent.py`): one JSON document each way, over SSH.
 * A report comes from another machine and is checked before use.
 */
import { z } from "zod";
import {
  attemptSchema,
  dataSourceSchema,
  failureClassSchema,
  failureKinds,
  hostFactsSchema,
  roleSchema,
} from "../bench/results/index.ts";
import { MAX_PAIRS } from "../bench/tools/iperf3/plan.ts";
import { factsAnew, reportedUsage } from "./reported-host.ts";

export { AGENT_DIRECTORY } from "./directory.ts";

/** Version of this protocol; the agent refuses another one. */
export const AGENT_PROTOCOL_VERSION = 1;

/** Bytes of a report at most, whatever the number of streams and seconds. */
export const MAX_REPORT_BYTES = 64 * 1024;

const portRanges = z
  .array(z.tuple([z.int(), z.int()]).readonly())
  .max(8)
  .readonly();

/** `agent.py prepare`: stdin. Installs nothing; checks the tools, starts what the role needs, reports facts. */
const prepareSpecSchema = z.object({
  version: z.literal(AGENT_PROTOCOL_VERSION),
  host: z.string(),
  role: roleSchema,
  /** Shared by the hosts of a stack; proves to an agent's control port that the caller is one of them. */
  secret: z.string().min(16),
  /** Executables that must exist; a missing one is an error that names it. */
  executables: z.array(z.string()),
  /** The agent's control port. */
  port: z.number(),
  /** Services to keep running where their program is installed; each is ready when it listens on its port. */
  services: z.array(
    z.object({ name: z.string(), port: z.number(), command: z.array(z.string()).readonly() }),
  ),
  /** Ranges of ports, first and last of each, that tests' own connections use. @default the contract's */
  dataPorts: z.object({ tcp: portRanges, udp: portRanges }).optional(),
  /** Failures of this host that another one of the stack may ask for. Absent: none. */
  failures: z.array(z.enum(failureKinds)).optional(),
});
export type PrepareSpec = z.infer<typeof prepareSpecSchema>;

/** `agent.py prepare`: stdout. */
export const prepareReportSchema = z.object({
  version: z.literal(AGENT_PROTOCOL_VERSION),
  facts: hostFactsSchema,
});

/** `agent.py run`: stdin. */
const runSpecSchema = z.object({
  version: z.literal(AGENT_PROTOCOL_VERSION),
  /** Unique for this measurement: same key, same result; a second call waits for or returns the first one's. */
  key: z.string().regex(/^[A-Za-z0-9._-]{1,200}$/),
  command: z.string(),
  /** Digest of the facts that decide performance: with another one the same key is measured again. */
  hosts: z.string().min(1).max(200).optional(),
  /** Waited before anything else, so that the case before has left no trace. */
  pauseSeconds: z.number().min(0),
  /** The tool is ended (TERM, 5 s later KILL) after so long. */
  timeoutSeconds: z.number().positive(),
  reducer: z.enum(["iperf3", "none"]),
  retry: z.object({
    patterns: z.array(z.string()),
    attempts: z.number().int().min(1),
    delaySeconds: z.number().min(0),
  }),
  /** The server's agent, asked first for the source address it sees. */
  path: z.object({
    address: z.string(),
    port: z.number(),
    expected: z.array(z.string()),
    forbidden: z.array(z.string()),
  }),
  /** Agents (the client itself at 127.0.0.1) that sample their host while the tool runs. */
  observe: z.array(z.object({ host: z.string(), role: roleSchema, address: z.string(), port: z.number() })),
  /** The tool starts when all members have come to this agent. Absent or null: at once. */
  rendezvous: z
    .object({
      address: z.string(),
      port: z.number(),
      /** The same for all members, and another for every start. */
      id: z.string().min(1).max(200),
      count: z.number().int().min(2).max(MAX_PAIRS),
      /** 1 to `count`, each once. */
      member: z.number().int().min(1),
      /** A member that is not there after so long fails the measurements of all. */
      waitSeconds: z.number().positive().max(300),
    })
    .nullable()
    .optional(),
});
export type RunSpec = z.infer<typeof runSpecSchema>;

/** `agent.py run`: stdout. Exit status 0 also for a failed measurement: that is a result. */
export const runReportSchema = z.object({
  version: z.literal(AGENT_PROTOCOL_VERSION),
  key: z.string(),
  /** Set where the agent itself knows why there is no measurement; the tool's parser decides otherwise. */
  failure: z.object({ class: failureClassSchema, message: z.string() }).nullable(),
  attempts: z.array(attemptSchema),
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  /** Reduced, at most 48 KB. */
  stdout: z.string(),
  /** Last 2 KB. */
  stderr: z.string(),
  sourceIp: z.union([z.ipv4(), z.ipv6()]).nullable(),
  hosts: z.array(reportedUsage),
  rawFile: z.string().nullable(),
  /** When the tool started after the rendezvous had released its members; null: there was none. */
  startedAfterMs: z.number().nullable().default(null),
  /** From where the other end saw the test's own connections come. Absent or null: it saw none, or was not asked. */
  dataSources: z.array(dataSourceSchema).nullable().optional(),
  /** Facts of sampled hosts that have booted since they were prepared. */
  rebooted: factsAnew,
  /** Facts of sampled NAT instances that were set up again since then, because rules or settings had changed. */
  setUpAgain: factsAnew,
});
export type RunReport = z.infer<typeof runReportSchema>;
