/**
 * What goes wrong in the middle: nothing measured is lost, failures are results, and the next `up` goes on.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Results, resultsSchema } from "../../../bench/results/index.ts";
import { endHost } from "../../../components/local/lab/hosts.ts";
import { hostsOf } from "../../helpers/lab-hosts.ts";
import { type LabStack, openLabStack, shortCase } from "../../helpers/lab-stack.ts";

let lab: LabStack;
beforeAll(async () => {
  lab = await openLabStack({ topologies: ["direct"], plan: { name: "short", cases: [shortCase("one")] } });
  await lab.up();
});
afterAll(() => lab.dispose());

let runs = 1;
function newRun(cases: unknown[]): void {
  runs += 1;
  lab.configure({ runId: String(runs), plan: { name: "short", cases } });
}

/** `up`, with a shell script run on a host as soon as a tool runs on the client. */
async function upWhile(tool: string, host: string, script: string): Promise<Results> {
  const acted = expect
    .poll(() => lab.onHost("direct-client", `pgrep -f '${tool}' || :`), { timeout: 60_000, interval: 100 })
    .not.toBe("")
    .then(() => lab.onHost(host, script));
  const [{ results }] = await Promise.all([lab.up(), acted]);
  return results;
}

function outcome(results: Results) {
  return results.cases.map(({ id, status, failure }) => [id, failure?.class ?? status]);
}

describe("a failed measurement is a result, and the rest go on", () => {
  test("when the iperf3 server is killed in mid-test", async () => {
    newRun([shortCase("one", { durationSeconds: 6 }), shortCase("two")]);
    const results = await upWhile("iperf3 -c", "server", "kill $(pgrep -f 'iperf3 -s')");
    expect(outcome(results)).toEqual([
      ["one", "tool-error"],
      ["two", "ok"],
    ]);
    expect(results.cases[0]).toMatchObject({
      measurement: null,
      failure: { message: expect.stringMatching(/\w/) },
    });
  });

  test("when a tool outlasts its time-out, and when it prints garbage", async () => {
    newRun([
      shortCase("silent"),
      shortCase("garbage", { protocol: "udp", bitrate: "5M" }),
      { id: "connect", tool: "connect", durationSeconds: 1 },
    ]);
    lab.onHost("server", "kill -STOP $(pgrep -f 'iperf3 -s')");
    // For UDP another tool than for TCP, whose server is silent.
    const fake = [
      "#!/bin/sh",
      'case " $* " in',
      '*" -u "*) exec head -c 100000 /dev/urandom ;;',
      '*) exec iperf3.away "$@" ;;',
      "esac",
    ].join("\n");
    lab.onHost(
      "direct-client",
      `cd /usr/bin; mv iperf3 iperf3.away; cat > iperf3 <<'END_OF_FAKE'\n${fake}\nEND_OF_FAKE\nchmod 755 iperf3`,
    );
    const { results } = await lab.up();
    lab.onHost("direct-client", "mv /usr/bin/iperf3.away /usr/bin/iperf3");
    lab.onHost("server", "kill -CONT $(pgrep -f 'iperf3 -s')");
    expect(outcome(results)).toEqual([
      ["silent", "timeout"],
      ["garbage", "bad-output"],
      ["connect", "ok"],
    ]);
  });

  test("when the server cannot be reached", async () => {
    newRun([shortCase("one")]);
    lab.onHost(
      "direct-box",
      "nft 'add table ip cut; add chain ip cut through { type filter hook forward priority 0; policy drop; }'",
    );
    const { results } = await lab.up();
    lab.onHost("direct-box", "nft delete table ip cut");
    expect(outcome(results)).toEqual([["one", "no-route"]]);
  });

  test("when the traffic takes another path than it should", async () => {
    newRun([shortCase("one")]);
    lab.onHost(
      "direct-box",
      "nft 'add table ip wrong; add chain ip wrong out { type nat hook postrouting priority 100; }; add rule ip wrong out masquerade'",
    );
    const { results } = await lab.up();
    lab.onHost("direct-box", "nft delete table ip wrong");
    expect(outcome(results)).toEqual([["one", "path-mismatch"]]);
    expect(results.cases[0]?.failure?.message).toMatch(/198\.19\.1\.1.*198\.18\.1\.2/);
    expect(results.topologies[0]?.path.status).toBe("mismatch");
  });
});

describe("a host without a tool of the plan", () => {
  test("is refused before anything is measured", async () => {
    newRun([shortCase("one")]);
    lab.onHost("direct-client", "mv /usr/bin/iperf3 /usr/bin/iperf3.away");
    const refused = await lab.up().then(String, String);
    lab.onHost("direct-client", "mv /usr/bin/iperf3.away /usr/bin/iperf3");
    expect(refused).toMatch(/host direct-client lacks iperf3/);
  });
});

describe("a broken run", () => {
  test("goes on where it broke, measuring only what is missing", async () => {
    newRun([shortCase("one"), shortCase("two", { durationSeconds: 4 }), shortCase("three")]);
    const broken = upWhile("iperf3 -c .* -t 4", "direct-client", "kill -9 $(pgrep -f 'agent.py run')");
    await expect(broken).rejects.toThrow(/direct:two/);
    const events: string[] = [];
    const { results } = await lab.up({
      onEvent: ({ resourcePreEvent }) => {
        const { urn = "", op } = resourcePreEvent?.metadata ?? {};
        if (urn.includes("Command::direct:") && op?.startsWith("create")) {
          events.push(urn.split(":").at(-1)!);
        }
      },
    });
    expect(outcome(results).map(([, status]) => status)).toEqual(["ok", "ok", "ok"]);
    expect([...new Set(events)]).toEqual(["two", "three"]);
  });

  test("costs nothing when only the SSH connection breaks", async () => {
    newRun([shortCase("one", { durationSeconds: 4 })]);
    const broken = upWhile("iperf3 -c", "direct-client", "kill -9 $(pgrep -f 'sshd: root')");
    await expect(broken).rejects.toThrow(/direct:one/);
    const { results } = await lab.up();
    expect(results.cases[0]).toMatchObject({ status: "ok", attempts: { length: 1 } });
    expect(lab.onHost("direct-client", `ls /root/.egress-bench/runs | grep -c '^${runs}\\.'`).trim()).toBe(
      "1",
    );
  });

  test("makes anew a host that died, keeps what was measured, and measures on", async () => {
    const before = resultsSchema.parse((await lab.stack.outputs()).results?.value);
    const [client] = hostsOf(lab.lab).filter(({ host }) => host === "direct-client");
    await endHost(client!);
    lab.configure({
      plan: { name: "short", cases: [shortCase("one", { durationSeconds: 4 }), shortCase("again")] },
    });
    const { results } = await lab.up();
    expect(results.cases.slice(0, 1)).toEqual(before.cases);
    expect(outcome(results)).toEqual([
      ["one", "ok"],
      ["again", "ok"],
    ]);
    expect(lab.hosts()).toContain("direct-client");
  });

  test("is destroyed also when half of it is gone", async () => {
    const gone = hostsOf(lab.lab).filter(({ host }) => host !== "server");
    await Promise.all(gone.map(endHost));
    await lab.stack.destroy({ color: "never" });
    expect(lab.hosts()).toEqual([]);
  });
});
