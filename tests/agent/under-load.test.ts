/** `under_load.py` for real, with small shell programs as load and probe. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { fixture } from "../unit/bench/fixture.ts";

const program = fileURLToPath(new URL("../../agent/under_load.py", import.meta.url));
const iperf3Output = fileURLToPath(new URL("../fixtures/iperf3/3.12-tcp-parallel-4.json", import.meta.url));

function measure(load: string, probe: string, lead = "0.1") {
  const options = ["--load", load, "--probe", probe, "--lead", lead];
  const { stdout } = spawnSync("python3", ["-B", program, ...options], { encoding: "utf8" });
  return { output: JSON.parse(stdout), size: stdout.length };
}

describe("a probe under load", () => {
  test("runs during it", () => {
    const { output } = measure("sleep 1", "sh -c 'echo measured; echo hm >&2; exit 3'");
    expect(output).toEqual({
      version: 1,
      covered: true,
      probe: { stdout: "measured\n", stderr: "hm\n", exitCode: 3 },
      load: { stdout: "", stderr: "", exitCode: 0 },
    });
  });

  test("does not run when the load has ended already", () => {
    const { output } = measure("sh -c 'echo refused >&2; exit 1'", "echo measured", "10");
    expect(output).toMatchObject({
      covered: false,
      probe: { stdout: "" },
      load: { exitCode: 1, stderr: "refused\n" },
    });
  });

  test("is not covered by a load that ends first", () => {
    expect(measure("sleep 0.2", "sleep 0.6").output).toMatchObject({ covered: false });
  });

  test("has the load's document reduced, and reports a signal like a shell", () => {
    const { output } = measure(`sh -c 'sleep 0.5; cat ${iperf3Output}'`, "sh -c 'kill -9 $$'");
    const reduced = JSON.parse(output.load.stdout);
    expect(reduced.end.sum_received.bytes).toBe(
      JSON.parse(fixture("iperf3/3.12-tcp-parallel-4.json")).end.sum_received.bytes,
    );
    expect(output.load.stdout.length).toBeLessThan(readFileSync(iperf3Output, "utf8").length / 4);
    expect(output.probe.exitCode).toBe(137);
  });

  test("prints at most a report's limit, whatever the two print", () => {
    const flood = "sh -c 'yes \\\\000 | head -c 1000000; sleep 0.5'";
    const { size, output } = measure(flood, flood);
    expect(size).toBeLessThan(48 * 1024);
    expect(output.probe.stdout).toContain("left out");
  });

  test("ends with its process group, which the agent kills", async () => {
    const mark = `77.${process.pid}`;
    const child = spawn(
      "python3",
      ["-B", program, "--load", `sleep ${mark}`, "--probe", `sleep ${mark}`, "--lead", "0.1"],
      {
        detached: true,
        stdio: "ignore",
      },
    );
    const group = child.pid!;
    onTestFinished(() => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-group, "SIGKILL");
    });
    const sleeping = () => spawnSync("pgrep", ["-cf", `^sleep ${mark}$`], { encoding: "utf8" }).stdout.trim();
    await expect.poll(sleeping).toBe("2");
    process.kill(-group, "SIGTERM");
    await once(child, "exit");
    await expect.poll(sleeping).toBe("0");
  });
});
