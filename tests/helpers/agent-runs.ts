/** Helpers for tests of `agent.py run`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunSpec } from "../../bench/agent/protocol.ts";
import type { AgentHost } from "./agent-host.ts";

/** Counts its executions in a file of the host's home, where commands run. */
export const counting = (name: string, command: string) => `echo . >> ${name}; ${command}`;

/** Number of executions of a counting command. */
export function executions(host: AgentHost, name: string): number {
  const file = join(host.home, name);
  return existsSync(file) ? readFileSync(file, "utf8").length / 2 : 0;
}

/** Whether the agent has a process with exactly this command line. */
export const isRunning = (host: AgentHost, command: string) =>
  host.processes().some((process) => process.command === command);

/** An iperf3 client of the host's own server. */
export const iperf3Of = (host: AgentHost, options: string) =>
  `iperf3 -J -c 127.0.0.1 -p ${host.ports.iperf3} --connect-timeout 3000 ${options}`;

/** A host in the form of a host to be sampled. */
export const observed = (host: AgentHost, changes: Partial<RunSpec["observe"][number]> = {}) => ({
  host: "test-server",
  role: "server" as const,
  address: "127.0.0.1",
  port: host.ports.agent,
  ...changes,
});
