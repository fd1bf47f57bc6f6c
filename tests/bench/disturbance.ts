/**
 * The effect of agents and sampling on a measurement. One iperf3 stream runs between two lab hosts all the time, and the agents
 * sample every other slice of it: two streams may differ by a fifth on a busy machine, two slices of one stream differ less.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { RunSpec } from "../../bench/agent/protocol.ts";
import { jsonOf } from "../../bench/agent/read-report.ts";
import { ratioOfRounds } from "../../bench/statistics/difference.ts";
import { inCheckout } from "../../cli/pulumi/workspace.ts";
import { SERVER_ADDRESS } from "../../components/local/addresses.ts";
import { runInHost } from "../../components/local/lab/enter.ts";
import { initProcess } from "../../components/local/lab/living-hosts.ts";
import { labName } from "../../components/local/lab-name.ts";
import { ByteCounter } from "./byte-counter.ts";
import { plan } from "./lab.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 40);
/** Length of a slice. */
const SECONDS = 2;
/** Bound of a stream, which is ended sooner. */
const STREAM_SECONDS = 900;
const HOSTS = { client: "nat-instance-client", nat: "nat-instance-box", server: "server" } as const;
/** Prints a slice's start and end, in nanoseconds since the epoch. */
const SLICE = `date +%s%N; sleep ${SECONDS}; date +%s%N`;

/** Loads by name: iperf3's arguments beside address and time, and the rate of the server's link. */
const loads = {
  "CPU-bound": { options: "", rate: undefined },
  "64-byte": { options: "-u -l 64 -b 0", rate: undefined },
  shaped: { options: "", rate: "200M" },
} as const;

type Slice = readonly [fromMs: number, toMs: number];

/** Ratio of throughput with agents to that without, with its 95 % interval, and the sampler's CPU on each host. */
export async function disturbance(stack: Stack): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, { options, rate }] of Object.entries(loads)) {
    const links = rate === undefined ? {} : { links: { server: { rate } } };
    await stack.setConfig("egress-bench:local", { value: JSON.stringify(links) });
    await plan(stack, { name: "disturbance", cases: [{ id: "tcp", tool: "iperf3", durationSeconds: 1 }] });
    await stack.up({ color: "never" });
    lines.push(...(await trial(stack, name, options)));
  }
  return lines;
}

async function trial(stack: Stack, name: string, options: string): Promise<string[]> {
  const lab = labName(stack.name, inCheckout(""), `file://${stack.workspace.workDir}`);
  const spec = { ...(await specOf(stack)), command: SLICE, reducer: "none" } as const;
  const stream = `iperf3 -c ${SERVER_ADDRESS} -p 5201 -t ${STREAM_SECONDS} ${options}`;
  const pid = runInHost(lab, HOSTS.client, `${stream} >/tmp/stream 2>&1 & echo $!`).trim();
  const counter = new ByteCounter(initProcess(lab, HOSTS.server).pid, "eth1");
  const bare = () => sliceOf(runInHost(lab, HOSTS.client, SLICE));
  const sampled = (round: number) => {
    const text = JSON.stringify({ ...spec, key: `${name}-${round}` });
    const run = `cd /root && python3 .egress-bench/agent.py run <<'EOF_SPEC'\n${text}\nEOF_SPEC\n`;
    const report = JSON.parse(jsonOf(runInHost(lab, HOSTS.client, run).trim())) as { stdout: string };
    return sliceOf(report.stdout);
  };
  const before = ticksOf(lab);
  const slices = Array.from({ length: ROUNDS }, (_, round) => {
    // The order alternates, so that a drift of the machine favours neither.
    if (round % 2 === 0) {
      return [sampled(round), bare()] as const;
    }
    const first = bare();
    return [sampled(round), first] as const;
  });
  const after = ticksOf(lab);
  const rateIn = await counter.end();
  runInHost(lab, HOSTS.client, `kill ${pid}`);
  const ratio = ratioOfRounds(slices.map(([one, other]) => [rateIn(...one), rateIn(...other)]));
  const { low = Number.NaN, high = Number.NaN } = ratio?.interval ?? {};
  // The kernel's ticks are hundredths of a second.
  const shares = after.map((ticks, at) => ((ticks - (before[at] ?? 0)) / ROUNDS / SECONDS).toFixed(1));
  const median = slices.map(([, other]) => rateIn(...other)).sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
  return [
    `${name}: ${ratio?.value.toFixed(4)} of the ${((median * 8) / 1e6).toFixed(0)} Mbit/s without agents (95 %: ${low.toFixed(4)} to ${high.toFixed(4)}, width ${(high - low).toFixed(4)}; ${ROUNDS} rounds of ${SECONDS} s); goal 0.99 and a width below 0.02`,
    `  sampler's share of one CPU: ${Object.keys(HOSTS)
      .map((role, at) => `${role} ${shares[at]} %`)
      .join(", ")}`,
  ];
}

/** The agent's specification in the deployment's own case. */
async function specOf(stack: Stack): Promise<RunSpec> {
  const { deployment } = await stack.exportStack();
  const { resources } = deployment as { resources: { urn: string; inputs?: { stdin?: string } }[] };
  return JSON.parse(resources.find(({ urn }) => urn.endsWith("::nat-instance:tcp"))?.inputs?.stdin ?? "{}");
}

function sliceOf(text: string): Slice {
  const [from, to] = text.trim().split("\n").map(Number);
  if (!from || !to) {
    throw new Error(`expected start and end of a slice; got ${text}`);
  }
  return [from / 1e6, to / 1e6];
}

/** CPU ticks of each host's agent and its ended children, including the collector of samples. */
function ticksOf(lab: string): number[] {
  const program =
    "import json; pid = json.load(open('/root/.egress-bench/daemon.json'))['pid']; " +
    "print(sum(map(int, open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[11:15])))";
  return Object.values(HOSTS).map((host) => Number(runInHost(lab, host, `python3 -c "${program}"`)));
}
