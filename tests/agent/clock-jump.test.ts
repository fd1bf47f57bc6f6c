/** A host's clock is set during a case, with real agents on loopback. Python's wall clock jumps, not the kernel's. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentHost, agentHost } from "../helpers/agent-host.ts";
import { observed } from "../helpers/agent-runs.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-clock-"));
const jump = join(directory, "jump");
let host: AgentHost;
beforeAll(async () => {
  const modules = fileURLToPath(new URL("../helpers/jumping-clock", import.meta.url));
  host = await agentHost("server", { PYTHONPATH: modules, CLOCK_JUMP: jump });
  expect(await host.prepare()).toMatchObject({ status: 0, stderr: "" });
});
afterAll(async () => {
  await host.dispose();
  rmSync(directory, { recursive: true });
});

describe.each([
  { name: "an hour ahead", seconds: 3600 },
  { name: "an hour back", seconds: -3600 },
])("a clock that jumps $name in the middle of a case", ({ name, seconds }) => {
  it("neither fails the case nor gives impossible figures, and the next case is normal", async () => {
    const command = `sleep 1; echo ${seconds} > ${jump}; sleep 2`;
    const key = `jump.${name.replaceAll(" ", "-")}`;
    const { failure, attempts, hosts } = await host.run({ key, command, observe: [observed(host)] });
    const [{ startedAt, finishedAt } = { startedAt: "", finishedAt: "" }] = attempts;
    const told = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
    expect(Math.round((told - seconds) / 60)).toBe(0);
    const [{ cpu, cpuTime, problem } = { cpu: null, cpuTime: null, problem: "none" }] = hosts;
    expect([failure, problem]).toEqual([null, null]);
    expect(cpuTime!.end.uptimeSeconds - cpuTime!.start.uptimeSeconds).toBeLessThan(60);
    expect(cpu?.busyPercent ?? 0).toBeGreaterThanOrEqual(0);
    expect(cpu?.busyPercent ?? 0).toBeLessThanOrEqual(100);
    const next = await host.run({ key: `${key}.next`, command: "sleep 1.2", observe: [observed(host)] });
    expect([next.failure, next.hosts[0]?.problem]).toEqual([null, null]);
    rmSync(jump);
  });
});
