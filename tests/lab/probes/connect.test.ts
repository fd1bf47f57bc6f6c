/** The connect probe under losses that the instance makes and counts; HTTP and searches compared with its counters. */
import { beforeAll, describe, expect, test } from "vitest";
import { parsePlan, servicesOf, toolOf } from "../../../bench/index.ts";
import { connectOutputSchema, SINK_PORT } from "../../../bench/tools/connect/index.ts";
import { AGENT_PORT } from "../../../bench/tools/ports.ts";
import { installAgent } from "../../helpers/agent-files.ts";
import { hasVegeta, installVegeta } from "../../helpers/http-tools.ts";
import { judged } from "../../helpers/judged.ts";
import { INSTANCE, PRIVATE_CIDR, SERVER } from "../../helpers/nat-lab.ts";
import { behindFaults, prepareAgain, sharedProbeLab, translate } from "../../helpers/nat-probes.ts";

const lab = sharedProbeLab();

/** Seconds between two connections. */
const INTERVAL = 0.01;
/** Seconds by which a busy machine may begin a connection late, and an outage with it. */
const SLACK = 0.1;

/** Output of a client's command behind faults of its SYNs, and the truth. */
function losing(faults: object, command: string) {
  translate(lab, undefined);
  const ofSyns = { port: SINK_PORT, protocol: "tcp", syns: true, ...faults };
  return behindFaults(lab, ofSyns, () => lab.run("client", `cd /root && ${command}`));
}

/** The probe's figures for such losses. */
function trial(faults: object, seconds: number, options = "") {
  const words = `--address ${SERVER} --port ${SINK_PORT} --duration ${seconds} ${options}`;
  const { found, truth } = losing(faults, `python3 .egress-bench/agent.py connect ${words}`);
  return { output: connectOutputSchema.parse(JSON.parse(found)), truth: truth.egress };
}

test("two lost SYNs in a hundred delay only their own connections, and are no outage", () =>
  judged(
    () => trial({ egress: { drop: 0.02 } }, 6),
    ({ output, truth }) => {
      expect(truth.drop).toBeGreaterThanOrEqual(5);
      expect(output).toMatchObject({ attempted: 600, failed: 0, outages: [], notSent: 0 });
      // Connections behind a lost SYN used to wait for it: p50 was 234 ms and p90 1.96 s.
      expect(output.latencyUs.p50).toBeLessThan(50_000);
      expect(output.latencyUs.p90).toBeLessThan(100_000);
      const slow = (output.latencyUs.histogram ?? []).filter(([largest]) => largest > 900_000);
      expect(slow.reduce((sum, [, count]) => sum + count, 0)).toBe(truth.drop);
    },
  ));

/** One outage, of so many seconds. */
function expectOutage(outages: readonly { seconds: number }[] | null | undefined, seconds: number): void {
  expect(outages).toHaveLength(1);
  expect(outages?.[0]?.seconds).toBeGreaterThan(seconds - INTERVAL - SLACK);
  expect(outages?.[0]?.seconds).toBeLessThan(seconds + INTERVAL + SLACK);
}

test.each([0.3, 1.2, 2.2])("an outage of %d s is measured at its length", (seconds) =>
  judged(
    () => trial({ outages: [[1, 1 + seconds]] }, seconds + 2.5),
    ({ output, truth }) => {
      expect(truth.lost).toBeGreaterThan(0);
      expectOutage(output.outages, seconds);
      expect(output.notSent).toBe(0);
    },
  ),
);

test("an outage of 3 s is measured at its length under a load whose own datagrams pass", () => {
  const load = { protocol: "udp", direction: "egress", bitrate: "10M" };
  const [one] = parsePlan({ cases: [{ tool: "connect", durationSeconds: 6, load }] }).cases;
  return judged(
    () => losing({ outages: [[1, 4]] }, toolOf(one!).command(one!, SERVER)).found,
    (text) => {
      const context = { case: one!, exitCode: 0, timedOut: false, stderr: "" };
      const { measurement } = toolOf(one!).parse(text, context);
      expectOutage(measurement.outages, 3);
      expect(measurement.bitsPerSecond).toBeGreaterThan(9e6);
    },
  );
});

test("reaching the bound on open connections is reported", () => {
  const options = "--interval-ms 5 --max-open 40";
  const { output } = trial({ outages: [[0.5, 2]] }, 3, options);
  expect(output.openLimit).toBe(40);
  expect(output.notSent).toBeGreaterThan(0);
  expect(output.attempted + (output.notSent ?? 0)).toBe(600);
});

