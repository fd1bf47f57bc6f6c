import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  AGENT_DIRECTORY,
  AGENT_PROTOCOL_VERSION,
  type PrepareSpec,
  type RunReport,
  type RunSpec,
  runReportSchema,
} from "../../bench/agent/protocol.ts";
import { jsonOf } from "../../bench/agent/read-report.ts";
import type { Role } from "../../bench/results/index.ts";
import { servicesOf, tools } from "../../bench/tools/index.ts";
import { agentSources } from "../../components/benchmark/agent-sources.ts";
import { freePort } from "./ports.ts";
import type { ports as toolPorts } from "./tool-ports.ts";

/** The system's Python if there is one: version managers' wrappers take longer to start than the agent. */
const PYTHON = process.env.PYTHON ?? (existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3");

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home directory with the real agent on its own ports: a complete host from the agent's view. */
export interface AgentHost {
  readonly home: string;
  readonly directory: string;
  readonly prepareSpec: PrepareSpec;
  /** The host's own ports, by the tools' names for them. */
  readonly ports: Readonly<Record<keyof typeof toolPorts, number>>;
  /** A valid specification with the command `true`, whose path is this host itself; `changes` replace parts of it. */
  runSpec(changes?: Partial<RunSpec>): RunSpec;
  /** Starts a sub-command with `input` on stdin: JSON, or a string unchanged. */
  start(args: readonly string[], input?: unknown): ChildProcess & { readonly outcome: Promise<Outcome> };
  call(args: readonly string[], input?: unknown): Promise<Outcome>;
  prepare(changes?: Partial<PrepareSpec>): Promise<Outcome>;
  /** Runs, and checks exit status and form of the report. */
  run(changes?: Partial<RunSpec>): Promise<RunReport>;
  /** An authenticated request to the control port. */
  ask(request: unknown, secret?: string): Promise<Record<string, unknown>>;
  /** Living processes that this host's agent started, with their command lines. */
  processes(): { readonly pid: number; readonly command: string }[];
  /** Ends all processes and removes the home. */
  dispose(): Promise<void>;
}

export async function agentHost(role: Role, env: NodeJS.ProcessEnv = {}): Promise<AgentHost> {
  const home = mkdtempSync(join(tmpdir(), "egress-bench-agent-"));
  const directory = join(home, AGENT_DIRECTORY);
  mkdirSync(directory);
  for (const [name, text] of Object.entries(agentSources())) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  // Every port of every tool, since test files run in parallel on one machine.
  const names = ["agent", ...Object.values(tools).flatMap((tool) => Object.keys(tool.ports))];
  const numbers = await Promise.all(names.map(async (name) => [name, await freePort()] as const));
  const ports = Object.fromEntries(numbers) as AgentHost["ports"];
  const { agent } = ports;
  const prepareSpec: PrepareSpec = {
    version: AGENT_PROTOCOL_VERSION,
    host: `test-${role}`,
    role,
    secret: "a secret of the stack",
    executables: ["iperf3", "sockperf"],
    port: agent,
    services: servicesOf([], role, ports),
    // Tests run in parallel on one machine; tests of the data's ports set these.
    dataPorts: { tcp: [], udp: [] },
  };
  const address = "127.0.0.1";

  const runSpec = (changes: Partial<RunSpec> = {}): RunSpec => ({
    version: AGENT_PROTOCOL_VERSION,
    key: "run-1.direct.tcp-egress",
    command: "true",
    pauseSeconds: 0,
    timeoutSeconds: 20,
    reducer: "none",
    retry: { patterns: [], attempts: 1, delaySeconds: 0 },
    path: { address, port: agent, expected: [address], forbidden: [] },
    observe: [],
    ...changes,
  });

  const start: AgentHost["start"] = (args, input = "") => {
    const child = spawn(PYTHON, [`${AGENT_DIRECTORY}/agent.py`, ...args], {
      cwd: home,
      detached: true, // own process group, as under an SSH session
      env: { ...process.env, HOME: home, ...env },
    });
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
    child.stdin.on("error", () => {}); // it may refuse before reading
    child.stdin.end(typeof input === "string" ? input : JSON.stringify(input));
    const outcome = once(child, "close").then(([status]) => ({ status: status as number | null, ...output }));
    return Object.assign(child, { outcome });
  };
  const call: AgentHost["call"] = (args, input) => start(args, input).outcome;

  return {
    home,
    directory,
    prepareSpec,
    ports,
    runSpec,
    start,
    call,
    prepare: (changes = {}) => call(["prepare"], { ...prepareSpec, ...changes }),
    run: async (changes) => {
      const { status, stdout, stderr } = await call(["run"], runSpec(changes));
      if (status !== 0) throw new Error(`run ended with status ${status}: ${stderr}`);
      return runReportSchema.parse(JSON.parse(jsonOf(stdout)));
    },
    ask: (request, secret = prepareSpec.secret) => askAgent(agent, request, secret),
    processes: () => processesOf(directory),
    dispose: async () => {
      await call(["stop"]);
      rmSync(home, { recursive: true });
    },
  };
}

/** Lines from a control port: the greeting, then the answer to what `reply` makes of the nonce. */
export async function talk(
  port: number,
  reply: (nonce: string) => string | Buffer,
): Promise<Record<string, unknown>[]> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8");
  for await (const chunk of socket as AsyncIterable<string>) {
    const greeted = text.includes("\n");
    text += chunk;
    if (!greeted && text.includes("\n")) send(socket, reply(JSON.parse(text.split("\n")[0] as string).nonce));
  }
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function send(socket: Socket, data: string | Buffer): void {
  socket.on("error", () => {}); // the agent may close before reading everything
  socket.write(data);
}

/** A message with a valid signature. */
export function signed(request: unknown, nonce: string, secret: string): string {
  const text = JSON.stringify(request);
  const mac = createHmac("sha256", secret).update(`${nonce}\n${text}`).digest("hex");
  return `${JSON.stringify({ request: text, mac })}\n`;
}

async function askAgent(port: number, request: unknown, secret: string): Promise<Record<string, unknown>> {
  const lines = await talk(port, (nonce) => signed(request, nonce, secret));
  return lines[1] ?? {};
}

function processesOf(directory: string): { pid: number; command: string }[] {
  const mark = existsSync(join(directory, "id")) ? readFileSync(join(directory, "id"), "utf8") : directory;
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ").trim();
    } catch {
      return ""; // it has ended
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), command: read(pid, "cmdline"), environ: read(pid, "environ") }))
    .filter(
      ({ command, environ }) => command !== "" && (environ.includes(mark) || command.includes(directory)),
    )
    .map(({ pid, command }) => ({ pid, command }));
}

/**
 * Evaluates a Python expression, with the agent's files it names imported and `data` defined; returns its JSON. Python's start takes a
 * quarter of a second: many values are one call.
 *
 * @param definitions Python before the expression.
 */
export function evaluate(expression: string, data: unknown = null, definitions = ""): unknown {
  const directory = fileURLToPath(new URL("../../agent/", import.meta.url));
  const modules = Object.keys(agentSources())
    .map((path) => path.slice(0, -".py".length).split("/"))
    .filter((path): path is [string, string] => path.length === 2);
  const program = [
    "import json, sys",
    `sys.path.insert(0, ${JSON.stringify(directory)})`,
    ...modules
      .filter(([, name]) => new RegExp(`\\b${name}\\.`).test(definitions + expression))
      .map(([room, name]) => `from ${room} import ${name}`),
    definitions,
    "data = json.load(sys.stdin)",
    `print(json.dumps(${expression}))`,
  ].join("\n");
  const { status, stdout, stderr } = spawnSync(PYTHON, ["-B", "-c", program], {
    input: JSON.stringify(data),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
