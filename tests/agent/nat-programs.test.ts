/** The NAT probes' and the responder's command lines: their refusals, and the probes' findings without a NAT. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLOSED_PORT } from "../helpers/ports.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const server = preparedHost();

const program = (name: string, ...options: string[]) => {
  const { status, stdout, stderr } = spawnSync("python3", [join(server.directory, name), ...options], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};
const probe = (...options: string[]) => program("nat_limits.py", ...options);
const here = ["--address", "127.0.0.1"];

it.each([
  ["nat_responder.py", ["--port", "70000"], "--port: expected a number from 1 to 65535, got 70000"],
  ["nat_responder.py", ["--port", "5"], "--other-port: expected a value, got nothing"],
  ["nat_limits.py", [], "expected a probe (connection-rate, concurrent-flows, idle-timeout, behaviour), got"],
  ["nat_limits.py", ["behaviour", ...here, "--port", "1"], "--other-port: expected a value, got nothing"],
  [
    "nat_limits.py",
    ["idle-timeout", ...here, "--port", "1", "--protocol", "sctp", "--max-seconds", "5"],
    "--protocol: expected tcp or udp, got sctp",
  ],
  [
    "nat_limits.py",
    ["idle-timeout", ...here, "--port", "1", "--protocol", "tcp", "--max-seconds", "2.5"],
    "--max-seconds: expected a whole number, got 2.5",
  ],
  [
    "nat_limits.py",
    ["connection-rate", "--address", "somewhere", "--port", "1", "--duration", "1"],
    "--address: expected an IPv4 address, got somewhere",
  ],
])("%s refuses %j", (name, options, expected) => {
  const { status, stdout, stderr } = program(name, ...options);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(`${name.replace(".py", "")}`);
  expect(stderr).toContain(expected);
});

describe("the probes without a NAT", () => {
  it("connect at a rate, in several processes, and count failures", async () => {
    const rate = (port: number) =>
      JSON.parse(probe("connection-rate", ...here, "--port", String(port), "--duration", "0.5").stdout);
    const good = rate(server.ports.connect);
    expect(good).toMatchObject({ probe: "connection-rate", failed: 0, errors: {}, durationSeconds: 0.5 });
    expect(good.attempted).toBeGreaterThan(100);
    expect(good.latencyUs.samples).toBe(good.attempted);
    const refused = rate(CLOSED_PORT);
    expect(refused.failed).toBe(refused.attempted);
    expect(refused.errors).toEqual({ ECONNREFUSED: refused.attempted });
  });

  it.each(["tcp", "udp"])("open no %s flow where nothing answers", async (protocol) => {
    const port = String(CLOSED_PORT);
    const options = [
      ...here,
      "--port",
      port,
      "--protocol",
      protocol,
      "--duration",
      "5",
      "--max-flows",
      "500",
    ];
    expect(JSON.parse(probe("concurrent-flows", ...options).stdout)).toMatchObject({
      opened: 0,
      limitReached: true,
      error: "ECONNREFUSED",
    });
  });

  it("hold fewer connections than requested if the client may open no more files, and report that", () => {
    const port = String(server.ports.nat);
    const options = `--address 127.0.0.1 --port ${port} --protocol tcp --duration 5 --max-flows 500`;
    const script = `ulimit -n 200; exec python3 ${join(server.directory, "nat_limits.py")} concurrent-flows ${options}`;
    const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
    const { opened, bound, limitReached, error } = JSON.parse(stdout);
    expect({ limitReached, error }).toEqual({ limitReached: false, error: "EMFILE" });
    expect(opened).toBe(bound);
    expect(opened).toBeGreaterThan(150);
    expect(opened).toBeLessThan(200);
  });
});