test.skipIf(!hasVegeta)(
  "HTTPS requests pass the instance: each new connection is a flow of its own there",
  () => {
    translate(lab, {});
    const { cases } = parsePlan({
      cases: [
        { tool: "http", durationSeconds: 4, requestsPerSecond: 40, httpVersion: "1.1" },
        { tool: "http", durationSeconds: 4, requestsPerSecond: 40, connections: "new" },
      ],
    });
    lab.run("client", installVegeta());
    prepareAgain(lab, "server", { services: [...servicesOf(cases, "server")] });
    const count =
      "table inet requests { chain begun { type filter hook forward priority 0; tcp dport 5205 tcp flags & (syn | ack) == syn counter; }; }";
    for (const one of cases) {
      lab.run("instance", `nft 'add table inet requests; delete table inet requests; ${count}'`);
      const stdout = lab.run("client", `cd /root && ${toolOf(one).command(one, SERVER)}`);
      const context = { case: one, exitCode: 0, timedOut: false, stderr: "" };
      const { requests } = toolOf(one).parse(stdout, context).measurement;
      expect(requests).toMatchObject({ failed: 0 });
      expect(requests?.attempted).toBeGreaterThan(100);
      const begun = Number(
        /packets (\d+)/.exec(lab.run("instance", "nft list chain inet requests begun"))?.[1],
      );
      // One connection of the proof, those of a second of warm-up, and repeated SYNs of a busy machine.
      expect(begun - 1).toBeGreaterThanOrEqual(requests?.connections ?? 0);
      expect(begun - 1).toBeLessThanOrEqual((requests?.connections ?? 0) + 200);
      expect(requests?.connections === requests?.attempted, one.id).toBe(one.id.includes("new"));
    }
  },
);

describe("a search's trial has the packets a second and drops that the instance's own rules count", () => {
  beforeAll(() => {
    translate(lab, { inbound: [{ protocol: "tcp", port: AGENT_PORT, cidrs: [PRIVATE_CIDR] }] });
    lab.run("instance", installAgent("/root"));
    prepareAgain(lab, "instance", {});
  });
  const nat = JSON.stringify([{ host: "instance", role: "nat", address: INSTANCE, port: AGENT_PORT }]);
  const searched = (input: object) => {
    // Ahead of everything else on each link, so that the flowtable's packets are counted too.
    const links = ["eth0", "eth1"].map(
      (link) =>
        `chain ${link} { type filter hook ingress device ${link} priority -500; udp length > 900 numgen inc mod 10 == 0 counter drop; counter; }`,
    );
    lab.run(
      "instance",
      `nft 'add table netdev counted; delete table netdev counted; table netdev counted { ${links.join("; ")}; }'`,
    );
    const [one] = parsePlan({
      cases: [{ tool: "search", durationSeconds: 1, maxTrials: 1, confirmations: 0, ...input }],
    }).cases;
    const command = toolOf(one!).command(one!, SERVER);
    const stdout = lab.run("client", `cd /root && EGRESS_BENCH_NAT_HOSTS='${nat}' ${command}`);
    const counted = lab.run("instance", "nft list table netdev counted; nft delete table netdev counted");
    const counts = (line: RegExp) =>
      [...counted.matchAll(line)].reduce((sum, [, one]) => sum + Number(one), 0);
    const context = { case: one!, exitCode: 0, timedOut: false, stderr: "" };
    // None if the search's one trial does not count, since its sender fell behind its rate.
    const rates = toolOf(one!).parse(stdout, context).measurement.packetRates;
    const dropped = counts(/packets (\d+) bytes \d+ drop/g);
    return { rates, dropped, passed: counts(/^\s*counter packets (\d+)/gm) };
  };
  // A few packets of the agents' requests, the control connection and the proof are on one side only.
  const few = 40;

  test("of TCP", () =>
    judged(
      () => searched({ goal: "peak", maxStreams: 1 }),
      ({ rates, passed }) => {
        expect(Math.abs(rates!.nat! - passed)).toBeLessThan(few);
        expect(Object.values(rates!).every((one) => one !== null)).toBe(true);
        expect(rates!.sender! + rates!.receiver!).toBeGreaterThan(100);
      },
    ));

  test("of UDP", () => {
    const bounds = { maxBitrate: "8M", datagramBytes: 1000, durationSumSeconds: 1 };
    return judged(
      () => searched({ goal: "pdr", lossPercent: 20, ...bounds }),
      ({ rates, dropped, passed }) => {
        expect(dropped).toBeGreaterThan(80);
        expect(Math.abs(rates!.natDrops! - dropped)).toBeLessThan(few);
        expect(Math.abs(rates!.nat! - passed - dropped)).toBeLessThan(few);
        expect(Math.abs(rates!.sender! - rates!.receiver! - dropped)).toBeLessThan(few);
      },
    );
  });
});
