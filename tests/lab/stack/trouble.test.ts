/**
 * Troubles in the middle: nothing measured is lost, failures are results, and the next `up` continues. Each `up` meets
 * several troubles, on separate paths or in turn; `npm run bench -- faults` has one each.
 */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CaseResult, Results } from "../../../bench/results/index.ts";
import { endHost } from "../../../components/local/lab/hosts.ts";
import { hostsOf, whenRuns } from "../../helpers/lab-hosts.ts";
import { type LabStack, openLabStack, shortCase } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";

const DIRECT = "direct-client";
const FORWARDER = "nat-instance-box";
const BEHIND_NAT = "nat-instance-client";

let lab: LabStack;
/** Results of the first `up`, without troubles. */
let results: Results;
beforeAll(async () => {
  const configuration = {
    topologies: ["direct", "nat-instance"],
    local: { links: { client: { rate: "50M" } } },
    plan: {
      cases: [
        { id: "rest", tool: "connect", durationSeconds: 1 },
        { tool: "connect", durationSeconds: 1, load: { streams: 4 } },
      ],
    },
  };
  lab = await openLabStack(configuration, { environment: savingAtEnd });
  ({ results } = await lab.up());
});
afterAll(() => lab.dispose());

let runs = 1;
function newRun(cases: unknown[]): void {
  runs += 1;
  lab.configure({ runId: String(runs), plan: { name: "short", cases } });
}

/** An action once a host runs a tool with such a command line. */
interface Strike {
  readonly when: readonly [host: string, tool: RegExp];
  readonly act: () => unknown;
}

/** Runs `up` with strikes, in turn. */
async function upWhile(...strikes: Strike[]): Promise<Results> {
  const struck = async () => {
    for (const { when, act } of strikes) {
      await whenRuns(lab.lab, ...when);
      await act();
    }
  };
  const [{ results }] = await Promise.all([lab.up(), struck()]);
  return results;
}

const strike = (when: Strike["when"], host: string, script: string): Strike => ({
  when,
  act: () => lab.onHost(host, script),
});

const outcome = (cases: readonly CaseResult[], topology: string) =>
  cases
    .filter((one) => one.topology === topology)
    .map(({ id, status, failure }) => [id, failure?.class ?? status]);
const find = (from: Results, topology: string, id: string): CaseResult =>
  from.cases.find((one) => one.topology === topology && one.id === id)!;

test("latency under load is above latency at rest, and the load's throughput is with it", () => {
  const rest = find(results, "direct", "rest").measurement!;
  const under = find(results, "direct", "tcp-connect-under-tcp-egress-p4").measurement!;
  expect(under.latencyUs!.p50).toBeGreaterThan(2 * rest.latencyUs!.p50!);
  expect(under.streams).toHaveLength(4);
  expect(under.bitsPerSecond).toBeGreaterThan(25e6);
});

const wrongWay = {
  begin:
    "ip address add 198.19.2.77/32 dev eth1; nft 'add table ip wrong; add chain ip wrong out { type nat hook postrouting priority 0; }; add rule ip wrong out snat to 198.19.2.77'",
  end: "nft delete table ip wrong; ip address del 198.19.2.77/32 dev eth1",
};
const cut = {
  begin:
    "nft 'add table ip cut; add chain ip cut through { type filter hook forward priority 0; policy drop; }'",
  end: "nft delete table ip cut",
};
/** Waits for the tool's client: without one, killing the server fails nothing. */
const CONNECTED = "timeout 20 sh -c 'until ss -Htnp state established | grep -q iperf3; do sleep 0.1; done'";
/** Prints garbage for UDP, and hangs in the case of 3 s. */
const FAKE = [
  "#!/bin/sh",
  'case " $* " in',
  '*" -t 3 "*) exec sleep 333 ;;',
  '*" -u "*) exec head -c 100000 /dev/urandom ;;',
  '*) exec iperf3.away "$@" ;;',
  "esac",
].join("\n");

