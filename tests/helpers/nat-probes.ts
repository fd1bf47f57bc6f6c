/**
 * Runs the NAT probes between real hosts: a client, an instance with a chosen translation, and a server whose agent
 * runs the responder.
 */
import type { PrepareSpec } from "../../bench/agent/protocol.ts";
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import type { Case } from "../../bench/plan/plan.ts";
import type { NatLimits } from "../../bench/results/index.ts";
import { servicesOf, toolOf } from "../../bench/tools/index.ts";
import { AGENT_PORT, dataPorts } from "../../bench/tools/ports.ts";
import { type NatSetupArgs, natSetup } from "../../components/nat-instance/index.ts";
import { installAgent } from "./agent-files.ts";
import { type NatLab, natLab, PRIVATE_CIDR, SERVER, sharedLab } from "./nat-lab.ts";

/** A lab for all tests of a file, with the prepared agent on client and server. */
export const sharedProbeLab = () => sharedLab(probeLab);

/** Sets the instance's translation; undefined: plain routing. */
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

export function prepareAgain(lab: NatLab, host: keyof typeof hosts, changes: Partial<PrepareSpec>): void {
  lab.run(host, prepareCommand(host, changes));
}

/** Shell that prepares a lab host with an installed agent. */
const prepareCommand = (host: keyof typeof hosts, changes: Partial<PrepareSpec> = {}) =>
  `cd /root && python3 .egress-bench/agent.py prepare <<'EOF_SPEC'\n${prepareSpec(host, changes)}\nEOF_SPEC`;

/** The preparation of a host's agent; `changes` replace parts of it. */
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

/** Runs the cases of a plan's entries concurrently and returns their measurements in order. */
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
