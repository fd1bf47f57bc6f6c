/** The agent's files on a host, and the unit that starts it at boot, written by a real shell; systemd's commands are stand-ins. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { AGENT_DIRECTORY, commandLine } from "../../bench/index.ts";
import { AGENT_PACKAGE, agentSources, packedAgent } from "../../components/benchmark/agent-sources.ts";
import { installAndPrepare } from "../../components/benchmark/prepare-hosts.ts";
import { directoryOfTest } from "../helpers/temporary.ts";

test("systemd starts a machine's agent at boot, as the login user", () => {
  const root = directoryOfTest();
  const home = join(root, "home/azureuser");
  const cwd = join(home, AGENT_DIRECTORY);
  for (const directory of [
    "run/systemd/system",
    "etc/systemd/system",
    "bin",
    `home/azureuser/${AGENT_DIRECTORY}`,
  ]) {
    mkdirSync(join(root, directory), { recursive: true });
  }
  const program = (name: string, text: string) => {
    writeFileSync(join(root, "bin", name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(root, "bin", name), 0o755);
  };
  program("systemctl", `echo "$@" >> ${root}/called`);
  program("sudo", 'shift; exec "$@"');
  const source = agentSources()["start-at-boot.sh"] ?? "";
  const script = source.replaceAll(/(?<![\w/])\/(run|etc)\//g, `${root}/$1/`);
  const env = { HOME: home, PATH: `${root}/bin:${process.env.PATH}` };
  expect(spawnSync("sh", ["-ec", script], { cwd, env, encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
  expect(readFileSync(join(root, "etc/systemd/system/egress-bench-agent.service"), "utf8")).toBe(`[Unit]
Description=egress-bench host agent
Wants=network-online.target
After=network-online.target
[Service]
User=${userInfo().username}
WorkingDirectory=${home}
ExecStart=/usr/bin/env python3 ${cwd}/agent.py serve
[Install]
WantedBy=multi-user.target
`);
  expect(readFileSync(join(root, "called"), "utf8")).toBe(
    "daemon-reload\nenable egress-bench-agent.service\n",
  );
});

test("a host's preparation is one line, with only the necessary facts", () => {
  const args = { digest: "0", tuning: "none", isMachine: false } as const;
  expect(installAndPrepare(args, [], {})).toBe("python3 .egress-bench-agent.pyz 0 seconds=110 untune");
  const builds = { program: "example.com/program@v1" };
  expect(installAndPrepare({ digest: "0", tuning: "throughput", isMachine: true }, ["a", "b"], builds)).toBe(
    "python3 .egress-bench-agent.pyz 0 seconds=110 'packages=a b' 'builds=program example.com/program@v1' machine",
  );
});

test("a host has the agent's files, or says what cannot be written", () => {
  const home = directoryOfTest();
  const directory = join(home, AGENT_DIRECTORY);
  writeFileSync(directory, "");
  const { bytes, digest } = packedAgent();
  writeFileSync(join(home, AGENT_PACKAGE), bytes);
  const unpack = (expected: string) =>
    spawnSync("sh", ["-ec", commandLine(["python3", AGENT_PACKAGE, expected])], {
      cwd: home,
      encoding: "utf8",
    });
  const other = "0".repeat(64);
  expect(unpack(other)).toMatchObject({
    status: 1,
    stderr: `the agent on this host is not the one that was sent: expected SHA-256 ${other}, found ${digest}; run pulumi up again with a new runId\n`,
  });
  expect(unpack(digest)).toMatchObject({
    status: 1,
    stderr: `the agent cannot be written to ${directory}: File exists\n`,
  });
  rmSync(directory);
  expect(unpack(digest)).toMatchObject({ status: 0, stderr: "" });
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\./.test(path),
  );
  expect(
    Object.fromEntries(paths.map((path) => [path, readFileSync(join(directory, path), "utf8")])),
  ).toEqual(agentSources());
});

test("the packed agent is the same in every time zone: else its digest, and each host, would change with it", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const zones = { UTC: 0, "Asia/Tokyo": -540, "America/Lima": 300 };
  const digests = Object.entries(zones).map(([zone, offset]) => {
    vi.stubEnv("TZ", zone);
    expect(new Date().getTimezoneOffset()).toBe(offset);
    return packedAgent().digest;
  });
  expect(new Set(digests).size).toBe(1);
});
