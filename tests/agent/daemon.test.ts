/** The real agent on loopback: prepare, the control port, supervision, stop. No network between hosts here. */
import { once } from "node:events";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareReportSchema } from "../../bench/agent/protocol.ts";
import { jsonOf } from "../../bench/agent/read-report.ts";
import { dataPlaneSchema } from "../../bench/results/index.ts";
import { MAX_PAIRS } from "../../bench/tools/iperf3/plan.ts";
import { DATA_PLANE_FILE } from "../../components/nat-instance/index.ts";
import { type AgentHost, agentHost, evaluate, signed, talk } from "../helpers/agent-host.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const server = preparedHost();

const daemonPid = (host: AgentHost): number =>
  JSON.parse(readFileSync(join(host.directory, "daemon.json"), "utf8")).pid;
const mode = (path: string): number => statSync(path).mode & 0o777;
const pidOf = (host: AgentHost, name: string): number | undefined =>
  host.processes().find(({ command }) => command.startsWith(name))?.pid;

describe("prepare", () => {
  it("reports facts about the host", async () => {
    const { facts } = prepareReportSchema.parse(JSON.parse(jsonOf((await server.prepare()).stdout)));
    expect(facts).toMatchObject({ host: "test-server", role: "server" });
    expect(facts.kernel).toBe(readFileSync("/proc/sys/kernel/osrelease", "utf8").trim());
    expect(facts.cpus).toBeGreaterThan(0);
    expect(facts.memoryBytes).toBeGreaterThan(2 ** 26);
    expect(facts.congestionControl).toMatch(/^\w+$/);
    expect(facts.tools).toMatchObject({
      iperf3: expect.stringMatching(/^\d+\.\d+/),
      sockperf: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(facts.interfaces.map(({ name }) => name)).not.toContain("lo");
  });

  it("keeps the secret private and off every command line and environment", () => {
    expect(mode(server.directory)).toBe(0o700);
    expect(mode(join(server.directory, "secret"))).toBe(0o600);
    expect(readFileSync(join(server.directory, "config.json"), "utf8")).not.toContain(
      "a secret of the stack",
    );
    for (const { pid, command } of server.processes()) {
      expect(command).not.toContain("a secret of the stack");
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("a secret of the stack");
    }
  });

  it("reads a set-up script's notes", () => {
    const file = join(server.home, "notes");
    appendFileSync(file, "no nftables flowtable in this kernel\n\n  no netem  \n");
    const read = "[host_facts.read_notes(data[0]), host_facts.read_notes(data[1]), host_facts.NOTES_FILE]";
    expect(evaluate(read, [file, join(server.home, "none")])).toEqual([
      ["no nftables flowtable in this kernel", "no netem"],
      [],
      "/run/egress-bench-notes",
    ]);
  });

  it("reads a NAT instance's data plane", () => {
    const texts = [...dataPlaneSchema.options.map((name) => `${name}\n`), "vpp\n", ""];
    const files = texts.map((text, index) => {
      const file = join(server.home, `data-plane-${index}`);
      writeFileSync(file, text);
      return file;
    });
    const read = "[[host_facts.data_plane(file) for file in data], host_facts.DATA_PLANE_FILE]";
    expect(evaluate(read, [...files, join(server.home, "none")])).toEqual([
      [...dataPlaneSchema.options, null, null, null],
      DATA_PLANE_FILE,
    ]);
  });

  it("leaves an up-to-date daemon alone, and restarts any other", async () => {
    const host = await agentHost("client");
    try {
      await host.prepare();
      const first = daemonPid(host);
      await host.prepare();
      await host.prepare({ executables: ["iperf3"] });
      expect(daemonPid(host)).toBe(first);

      await host.prepare({ secret: "another secret of the stack" });
      const second = daemonPid(host);
      expect(second).not.toBe(first);
      expect(await host.ask({ op: "status" })).toHaveProperty("error");

      appendFileSync(join(host.directory, "agent.py"), "# changed\n");
      expect((await host.prepare({ secret: "another secret of the stack" })).status).toBe(0);
      expect(daemonPid(host)).not.toBe(second);
      expect(host.processes()).toHaveLength(2); // the daemon and its keeper
    } finally {
      await host.dispose();
    }
  });

  it("serves two callers at once with one daemon", async () => {
    const host = await agentHost("client");
    try {
      const outcomes = await Promise.all([host.prepare(), host.prepare(), host.prepare()]);
      expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0]);
      expect(host.processes()).toHaveLength(2); // the daemon and its keeper
    } finally {
      await host.dispose();
    }
  });

  it("names every missing executable and the host", async () => {
    const outcome = await server.prepare({ executables: ["iperf3", "no-such-tool", "nor-this"] });
    expect(outcome).toMatchObject({ status: 1, stdout: "" });
    expect(outcome.stderr).toBe(
      "agent.py prepare: host test-server lacks no-such-tool, nor-this: install what provides it and try again\n",
    );
  });

  it("says which service does not start, and why", async () => {
    const host = await agentHost("server");
    const squatter = createServer().listen(host.ports.iperf3, "0.0.0.0");
    await once(squatter, "listening");
    try {
      const outcome = await host.prepare();
      expect(outcome.status).toBe(1);
      expect(outcome.stderr).toMatch(/host test-server: .*iperf3 does not listen on port \d+: .*in use/);
    } finally {
      squatter.close();
      await host.dispose();
    }
  });

  it.each<[string, unknown, string]>([
    ["no JSON", "{", "stdin: expected one JSON document"],
    ["half a surrogate pair", '{"version":1,"host":"\\ud800"}', "stdin: expected one JSON document"],
    ["no object", [], "stdin: expected a JSON object"],
    ["another protocol", { version: 2 }, "version: expected 1, this agent's protocol, got 2"],
    [
      "an unknown role",
      { role: "boss" },
      'role: expected one of client, server, nat, router, jump, got "boss"',
    ],
    ["a short secret", { secret: "short" }, "secret: expected a text of 16 characters or more"],
    ["an executable that is a path", { executables: ["../sh"] }, "executables: expected a list of names"],
    ["no port", { port: 0 }, "port: expected a port, 1 to 65535, got 0"],
    [
      "a service without a program",
      { services: [{ name: "x", port: 1, command: [] }] },
      "services[0].command: expected a program and its arguments, got []",
    ],
    ["no services", { services: "none" }, "services: expected a list of at most 32 services"],
    ["no host", { host: null }, "host: expected a name, got nothing"],
  ])("refuses %s", async (_, changes, message) => {
    const whole = typeof changes === "string" || Array.isArray(changes);
    const outcome = await server.call(
      ["prepare"],
      whole ? changes : { ...server.prepareSpec, ...(changes as object) },
    );
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toMatch(/^agent\.py prepare: .*\n$/);
    expect(outcome.stderr).toContain(message);
  });
});

