/**
 * Hosts that change during a benchmark: booted, resized. Here the boot changes only in the agent's own record; that systemd
 * starts the daemon: tests/unit/agent-install.test.ts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunReport } from "../../bench/agent/protocol.ts";
import { jsonOf } from "../../bench/agent/read-report.ts";
import { assembleResults } from "../../bench/assemble/assemble.ts";
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import { hostFactsSchema } from "../../bench/results/index.ts";
import { DRIFTS_FILE } from "../../components/nat-instance/drift.ts";
import { natSetup } from "../../components/nat-instance/index.ts";
import { evaluate } from "../helpers/agent-host.ts";
import { counting, executions, observed } from "../helpers/agent-runs.ts";
import { preparedHost } from "../helpers/prepared-host.ts";
import { onePair } from "../unit/bench/fixture.ts";

const host = preparedHost();

/** Pretends that the machine was another one when it was prepared. */
function change(prepared: object): void {
  const file = join(host.directory, "prepared.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...prepared }));
}

test("the daemon starts on its own with the last preparation's settings, and runs its services", async () => {
  const before = await host.ask({ op: "status" });
  await host.call(["stop"]);
  await expect(host.ask({ op: "status" })).rejects.toThrow(/ECONNREFUSED/);
  const served = host.start(["serve"]);
  await expect.poll(() => host.ask({ op: "status" }).catch(() => null), { timeout: 8000 }).toEqual(before);
  // The next preparation takes over without mentioning a second daemon.
  expect(await host.prepare()).toMatchObject({ status: 0, stderr: "" });
  await host.call(["stop"]);
  await served.outcome;
});

test("facts of a host are taken again after a boot, and not before", async () => {
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

test("facts of a host are taken again after its set-up has restored something", async () => {
  const run = (key: string) => host.run({ key, command: "sleep 1.2", observe: [observed(host)] });
  expect((await run("as-prepared")).setUpAgain).toEqual([]);
  change({ drifts: 3 });
  const { rebooted, setUpAgain = [] } = await run("put-back");
  expect(rebooted).toEqual([]);
  expect(setUpAgain).toEqual([expect.objectContaining({ host: "test-server", role: "server" })]);
});

test("the agent and the set-up script use the same files", () => {
  expect(evaluate("set_up.DRIFTS_FILE")).toBe(DRIFTS_FILE);
  const script = natSetup({ privateCidrs: ["10.0.1.0/24"] });
  expect(script).toContain(`\nset_up_program=${evaluate("set_up.PROGRAM")}\n`);
});

test.each([
  ["rebooted", "server rebooted after it was prepared"],
  ["setUpAgain", "server was set up again, as something else had changed its rules or kernel settings"],
])("results have the newest facts, with the deployment's own, and a note: %s", (why, note) => {
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

test("a report holds for the hosts that it was measured on: only changed hosts are measured again", async () => {
  const command = counting("measured", "true");
  const measure = (hosts?: string) => host.run({ command, ...(hosts === undefined ? {} : { hosts }) });
  await measure();
  expect(executions(host, "measured")).toBe(1);
  // A stack of an earlier release recorded no hosts: its report counts as these hosts'.
  await measure("Standard_D2s_v5");
  await measure("Standard_D2s_v5");
  expect(executions(host, "measured")).toBe(1);
  await measure("Standard_D4s_v5");
  expect(executions(host, "measured")).toBe(2);
  await measure("Standard_D4s_v5");
  await measure();
  expect(executions(host, "measured")).toBe(2);
});
