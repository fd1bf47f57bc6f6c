/** The file of the packed agent, and the removal of killed processes' files. */
import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { packedAgent } from "../../components/benchmark/agent-sources.ts";
import { packedAgentFile } from "../../components/benchmark/prepare-hosts.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-file-"));
beforeAll(() => void vi.stubEnv("TMPDIR", directory));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

it("is in this process's directory, and removes those of ended processes", async () => {
  const gone = spawnSync("true").pid;
  const own = `egress-bench-agent-${hostname()}`;
  const kept = [
    `${own}-${process.ppid}-living`,
    `${own}-${gone}`,
    `egress-bench-agent-elsewhere-${gone}-killed`,
    "egress-bench-agent-x7Hg2s",
    "other",
  ];
  for (const name of [...kept, `${own}-${gone}-killed`])
    mkdirSync(join(directory, name, "inside"), { recursive: true });
  symlinkSync(join(directory, "other"), join(directory, `${own}-${gone}-link`));
  kept.push(`${own}-${gone}-link`);
  if (process.getuid?.() === 0) {
    kept.push(`${own}-${gone}-stranger`);
    mkdirSync(join(directory, `${own}-${gone}-stranger`));
    chownSync(join(directory, `${own}-${gone}-stranger`), 65533, 65533);
  }

  const path = (await packedAgentFile()).path as unknown as string;
  expect(readFileSync(await path)).toEqual(packedAgent().bytes);
  const [made, ...others] = readdirSync(directory).filter((name) => !kept.includes(name));
  expect(made).toMatch(new RegExp(`^${own}-${process.pid}-\\w{6}$`));
  expect(others).toEqual([]);
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(kept));
  expect(readdirSync(join(directory, "other"))).toEqual(["inside"]);
});