describe("control port", () => {
  const port = () => server.ports.agent;
  const secret = () => server.prepareSpec.secret;
  const whoami = () => talk(port(), () => '{"op":"whoami"}\n');

  it("tells every caller the address it sees", async () => {
    expect((await whoami())[1]).toEqual({ sourceIp: "127.0.0.1" });
  });

  it.each<[string, (nonce: string) => string | Buffer, string]>([
    ["an unauthenticated request", () => '{"op":"status"}\n', "expected whoami, or an authenticated request"],
    [
      "another stack's secret",
      (nonce) => signed({ op: "status" }, nonce, "another secret!!"),
      "not authentic",
    ],
    ["another connection's nonce", () => signed({ op: "status" }, "00", secret()), "not authentic"],
    [
      "a changed request",
      (nonce) => signed({ op: "observe-stop", id: "x" }, nonce, secret()).replace("stop", "stoP"),
      "not authentic",
    ],
    ["a MAC that is no ASCII", () => '{"request":"{}","mac":"\u00e9"}\n', "not authentic"],
    ["a long line", () => `"${"x".repeat(5000)}"\n`, "a line of more than 4096 bytes"],
    ["a line without end", () => "x".repeat(300_000), "a line of more than 4096 bytes"],
    ["deep nesting", () => `${"[".repeat(4000)}\n`, "a line that is no JSON"],
    ["bytes", () => Buffer.from([0xff, 0x00, 0xfe, 0x0a]), "a line that is no JSON"],
    ["no object", () => "7\n", "a line that is no JSON object"],
    ["an unknown operation", (nonce) => signed({ op: "halt" }, nonce, secret()), "unknown operation halt"],
    [
      "an endless window",
      (nonce) => signed({ op: "observe-start", id: "x", maxSeconds: 1e9 }, nonce, secret()),
      "expected id and maxSeconds, 0 to 86400",
    ],
    [
      "the end of a window that never began",
      (nonce) => signed({ op: "observe-stop", id: "x" }, nonce, secret()),
      "no such window",
    ],
  ])("refuses %s", async (_, reply, message) => {
    const answer = (await talk(port(), reply).catch(() => []))[1];
    // A peer that keeps sending after the refusal may be reset before it has read it.
    if (answer !== undefined) expect(answer.error).toContain(message);
    expect((await whoami())[1]).toEqual({ sourceIp: "127.0.0.1" });
  });

  it("answers while silent connections use up their limit", async () => {
    const silent: Socket[] = [];
    const closed: number[] = [];
    const tooMany = 22;
    for (let index = 0; index < 2 * MAX_PAIRS + tooMany; index++) {
      const socket = connect(port(), "127.0.0.1").on("error", () => {});
      silent.push(socket.resume().on("close", () => closed.push(index)));
      await once(socket, "connect");
    }
    expect((await whoami())[1]).toEqual({ sourceIp: "127.0.0.1" });
    // The oldest was evicted, long before the others end by time-out.
    await expect.poll(() => closed.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(tooMany);
    expect(Math.max(...closed.slice(0, tooMany))).toBeLessThan(2 * tooMany);
    for (const socket of silent) socket.destroy();
  });

  it("bounds the number of windows, and restarts one of the same name", async () => {
    const begin = (id: string) => server.ask({ op: "observe-start", id, maxSeconds: 30 });
    const before = server.processes().length;
    for (let index = 0; index < 16; index++) expect(await begin(`w${index}`)).toEqual({ ok: true });
    expect(await begin("w3")).toEqual({ ok: true });
    expect(await begin("one too many")).toEqual({ error: "16 windows are open already" });
    // A window is a thread of the daemon, never a process of its own.
    expect(server.processes()).toHaveLength(before);
    for (let index = 0; index < 16; index++) {
      expect(await server.ask({ op: "observe-stop", id: `w${index}` })).toHaveProperty("cpuTime");
    }
    expect(await server.ask({ op: "observe-stop", id: "w3" })).toHaveProperty("error");
  });
});

describe("supervision", () => {
  it.each(["iperf3", "sockperf"])("starts a killed %s again", async (name) => {
    const before = pidOf(server, name);
    process.kill(before!, "SIGKILL");
    await expect.poll(() => [before, undefined].includes(pidOf(server, name))).toBe(false);
    expect(await server.prepare()).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("stop", () => {
  it("leaves no process, and reports when there was none", async () => {
    const host = await agentHost("server");
    try {
      await host.prepare();
      await host.ask({ op: "observe-start", id: "left open", maxSeconds: 60 });
      expect(host.processes().length).toBeGreaterThan(5);
      expect(JSON.parse((await host.call(["stop"])).stdout)).toEqual({ version: 1, stopped: true });
      expect(host.processes()).toEqual([]);
      expect(JSON.parse((await host.call(["stop"])).stdout)).toEqual({ version: 1, stopped: false });
    } finally {
      await host.dispose();
    }
  });

  it("ends a measurement under way", async () => {
    const waiter = server.start(["run"], server.runSpec({ key: "endless", command: "sleep 300" }));
    await expect.poll(() => server.processes().map(({ command }) => command)).toContain("sleep 300");
    await server.call(["stop"]);
    expect((await waiter.outcome).status).toBe(1);
    expect(server.processes()).toEqual([]);
    expect(await server.prepare()).toMatchObject({ status: 0, stderr: "" });
  });
});
