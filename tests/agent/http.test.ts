/** HTTP cases with the real nginx and vegeta on loopback, against a server that this test stops for a while. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Measurement, parsePlan } from "../../bench/index.ts";
import { type HttpCase, http } from "../../bench/tools/http/index.ts";
import { type AgentHost, agentHost, evaluate } from "../helpers/agent-host.ts";
import { hasVegeta } from "../helpers/http-tools.ts";
import { CLOSED_PORT } from "../helpers/ports.ts";
import { failureOf } from "../helpers/tool-failure.ts";

const one = (entry: object = {}) =>
  parsePlan({ cases: [{ tool: "http", durationSeconds: 3, ...entry }] }).cases[0] as HttpCase;

const context = (changes: object = {}) => ({
  ...{ case: one(), exitCode: 0, timedOut: false, stderr: "" },
  ...changes,
});

const failure = (stdout: string, changes: object = {}) =>
  failureOf(() => http.parse(stdout, context(changes)));

let host: AgentHost;
beforeAll(async () => {
  host = await agentHost("server");
  await host.prepare({ services: [...http.services({ https: host.ports.https })] });
});
afterAll(() => host.dispose());

/** The words of a case's command, for this host's port. */
const probe = (benchCase: HttpCase, port: number = host.ports.https) =>
  http
    .command(benchCase, "127.0.0.1")
    .replace("python3 .egress-bench/agent.py ", "")
    .replace("--port 5205", `--port ${port}`)
    .split(" ");

async function measure(benchCase: HttpCase): Promise<Measurement> {
  const { status, stdout, stderr } = await host.call(probe(benchCase));
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return http.parse(stdout, context({ case: benchCase })).measurement;
}

