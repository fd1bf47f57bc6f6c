/**
 * The NAT probes between real hosts: a client, an instance whose translation a test chooses, and a server whose agent
 * runs the responder.
 */
import type { PrepareSpec } from "../../agent/protocol.ts";
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import type { Case } from "../../bench/plan/plan.ts";
import type { NatLimits } from "../../bench/results/index.ts";
import { servicesOf, toolOf } from "../../bench/tools/index.ts";
import { AGENT_PORT, dataPorts } from "../../bench/tools/ports.ts";
import { type NatSetupArgs, natSetup } from "../../components/nat-instance/index.ts";
import { installAgent } from "./agent-files.ts";
import { type NatLab, natLab, PRIVATE_CIDR, SERVER, sharedLab } from "./nat-lab.ts";

/** A lab for all tests of a file, whose client and server have the agent, prepared. */
export const sharedProbeLab = () => sharedLab(probeLab);

/** Has the instance translate as the arguments say; undefined: it routes, and nothing more. */
export function translate(lab: NatLab, args: Partial<NatSetupArgs> | undefined): void {
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], ...args }));
  if (args === undefined) {
    lab.run("instance", "nft delete table inet egress_bench");
  }
}

async function probeLab(atEnd: Parameters<typeof natLab>[0]): Promise<NatLab> {
  const lab = await natLab(atEnd);
  for (const host of ["client", "server"] as const) {
    lab.run(host, `${installAgent("/root")}\n${prepareCommand(host)}`);
  }
  return lab;
}

const hosts = { client: "client", server: "server", instance: "nat" } as const;

/** Prepares a host of the lab again, with changes. */
export function prepareAgain(lab: NatLab, host: keyof typeof hosts, changes: Partial<PrepareSpec>): void {
  lab.run(host, prepareCommand(host, changes));
}

/** Shell that prepares a host of the lab, on which the agent is. */
const prepareCommand = (host: keyof typeof hosts, changes: Partial<PrepareSpec> = {}) =>
  `cd /root && python3 .egress-bench/agent.py prepare <<'EOF_SPEC'\n${prepareSpec(host, changes)}\nEOF_SPEC`;

/** What a host's agent is prepared with; `changes` replace parts of it. */
export function prepareSpec(host: keyof typeof hosts, changes: Partial<PrepareSpec> = {}): string {
  return JSON.stringify({
    version: 1,
    host,
    role: hosts[host],
    secret: "a secret of the stack",
    executables: [],
    port: AGENT_PORT,
    services: servicesOf([], hosts[host]),
    dataPorts,
    ...changes,
  });
}

/** Runs the cases of a plan's entries all at once and returns what each found, in order. */
export function measure(lab: NatLab, ...inputs: readonly object[]): NatLimits[] {
  const cases = parsePlan({ cases: inputs }).cases;
  const started = cases.map(
    (one, n) => `${toolOf(one).command(one, SERVER)} > /tmp/out-${n} 2> /tmp/err-${n} &`,
  );
  lab.run("client", ["cd /root", ...started, "wait"].join("\n"));
  return cases.map((one, n) =>
    found(one, lab.run("client", `cat /tmp/out-${n}`), lab.run("client", `cat /tmp/err-${n}`)),
  );
}

function found(one: Case, stdout: string, stderr: string): NatLimits {
  const { measurement } = toolOf(one).parse(stdout, { case: one, exitCode: null, timedOut: false, stderr });
  if (measurement.natLimits === null) {
    throw new Error(`${one.id} found no limits: ${stdout}`);
  }
  return measurement.natLimits;
}
