/** The exchange of `agent.py run` with other hosts, on loopback: the path's proof and their sampling. */
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { RunSpec } from "../../bench/agent/protocol.ts";
import { agentHost } from "../helpers/agent-host.ts";
import { counting, executions, observed } from "../helpers/agent-runs.ts";
import { CLOSED_PORT } from "../helpers/ports.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const host = preparedHost();

const self = (changes = {}) => observed(host, changes);
const count = (name: string) => executions(host, name);

describe("the path", () => {
  const path = (changes: Partial<RunSpec["path"]>) => ({ ...host.runSpec().path, ...changes });

  it.each<[string, Partial<RunSpec["path"]>, RegExp]>([
    [
      "an unexpected source",
      { expected: ["203.0.113.7", "203.0.113.8"] },
      /saw 127\.0\.0\.1, expected 203\.0\.113\.7, 203\.0\.113\.8/,
    ],
    [
      "a forbidden source",
      { expected: [], forbidden: ["127.0.0.1"] },
      /saw 127\.0\.0\.1, which proves another path/,
    ],
  ])("is refused for %s, and nothing is measured", async (name, changes, message) => {
    const key = name.replaceAll(" ", "-");
    const report = await host.run({ key, command: counting(key, "true"), path: path(changes) });
    expect(report.failure).toMatchObject({ class: "path-mismatch", message: expect.stringMatching(message) });
    expect(report).toMatchObject({ sourceIp: "127.0.0.1", attempts: [], exitCode: null });
    expect(count(key)).toBe(0);
  });

  it("is accepted if no source is expected", async () => {
    expect((await host.run({ key: "any", path: path({ expected: [] }) })).failure).toBeNull();
  });

  it("to a closed port is no route", async () => {
    const { failure } = await host.run({ key: "closed", path: path({ port: CLOSED_PORT }) });
    expect(failure?.class).toBe("no-route");
    expect(failure?.message).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${CLOSED_PORT} in 3 tries: Connection refused`),
    );
  });

  it("to another service is no route", async () => {
    const { failure } = await host.run({ key: "sink", path: path({ port: host.ports.connect }) });
    expect(failure).toMatchObject({
      class: "no-route",
      message: expect.stringContaining("connection closed"),
    });
  });

  it("to a server that lies about addresses is no route", async () => {
    const liar = createServer((socket) => socket.end('{"nonce":"x"}\n{"sourceIp":["a","b"]}\n'));
    liar.listen(0, "127.0.0.1");
    await once(liar, "listening");
    const { port } = liar.address() as { port: number };
    const { failure } = await host.run({ key: "liar", path: path({ port }) });
    liar.close();
    expect(failure).toMatchObject({
      class: "no-route",
      message: expect.stringContaining("without a source address"),
    });
  });

  it.each([
    ["no proof", ""],
    ["a proof of its own", `,"proof":"${"0".repeat(64)}"`],
  ])("with an answer that a machine on the way forges, with %s, is no route", async (_, proof) => {
    const forger = createServer((socket) => socket.end(`{"nonce":"x"}\n{"sourceIp":"127.0.0.1"${proof}}\n`));
    forger.listen(0, "127.0.0.1");
    await once(forger, "listening");
    const { port } = forger.address() as { port: number };
    const { failure } = await host.run({ key: `forged-${proof.length}`, path: path({ port }) });
    forger.close();
    expect(failure).toMatchObject({
      class: "no-route",
      message: expect.stringContaining("without this stack's proof"),
    });
  });
});

describe("sampling", () => {
  it("fails no case: every host that cannot be sampled has its reason", async () => {
    const liar = createServer((socket) =>
      socket.once("data", () => socket.end('{"cpu":{"series":7},"problem":null}\n')).write('{"nonce":"x"}\n'),
    );
    liar.listen(0, "127.0.0.1");
    await once(liar, "listening");
    const report = await host.run({
      key: "unsampled",
      command: "sleep 0.1",
      observe: [
        self({ host: "too-short" }),
        self({ host: "closed", role: "nat", port: CLOSED_PORT }),
        self({ host: "liar", role: "router", port: (liar.address() as { port: number }).port }),
      ],
    });
    liar.close();
    expect(report.failure).toBeNull();
    expect(report.hosts).toEqual([
      {
        host: "too-short",
        role: "server",
        cpu: null,
        network: expect.objectContaining({ series: [] }),
        cpuTime: expect.objectContaining({ start: expect.anything() }),
        problem: "no sample: the case took less than a second",
      },
      {
        host: "closed",
        role: "nat",
        cpu: null,
        network: null,
        problem: `agent of closed at 127.0.0.1:${CLOSED_PORT}: Connection refused`,
      },
      { host: "liar", role: "router", cpu: null, network: null, problem: "an answer without CPU figures" },
    ]);
  });

  it("restarts this host's daemon when it was killed", async () => {
    const client = await agentHost("client");
    try {
      await client.prepare();
      for (const { pid } of client.processes()) process.kill(pid, "SIGKILL");
      await expect.poll(() => client.processes()).toEqual([]);
      const report = await client.run({
        command: "sleep 1.2",
        path: host.runSpec().path,
        observe: [self({ port: client.ports.agent })],
      });
      expect(report.hosts[0]).toMatchObject({ problem: null });
    } finally {
      await client.dispose();
    }
  });
});