describe("a failed measurement is a result, and the rest continue", () => {
  let failed: Results;
  beforeAll(async () => {
    newRun([
      shortCase("server-killed", { durationSeconds: 6 }),
      shortCase("killed", { durationSeconds: 5 }),
      shortCase("hangs", { durationSeconds: 3 }),
      shortCase("garbage", { protocol: "udp", bitrate: "5M" }),
      { id: "connect", tool: "connect", durationSeconds: 7 },
    ]);
    lab.onHost(FORWARDER, `${cut.begin}; nft -s list ruleset > /run/rules-before`);
    lab.onHost("server", "ip route replace 198.19.2.77/32 dev eth2");
    lab.onHost(
      DIRECT,
      `cd /usr/bin; mv iperf3 iperf3.away; cat > iperf3 <<'END_OF_FAKE'\n${FAKE}\nEND_OF_FAKE\nchmod 755 iperf3`,
    );
    failed = await upWhile(
      strike([DIRECT, /^iperf3.away .* -t 6/], "server", `${CONNECTED}; kill $(pgrep -f 'iperf3 -s')`),
      strike([DIRECT, /^iperf3.away .* -t 5/], DIRECT, "kill -9 $(pgrep -f '[i]perf3.away .*-c ')"),
      // It hangs until it is killed, which is time enough.
      strike([DIRECT, /^sleep 333/], FORWARDER, `${cut.end}; ${wrongWay.begin}`),
      strike([DIRECT, /agent.py connect/], FORWARDER, wrongWay.end),
      {
        when: [BEHIND_NAT, /agent.py connect/],
        act: async () => {
          lab.onHost(FORWARDER, "nft -s list ruleset > /run/rules-before; nft flush ruleset");
          await delay(2500);
          lab.onHost(FORWARDER, "nft flush ruleset; nft -f /run/rules-before");
        },
      },
    );
    lab.onHost(DIRECT, "mv /usr/bin/iperf3.away /usr/bin/iperf3");
  });

  test("when the server or the tool is killed, the tool hangs, or prints garbage", () => {
    expect(outcome(failed.cases, "direct")).toEqual([
      ["server-killed", "tool-error"],
      ["killed", expect.stringMatching(/^(tool-error|bad-output)$/)],
      ["hangs", "timeout"],
      ["garbage", "bad-output"],
      ["connect", "ok"],
    ]);
    expect(find(failed, "direct", "server-killed")).toMatchObject({
      measurement: null,
      failure: { message: expect.stringMatching(/\w/) },
    });
  });

  test("when the server cannot be reached, or the traffic takes a wrong path", () => {
    expect(outcome(failed.cases, "nat-instance")).toEqual([
      ["server-killed", "no-route"],
      ["killed", "no-route"],
      ["hangs", "path-mismatch"],
      ["garbage", "path-mismatch"],
      ["connect", "ok"],
    ]);
    expect(find(failed, "nat-instance", "hangs").failure?.message).toMatch(/198\.19\.2\.77.*198\.19\.2\.1/);
    expect(failed.topologies.map(({ path }) => path.status)).toEqual(["proved", "mismatch"]);
  });

  test("a NAT instance without its rules for two seconds is an outage of that length", () => {
    const { outages } = find(failed, "nat-instance", "connect").measurement!;
    expect(Math.max(...outages!.map(({ seconds }) => seconds))).toBeGreaterThan(2);
    // Unknown, where the probe itself got no processor.
    const { outages: none, connections } = find(failed, "direct", "connect").measurement!;
    expect(none).toEqual(connections!.lateMs! > 100 ? null : []);
  });
});

describe("a broken run", () => {
  let whole: Results;
  /** Cases measured by the `up` that continued. */
  const measured = new Set<string>();

  test("loses nothing when only the SSH connection breaks", async () => {
    newRun([
      shortCase("one", { durationSeconds: 4 }),
      shortCase("two", { durationSeconds: 3 }),
      shortCase("three"),
    ]);
    // Each run restores a NAT instance's changed settings before it measures.
    lab.onHost(FORWARDER, "nft flush ruleset");
    const cutOff = upWhile(strike([DIRECT, /iperf3 -c .* -t 4/], DIRECT, "kill -9 $(pgrep -f 'sshd: root')"));
    await expect(cutOff).rejects.toThrow(
      /direct:one.*error: wait: remote command exited without exit status or exit signal: running "timeout .*agent\.py run"/s,
    );
  });

  test("continues where it broke, on new hosts where one died, and measures only missing cases", async () => {
    const runner = "kill -9 $(cat /root/.egress-bench/runs/*two*/runner.pid)";
    const broken = upWhile(strike([DIRECT, /iperf3 -c .* -t 3/], DIRECT, runner));
    await expect(broken).rejects.toThrow(
      /direct:two.*was ended before it had a report; the next `pulumi up` measures this case again/s,
    );
    expect(lab.onHost(DIRECT, `ls /root/.egress-bench/runs | grep -c '^${runs}\\..*one'`).trim()).toBe("1");
    const [client] = hostsOf(lab.lab).filter(({ host }) => host === DIRECT);
    await endHost(client!);
    ({ results: whole } = await lab.up({
      onEvent: ({ resourcePreEvent }) => {
        const { urn = "", op } = resourcePreEvent?.metadata ?? {};
        const name = urn.split("::").at(-1)!;
        if (/^(direct|nat-instance):/.test(name) && op?.startsWith("create")) {
          measured.add(name);
        }
      },
    }));
    const all = ["one", "two", "three"].map((id) => [id, "ok"]);
    expect(outcome(whole.cases, "direct")).toEqual(all);
    expect(outcome(whole.cases, "nat-instance")).toEqual(all);
    expect([...measured]).toEqual(["direct:two", "nat-instance:two", "direct:three", "nat-instance:three"]);
    expect(find(whole, "direct", "one").attempts).toHaveLength(1);
    expect(hostsOf(lab.lab).find(({ host }) => host === DIRECT)?.generation).not.toBe(client!.generation);
  });

  test("is refused before anything is measured if a host lacks a tool of the plan", async () => {
    newRun([shortCase("one")]);
    lab.onHost(BEHIND_NAT, "mv /usr/bin/iperf3 /usr/bin/iperf3.away");
    const refused = await lab.up().then(String, String);
    expect(refused).toMatch(/host nat-instance-client lacks iperf3: install what provides it/);
    expect(refused).not.toMatch(/(direct|nat-instance):one/);
  });

  test("is destroyed even when half of it is gone", async () => {
    const gone = hostsOf(lab.lab).filter(({ host }) => host !== "server");
    await Promise.all(gone.map(endHost));
    await lab.stack.destroy({ color: "never" });
    expect(lab.hosts()).toEqual([]);
  });
});