describe.skipIf(!hasVegeta)("its figures", () => {
  const versions = ["1.1", "2"] as const;

  it("use a new connection for each request, or few in total", async () => {
    await Promise.all(
      versions.map(async (httpVersion) => {
        const [kept, fresh] = await Promise.all([
          measure(one({ httpVersion, durationSeconds: 2 })),
          measure(one({ httpVersion, durationSeconds: 2, connections: "new" })),
        ]);
        expect(kept.requests).toMatchObject({ failed: 0 });
        expect(kept.requests?.connections).toBeLessThan(kept.requests?.attempted ?? 0);
        expect(fresh.requests?.connections).toBe(fresh.requests?.attempted);
        expect(fresh.requests?.attempted).toBeGreaterThan(100);
        // Includes the handshakes of TCP and TLS.
        expect(fresh.latencyUs?.p50).toBeGreaterThan(kept.latencyUs?.p50 ?? 0);
        expect(kept.latencyUs?.kind).toBe("request");
      }),
    );
  });

  it("include every request that met a stall of the server, with its wait", async () => {
    const rate = 40;
    const cases = versions.flatMap((httpVersion) =>
      (["kept", "new"] as const).map((connections) =>
        one({ httpVersion, connections, requestsPerSecond: rate, durationSeconds: 5 }),
      ),
    );
    const running = cases.map((benchCase) => host.start(probe(benchCase)));
    const attacks = () =>
      processesBy((words) => words.includes("attack") && words.includes(String(host.ports.https)));
    await expect.poll(() => attacks().length, { timeout: 30_000 }).toBe(cases.length);
    // Warm-up is over.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const workers = serverWorkers();
    const begin = performance.now();
    for (const pid of workers) process.kill(pid, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    for (const pid of workers) process.kill(pid, "SIGCONT");
    const stalled = (performance.now() - begin) / 1000;
    for (const [index, benchCase] of cases.entries()) {
      const { status, stdout } = await running[index]!.outcome;
      expect(status).toBe(0);
      const { latencyUs, requests } = http.parse(stdout, context({ case: benchCase })).measurement;
      expect(requests).toMatchObject({ failed: 0 });
      const waits = (latencyUs?.histogram ?? []).flatMap(([most, count]) =>
        Array<number>(count).fill(most / 1e6),
      );
      // A request due t s after the stall's beginning waits the stall's length less t, and less the delay of a busy machine
      // in starting it. In a closed loop only one request would wait.
      const late = (requests?.lateMs ?? 0) / 1000;
      for (const longer of [0.25, 0.5, 0.75]) {
        const found = waits.filter((seconds) => seconds > longer).length;
        const truth = rate * (stalled - longer - late);
        expect(found, `${benchCase.id}, over ${longer} s`).toBeGreaterThanOrEqual(Math.floor(0.6 * truth));
      }
    }
  });

  it("do not exist without vegeta, without a server, or from a server with another secret", async () => {
    const alone = await agentHost("client", { PATH: "/usr/bin:/bin" });
    const stranger = await agentHost("client");
    try {
      await alone.prepare({ services: [] });
      const missing = await alone.call(probe(one()));
      // A machine may have vegeta among its own programs.
      if (missing.status !== 0) {
        expect(failure("", { exitCode: 1, stderr: missing.stderr })).toMatchObject({
          failureClass: "tool-missing",
          message: expect.stringContaining("docs/results.md#http"),
        });
      }
      const closed = await host.call(probe(one(), CLOSED_PORT));
      expect(closed.stderr).toContain("no HTTPS server at port");
      await stranger.prepare({ services: [], secret: "the secret of another stack" });
      const refused = await stranger.call(probe(one()));
      expect(refused).toMatchObject({ status: 1 });
      expect(refused.stderr).toContain("the certificate at the server's address is not the server's own");
    } finally {
      await Promise.all([alone.dispose(), stranger.dispose()]);
    }
  });
});

it("requests a second count those answered during the test", () => {
  // Ten requests a second: one second of warm-up and two of test; the second one's are answered five seconds late.
  const header = (bytes: number) =>
    Buffer.from(`Content-Length: ${bytes}\r\nEgress-Bench: HTTP/2.0 1\r\n`).toString("base64");
  const rows = Array.from({ length: 30 }, (_, number) => [
    ...[1e18 + number * 1e8, 200, number < 20 ? 1e6 : 5e9, 0, 1000].map(String),
    ...["", "", "", String(number), "GET", "", header(1000)],
  ]);
  const given = { rate: "10", version: "2", bytes: "1000", omit: "1", duration: "2" };
  const document = evaluate(
    "(lambda tally: (tally.read(data['rows']), tally.document())[1])(http.Tally(data['given']))",
    { rows, given },
  );
  expect(document).toMatchObject({ planned: 20, attempted: 20, failed: 0, answeredInTime: 10 });
  const stdout = JSON.stringify({ version: 1, toolVersion: null, ...(document as object) });
  const benchCase = one({ requestsPerSecond: 10, durationSeconds: 2 });
  expect(http.parse(stdout, context({ case: benchCase })).measurement.requests).toMatchObject({
    perSecond: 5,
  });
});

it.skipIf(!hasVegeta)("its server ends with a killed daemon", async () => {
  const [worker] = serverWorkers();
  const daemon = host.processes().find(({ command }) => command.includes("agent.py serve"));
  process.kill(daemon?.pid ?? 0, "SIGKILL");
  await expect.poll(() => existsSync(`/proc/${worker}`), { timeout: 20_000 }).toBe(false);
});

/** nginx's processes that answer requests: their titles overwrite the mark of the agent's programs. */
function serverWorkers(): number[] {
  const parentOf = (pid: string) => /\nPPid:\t(\d+)/.exec(procFile(pid, "status"))?.[1] ?? "";
  const workers = processesBy(
    (words, pid) =>
      words.startsWith("nginx: worker") && procFile(parentOf(pid), "cmdline").includes(host.home),
  );
  expect(workers.length).toBeGreaterThan(0);
  return workers;
}

function processesBy(isWanted: (words: string, pid: string) => boolean): number[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && isWanted(procFile(pid, "cmdline"), pid))
    .map(Number);
}

function procFile(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // it has ended
  }
}
