/**
 * Ctrl-C during a matrix, by real signals, while a cell of the lab is measured or destroyed; and a later run's use of
 * `out/`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { endHost } from "../../../components/local/lab/hosts.ts";
import { type LivingHost, livingHosts } from "../../../components/local/lab/living-hosts.ts";
import { labName } from "../../../components/local/lab-name.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-matrix-interrupt-"));
const out = join(directory, "out");
afterAll(async () => {
  // A failed test may have left hosts.
  const isOurs = ({ lab }: LivingHost) =>
    lab === labName(lab.replace(/@.*/, ""), root, `file://${directory}`);
  await Promise.all(livingHosts().filter(isOurs).map(endHost));
  rmSync(directory, { recursive: true });
});

/** Runs the command in its own process group, which is signalled at a given output. */
async function matrix(
  name: string,
  more: readonly string[] = [],
  stopAt?: { said: RegExp; signal: NodeJS.Signals },
) {
  const file = join(directory, `${name}.yaml`);
  const cases = [{ tool: "iperf3", bitrate: "20M", durationSeconds: 2 }];
  const defaults = { cloud: "local", topologies: ["direct"], plan: { cases } };
  writeFileSync(file, stringify({ name, defaults, axes: { pairs: [1] }, backend: `file://${directory}` }));
  const child = spawn(process.execPath, ["cli/main.ts", "compare", "--matrix", file, "--out", out, ...more], {
    ...{ cwd: root, detached: true, stdio: ["ignore", "ignore", "pipe"] },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (stopAt?.said.test(said)) {
      const { signal } = stopAt;
      stopAt = undefined;
      process.kill(-(child.pid as number), signal);
    }
  });
  const [code] = await once(child, "close");
  return { code, said };
}

const deployed = () => {
  const states = join(directory, ".pulumi/stacks/egress-bench");
  return readdirSync(states)
    .filter((file) => file.endsWith(".json"))
    .filter(
      (file) =>
        (JSON.parse(readFileSync(join(states, file), "utf8")).checkpoint.latest?.resources ?? []).length > 0,
    );
};

test.each([
  ["measuring", /iperf3|tcp/, "SIGINT"],
  ["destroying", /Destroying/, "SIGHUP"],
] as const)("while %s it destroys deployed stacks (%s, %s)", async (_, said, signal) => {
  const run = await matrix("nat", [], { said, signal });
  expect(run.said).toContain("is being taken down");
  expect(run.said).not.toContain("STILL DEPLOYED");
  expect(run.code).toBe(130);
  expect(deployed()).toEqual([]);
});

test("stacks of a matrix with a similar name are left alone, and results of an earlier run do not count", async () => {
  const kept = await matrix("week-two", ["--keep"]);
  expect(kept.code).toBe(0);
  expect(kept.said).toContain(
    `go on:   npm run compare -- --matrix ${join(directory, "week-two.yaml")} --out ${out} --resume`,
  );
  const other = deployed();
  expect(other).toHaveLength(1);
  const whole = await matrix("week");
  expect(whole.said).toContain("Measured: 1 of 1 cell");
  expect([whole.code, whole.said.includes("STILL DEPLOYED")]).toEqual([0, false]);
  const broken = await matrix("week", [], { said: /iperf3|tcp/, signal: "SIGINT" });
  expect(broken.said).toContain("Measured: 0 of 1 cell");
  expect(readdirSync(out).filter((name) => name.startsWith("week-1"))).toEqual([
    expect.stringMatching(/^week-1-[0-9a-f]{8}\.json\.before$/),
  ]);
  expect(deployed()).toEqual(other);
  expect((await matrix("week-two", ["--down"])).code).toBe(0);
  expect(deployed()).toEqual([]);
});
