/** The agent's files on a host; and the unit that starts a machine's agent when it boots: written by a real shell, systemd's own commands stood in for. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installAndPrepare, unpackAgent } from "../../components/benchmark/agent-install.ts";
import { agentSources, packedAgent } from "../../components/benchmark/agent-sources.ts";
import { startAtBoot } from "../../components/benchmark/start-at-boot.ts";

test("a machine's agent is started by systemd when it boots, as the user that logs in", () => {
  const root = mkdtempSync(join(tmpdir(), "egress-bench-unit-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const directory of ["run/systemd/system", "etc/systemd/system", "bin"]) {
    mkdirSync(join(root, directory), { recursive: true });
  }
  const program = (name: string, text: string) => {
    writeFileSync(join(root, "bin", name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(root, "bin", name), 0o755);
  };
  program("systemctl", `echo "$@" >> ${root}/called`);
  program("sudo", 'shift; exec "$@"');
  const script = startAtBoot.replaceAll(/(?<![\w/])\/(run|etc)\//g, `${root}/$1/`);
  const env = { HOME: "/home/azureuser", PATH: `${root}/bin:${process.env.PATH}` };
  expect(spawnSync("sh", ["-ec", script], { env, encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
  expect(readFileSync(join(root, "etc/systemd/system/egress-bench-agent.service"), "utf8")).toBe(`[Unit]
Description=egress-bench host agent
Wants=network-online.target
After=network-online.target
[Service]
User=${userInfo().username}
WorkingDirectory=/home/azureuser
ExecStart=/usr/bin/env python3 /home/azureuser/.egress-bench/agent.py serve
[Install]
WantedBy=multi-user.target
`);
  expect(readFileSync(join(root, "called"), "utf8")).toBe(
    "daemon-reload\nenable egress-bench-agent.service\n",
  );
});

test("only a machine has one: a lab's host would reach the systemd of the machine that it is on", () => {
  const args = { digest: "0", tuning: "none", seconds: 60 } as const;
  expect(installAndPrepare({ ...args, isMachine: true })).toContain("start-at-boot");
  expect(installAndPrepare(args)).not.toContain("start-at-boot");
});

test("a host has the agent's files as they are, and no module of an earlier release", () => {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-unpacked-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "earlier.py"), "");
  const { bytes, digest } = packedAgent();
  writeFileSync(join(directory, "agent.gz"), bytes);
  const unpack = (expected: string) =>
    spawnSync("sh", ["-ec", unpackAgent("agent.gz", expected)], { cwd: directory, encoding: "utf8" });
  expect(unpack("0".repeat(64))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("is not the one that was sent"),
  });
  expect(unpack(digest)).toMatchObject({ status: 0, stderr: "" });
  rmSync(join(directory, "agent.gz"));
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\./.test(path),
  );
  expect(
    Object.fromEntries(paths.map((path) => [path, readFileSync(join(directory, path), "utf8")])),
  ).toEqual(agentSources());
});
