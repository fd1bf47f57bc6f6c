/**
 * Runs the NAT probes between real hosts: a client, an instance with a chosen translation, and a server whose agent
 * runs the responder.
 */
import { readFileSync } from "node:fs";
import type { PrepareSpec } from "../../bench/agent/protocol.ts";
import { readRunReport } from "../../bench/agent/read-report.ts";
import { caseResult } from "../../bench/assemble/case-result.ts";
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import type { Case } from "../../bench/plan/plan.ts";
import type { CaseResult, NatLimits } from "../../bench/results/index.ts";
import { renewedPorts, servicesOf, toolOf } from "../../bench/tools/index.ts";
import { AGENT_PORT, dataPorts } from "../../bench/tools/ports.ts";
import { type NatSetupArgs, natSetup } from "../../components/nat-instance/index.ts";
import { installAgent } from "./agent-files.ts";
import { INSTANCE, type NatLab, natLab, PRIVATE_CIDR, SERVER, sharedLab } from "./nat-lab.ts";

/** A lab for all tests of a file, with the prepared agent on client and server. */
export const sharedProbeLab = () => sharedLab(probeLab);

/** Sets the instance's translation; undefined: plain routing. */
export function translate(lab: NatLab, args: Partial<NatSetupArgs> | undefined): void {
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], ...args }));
  if (args === undefined) {
    lab.run("instance", "nft delete table inet egress_bench");
  }
}

/** {@link sharedProbeLab} for one caller. */
export async function probeLab(atEnd: Parameters<typeof natLab>[0]): Promise<NatLab> {
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
function prepareSpec(host: keyof typeof hosts, changes: Partial<PrepareSpec> = {}): string {
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

/** The instance, as requests name it to the client's agent. */
const natHost = { host: "instance", role: "nat", address: INSTANCE, port: AGENT_PORT };

/** Prepares the instance to fail on request: its faulty path begins its faults then. */
export function prepareToFail(lab: NatLab): void {
  lab.run(
    "instance",
    `${installAgent("/root")}
printf '#!/bin/sh\nkill -USR1 "$(cat /tmp/faulty.pid)"\n' > /usr/local/sbin/egress-bench-ha
chmod +x /usr/local/sbin/egress-bench-ha
echo active > /run/egress-bench-ha`,
  );
  prepareAgain(lab, "instance", { services: [], failures: ["drain"] });
}

/** Measures a plan's entry on the client, as a run does: the case's result. */
export function resultOf(lab: NatLab, entry: object, key: string): CaseResult {
  const [one] = parsePlan({ cases: [entry] }).cases;
  if (one === undefined) throw new Error("a plan without a case");
  const spec = {
    ...{ version: 1, key, command: toolOf(one).command(one, SERVER), pauseSeconds: 0, timeoutSeconds: 60 },
    reducer: toolOf(one).reducer ?? "none",
    renew: renewedPorts(one),
    retry: { patterns: [], attempts: 1, delaySeconds: 0 },
    path: { address: SERVER, port: AGENT_PORT, expected: [], forbidden: [] },
    observe: [
      { host: "client", role: "client", address: "127.0.0.1", port: AGENT_PORT },
      { host: "server", role: "server", address: SERVER, port: AGENT_PORT },
      ...(one.tool === "failover" ? [natHost] : []),
    ],
  };
  const text = lab.run(
    "client",
    `cd /root && python3 .egress-bench/agent.py run <<'EOF_SPEC'\n${JSON.stringify(spec)}\nEOF_SPEC`,
  );
  const pairs = [{ client: "client", server: "server", report: readRunReport(text) }];
  return caseResult({ topology: "direct", case: one, command: spec.command, pairs });
}

const programs = { instance: "faulty-path.py", server: "faulty-https.py" } as const;

type Counts<Name extends string> = Readonly<Record<Name, number>>;

/** What the programs counted: the path by direction, and the server's requests. */
export interface Truth
  extends Readonly<
    Record<
      "egress" | "ingress",
      Counts<
        | (
            | "seen"
            | "fresh"
            | "outBytes"
            | "endAcked"
            | "endAgain"
            | "doneFresh"
            | "doneAgain"
            | "lost"
            | "flows"
            | "again"
          )
        | ("drop" | "duplicate" | "reorder" | "truncate" | "cut")
      >
    >
  > {
  readonly unanswered: Readonly<Record<string, number>>;
  readonly served: Counts<"seen" | "answered" | "connections" | "resumed" | "late" | "again" | "reset">;
}

/** Calls `during` while a host makes faults (`faulty-path.py`, `faulty-https.py`); what it returns, and the truth. */
export function behindFaults<T>(
  lab: NatLab,
  faults: object,
  during: () => T,
  host: keyof typeof programs = "instance",
): { found: T; truth: Truth } {
  const program = readFileSync(new URL(programs[host], import.meta.url), "utf8");
  lab.run(
    host,
    `cat > /tmp/faulty.py <<'END_OF_PROGRAM'
${program}END_OF_PROGRAM
[ -e /dev/net/tun ] || { mkdir -p /dev/net; mknod /dev/net/tun c 10 200; }
setsid chrt --fifo 1 python3 /tmp/faulty.py '${JSON.stringify(faults)}' < /dev/null > /tmp/faulty 2>&1 &
echo $! > /tmp/faulty.pid
until grep -q ready /tmp/faulty; do kill -0 "$(cat /tmp/faulty.pid)" || { cat /tmp/faulty >&2; exit 1; }; sleep 0.05; done`,
  );
  let found: T;
  try {
    found = during();
  } finally {
    lab.run(
      host,
      'kill "$(cat /tmp/faulty.pid)"; while kill -0 "$(cat /tmp/faulty.pid)" 2> /dev/null; do sleep 0.05; done',
    );
  }
  return { found, truth: JSON.parse(lab.run(host, "tail -n 1 /tmp/faulty")) as Truth };
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
