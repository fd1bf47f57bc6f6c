/** Command lines of the agent's programs: each refusal is one line that names the option and what it expects, and help. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../bench/plan/parse-plan.ts";
import { search } from "../../bench/tools/search/index.ts";
import type { SearchCase } from "../../bench/tools/search/plan.ts";

const agent = fileURLToPath(new URL("../../agent/", import.meta.url));

/** @param line A program of the agent and its words. */
function call(line: string) {
  const { status, stdout, stderr } = spawnSync("python3", ["-B", ...line.split(" ")], {
    cwd: agent,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const SUB_COMMANDS = "prepare, run, stop, serve, keep, connect, probe, sink, https, counter";
const PROBES = "connection-rate, concurrent-flows, idle-timeout, behaviour";
const connect = "agent.py connect --address 127.0.0.1";
const failover = "agent.py probe failover --address 127.0.0.1 --port 1 --sink-port 1 --duration 1";
const idle = "nat_limits.py idle-timeout --address 127.0.0.1 --port 1";
const [plan] = parsePlan({
  cases: [{ tool: "search", goal: "ndr", maxBitrate: "1G", durationSeconds: 1 }],
}).cases;
/** The search's own command, with another value of an option. */
const searchWith = (option: string, value: string) =>
  search
    .command(plan as SearchCase, "127.0.0.1")
    .replace(/^python3 \S*search\.py/, "search.py")
    .replace(new RegExp(`${option} \\S+`), `${option} ${value}`);

describe("refuses", () => {
  it.each<[line: string, says: string]>([
    ["agent.py", `agent.py: expected a sub-command (${SUB_COMMANDS}), got nothing`],
    ["agent.py dance", `agent.py: expected a sub-command (${SUB_COMMANDS}), got dance`],
    ["agent.py run --fast", "agent.py run: --fast: expected no argument"],
    ["agent.py connect --port 1 --duration 1", "agent.py connect: --address: expected a value, got nothing"],
    [
      `${connect} --port 0 --duration 1`,
      "agent.py connect: --port: expected a number from 1 to 65535, got 0",
    ],
    [`${connect} --port 1 --duration -1`, "agent.py connect: --duration: expected a number from 0.001"],
    [`${connect} --port 1 --duration`, "agent.py connect: --duration: expected a value, got nothing"],
    [
      `${connect} --port 1 --duration 1 --interval-ms 1e9`,
      "agent.py connect: --interval-ms: expected a number",
    ],
    ["agent.py connect --speed 9", "agent.py connect: --speed: unknown option, expected --address, --port"],
    [
      "agent.py connect --address nowhere --port 1 --duration 1",
      "agent.py connect: --address: expected an IP address, got nowhere",
    ],
    [`${failover} --kind explode`, "agent.py probe: --kind: expected one of kill, stop, reboot, blackhole"],
    [
      "nat_responder.py --port 70000",
      "nat_responder.py: --port: expected a number from 1 to 65535, got 70000",
    ],
    ["nat_responder.py --port 5", "nat_responder.py: --other-port: expected a value, got nothing"],
    ["nat_limits.py", `nat_limits.py: expected a probe (${PROBES}), got nothing`],
    [
      "nat_limits.py behaviour --address 127.0.0.1 --port 1",
      "nat_limits.py behaviour: --other-port: expected a value, got nothing",
    ],
    [
      `${idle} --protocol sctp --max-seconds 5`,
      "nat_limits.py idle-timeout: --protocol: expected tcp or udp, got sctp",
    ],
    [
      `${idle} --protocol tcp --max-seconds 2.5`,
      "nat_limits.py idle-timeout: --max-seconds: expected a whole number, got 2.5",
    ],
    [
      "nat_limits.py connection-rate --address somewhere --port 1 --duration 1",
      "nat_limits.py connection-rate: --address: expected an IPv4 address, got somewhere",
    ],
    [searchWith("--goal", "best"), "search.py: --goal: expected one of ndr, pdr, ndr-pdr, peak, got best"],
    [searchWith("--direction", "up"), "search.py: --direction: expected one of egress, ingress, got up"],
    [
      searchWith("--min-rate", "1000000000"),
      "search.py: --min-rate: expected a rate above 0 and below --max-rate",
    ],
    [searchWith("--max-trials", "121"), "search.py: --max-trials: expected a number from 1 to 120, got 121"],
    [searchWith("--streams", "1.5"), "search.py: --streams: expected a whole number, got 1.5"],
    ["under_load.py --load true", "under_load.py: --probe: expected a value, got nothing"],
    [
      "under_load.py --load true --probe true --lead x",
      "under_load.py: --lead: expected a number from 0 to 60, got x",
    ],
  ])("%s", (line, says) => {
    const { status, stdout, stderr } = call(line);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^.*\n$/);
    expect(stderr.slice(0, says.length)).toBe(says);
  });
});

it.each([
  ...["prepare", "run", "connect", "stop", "serve", "keep", "sink"].map((name) => `agent.py ${name}`),
  ...["search.py", "under_load.py"],
])("explains %s", (program) => {
  const { status, stdout } = call(`${program} --help`);
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^usage: ${program}`));
});
