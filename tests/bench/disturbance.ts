/** The effect of agents and sampling on a measurement: iperf3 alone between two lab hosts, and the same by the agent. */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { jsonOf } from "../../agent/read-report.ts";
import { type Round, ratioOfRounds } from "../../bench/statistics/difference.ts";
import { inCheckout } from "../../cli/run/workspace.ts";
import { SERVER_ADDRESS } from "../../components/local/addresses.ts";
import { runInHost } from "../../components/local/lab/enter.ts";
import { labName } from "../../components/local/lab-name.ts";
import { plan } from "./lab.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 20);
const SECONDS = 3;
const HOSTS = { client: "nat-instance-client", nat: "nat-instance-box", server: "server" } as const;

/** Loads by name: iperf3's arguments beside address and time, and the rate of the server's link. */
const loads = {
  "CPU-bound": { options: "", rate: undefined },
  "64-byte": { options: "-u -l 64 -b 0", rate: undefined },
  shaped: { options: "", rate: "200M" },
} as const;

/** Ratio of throughput with agents to that without, with its 95 % interval, and the sampler's CPU on each host. */
export async function disturbance(stack: Stack): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, { options, rate }] of Object.entries(loads)) {
    const links = rate === undefined ? {} : { links: { server: { rate } } };
    await stack.setConfig("egress-bench:local", { value: JSON.stringify(links) });
    await plan(stack, { name: "disturbance", cases: [{ id: "tcp", tool: "iperf3", durationSeconds: 1 }] });
    await stack.up({ color: "never" });
    lines.push(
      ...(await trial(stack, name, `iperf3 -c ${SERVER_ADDRESS} -p 5201 -t ${SECONDS} -J ${options}`)),
    );
  }
  return lines;
}

async function trial(stack: Stack, name: string, command: string): Promise<string[]> {
  const lab = labName(stack.name, inCheckout(""), `file://${stack.workspace.workDir}`);
  const spec = await specOf(stack);
  const rounds: Round[] = [];
  const spent = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = () => runInHost(lab, HOSTS.client, command);
    const sampled = () => {
      const before = new Map(Object.values(HOSTS).map((host) => [host, ticksOf(lab, host)]));
      const text = JSON.stringify({ ...spec, command, key: `${name}-${round}` });
      const run = `cd /root && python3 .egress-bench/agent.py run <<'EOF_SPEC'\n${text}\nEOF_SPEC\n`;
      const report = JSON.parse(jsonOf(runInHost(lab, HOSTS.client, run).trim())) as { stdout: string };
      for (const [host, ticks] of before) {
        spent.set(host, (spent.get(host) ?? 0) + ticksOf(lab, host) - ticks);
      }
      return report.stdout;
    };
    // The order alternates, so that a drift of the machine favours neither.
    const order = round % 2 === 0 ? [sampled, bare] : [bare, sampled];
    const figures = new Map(order.map((measure) => [measure, rateOf(measure())]));
    rounds.push([figures.get(sampled) ?? Number.NaN, figures.get(bare) ?? Number.NaN]);
  }
  const ratio = ratioOfRounds(rounds);
  const { low = Number.NaN, high = Number.NaN } = ratio?.interval ?? {};
  // The kernel's ticks are hundredths of a second.
  const share = (host: string) => `${((spent.get(host) ?? 0) / ROUNDS / SECONDS).toFixed(1)} %`;
  return [
    `${name}: ${ratio?.value.toFixed(4)} of the throughput without agents (95 %: ${low.toFixed(4)} to ${high.toFixed(4)}, width ${(high - low).toFixed(4)}; ${ROUNDS} rounds of ${SECONDS} s); goal 0.99 and a width below 0.02`,
    `  sampler's share of one CPU: ${Object.entries(HOSTS)
      .map(([role, host]) => `${role} ${share(host)}`)
      .join(", ")}`,
  ];
}

/** The agent's specification in the deployment's own case. */
async function specOf(stack: Stack): Promise<Record<string, unknown>> {
  const { deployment } = await stack.exportStack();
  const { resources } = deployment as { resources: { urn: string; inputs?: { stdin?: string } }[] };
  return JSON.parse(resources.find(({ urn }) => urn.endsWith("::nat-instance:tcp"))?.inputs?.stdin ?? "{}");
}

/** CPU ticks of a host's agent and its ended children, including the collector of samples. */
function ticksOf(lab: string, host: string): number {
  const program =
    "import json; pid = json.load(open('/root/.egress-bench/daemon.json'))['pid']; " +
    "print(sum(map(int, open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[11:15])))";
  return Number(runInHost(lab, host, `python3 -c "${program}"`));
}

/** Received bits per second. */
function rateOf(text: string): number {
  const { end } = JSON.parse(text) as {
    end: Record<"sum" | "sum_received", { bits_per_second: number; lost_percent?: number } | undefined>;
  };
  const { bits_per_second: bits = Number.NaN, lost_percent: lost = 0 } = end.sum_received ?? end.sum ?? {};
  return end.sum_received === undefined ? bits * (1 - lost / 100) : bits;
}
