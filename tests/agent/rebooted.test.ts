/**
 * Hosts that change under a benchmark: booted, resized. Here the boot is another one by the agent's own record of it; that
 * systemd starts the daemon is what a machine's unit says, tests/unit/agent-install.test.ts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunReport } from "../../agent/protocol.ts";
import { jsonOf } from "../../agent/read-report.ts";
import { assembleResults } from "../../bench/assemble/assemble.ts";
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import { hostFactsSchema } from "../../bench/results/index.ts";
import { DRIFTS_FILE } from "../../components/nat-instance/drift.ts";
import { natSetup } from "../../components/nat-instance/index.ts";
import { type AgentHost, agentHost, evaluate } from "../helpers/agent-host.ts";
import { counting, executions, observed } from "../helpers/agent-runs.ts";
import { onePair } from "../unit/bench/fixture.ts";

let host: AgentHost;
beforeAll(async () => {
  host = await agentHost("server");
  expect((await host.prepare()).stderr).toBe("");
});
afterAll(() => host.dispose());

/** As if the machine had been another one when it was prepared. */
function change(prepared: object): void {
  const file = join(host.directory, "prepared.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...prepared }));
}

test("the daemon comes up by itself with what the last preparation left, and runs what it ran", async () => {
  const before = await host.ask({ op: "status" });
  await host.call(["stop"]);
  await expect(host.ask({ op: "status" })).rejects.toThrow(/ECONNREFUSED/);
  const served = host.start(["serve"]);
  await expect.poll(() => host.ask({ op: "status" }).catch(() => null), { timeout: 8000 }).toEqual(before);
  // The next preparation takes over without a word of a second daemon.
  expect(await host.prepare()).toMatchObject({ status: 0, stderr: "" });
  await host.call(["stop"]);
  await served.outcome;
});

test("facts of a host are taken again once it has booted, and not before", async () => {
  const run = (key: string) => host.run({ key, command: "sleep 1.2", observe: [observed(host)] });
  expect((await run("same-boot")).rebooted).toEqual([]);
  change({ boot: "another" });
  const { rebooted = [], setUpAgain } = await run("other-boot");
  expect(setUpAgain).toEqual([]);
  expect(rebooted).toHaveLength(1);
  expect(hostFactsSchema.parse(rebooted[0])).toMatchObject({
    host: "test-server",
    role: "server",
    tuning: "none",
  });
  const { stdout } = await host.prepare();
  expect(JSON.parse(jsonOf(stdout)).facts.kernel).toBe(rebooted[0]?.kernel);
  expect((await run("prepared-again")).rebooted).toEqual([]);
});

test("facts of a host are taken again once its set-up has put something back", async () => {
  const run = (key: string) => host.run({ key, command: "sleep 1.2", observe: [observed(host)] });
  expect((await run("as-prepared")).setUpAgain).toEqual([]);
  change({ drifts: 3 });
  const { rebooted, setUpAgain = [] } = await run("put-back");
  expect(rebooted).toEqual([]);
  expect(setUpAgain).toEqual([expect.objectContaining({ host: "test-server", role: "server" })]);
});

test("the agent and the set-up script mean the same files", () => {
  expect(evaluate("set_up.DRIFTS_FILE")).toBe(DRIFTS_FILE);
  const script = natSetup({ privateCidrs: ["10.0.1.0/24"] });
  expect(script).toContain(`\nset_up_program=${evaluate("set_up.PROGRAM")}\n`);
});

test.each([
  ["rebooted", "server was booted after it had been prepared"],
  ["setUpAgain", "server was set up again, as something else had changed its rules or kernel settings"],
])("results have the newest facts, with what only the deployment knows, and a note: %s", (why, note) => {
  const facts = (kernel: string) =>
    hostFactsSchema.parse({
      ...{ host: "server", role: "server", kernel, os: null, architecture: null, cpus: 2, memoryBytes: null },
      ...{ congestionControl: null, interfaces: [], sysctls: {}, tools: {}, notes: [] },
    });
  const plan = parsePlan({ cases: [{ tool: "iperf3", durationSeconds: 1 }] });
  const report = {
    ...{
      version: 1,
      key: "k",
      failure: null,
      attempts: [],
      exitCode: 1,
      timedOut: false,
      stdout: "",
      stderr: "",
    },
    ...{ sourceIp: null, hosts: [], rawFile: null, startedAfterMs: null, [why]: [facts("6.9")] },
  } satisfies RunReport;
  const results = assembleResults({
    ...{ stack: "s", cloud: "azure", runId: "r", plan, topologies: [], notes: [] },
    server: { ...facts("6.1"), size: "Standard_D2s_v5" },
    runs: plan.cases.map((one) => ({ topology: "t", case: one, command: "", pairs: onePair(report) })),
  });
  expect(results.server).toMatchObject({ kernel: "6.9", size: "Standard_D2s_v5" });
  expect(results.notes).toEqual([expect.stringContaining(note)]);
});

test("a report is of the hosts that it was measured on: others are measured again, and the same are not", async () => {
  const command = counting("measured", "true");
  const measure = (hosts?: string) => host.run({ command, ...(hosts === undefined ? {} : { hosts }) });
  await measure();
  expect(executions(host, "measured")).toBe(1);
  // A stack of before hosts were recorded: its report counts as of these.
  await measure("Standard_D2s_v5");
  await measure("Standard_D2s_v5");
  expect(executions(host, "measured")).toBe(1);
  await measure("Standard_D4s_v5");
  expect(executions(host, "measured")).toBe(2);
  await measure("Standard_D4s_v5");
  await measure();
  expect(executions(host, "measured")).toBe(2);
});
