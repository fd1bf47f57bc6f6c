/**
 * The failover probe on a path that an instance's rules make fail in ways that are known: for a part of the flows, again
 * and again, and only for what the server sends.
 */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { type Failover, failoverSchema } from "../../../bench/results/failover.ts";
import { SINK_PORT } from "../../../bench/tools/connect/index.ts";
import { NAT_PORT } from "../../../bench/tools/nat/index.ts";
import { AGENT_PORT } from "../../../bench/tools/ports.ts";
import { installAgent } from "../../helpers/agent-files.ts";
import { INSTANCE, SERVER } from "../../helpers/nat-lab.ts";
import { prepareSpec, sharedProbeLab, translate } from "../../helpers/nat-probes.ts";

const FLOWS = 100;
const FURTHER = 20;
const lab = sharedProbeLab();
const program = readFileSync(new URL("../../helpers/failing-path.sh", import.meta.url), "utf8");
const natHosts = JSON.stringify([{ host: "instance", address: INSTANCE, port: AGENT_PORT }]);

beforeAll(() => {
  translate(lab, undefined);
  lab.run(
    "instance",
    `${installAgent("/root")}
cat > /usr/local/sbin/egress-bench-ha <<'END_OF_SCRIPT'
${program}END_OF_SCRIPT
chmod +x /usr/local/sbin/egress-bench-ha
echo active > /run/egress-bench-ha
cd /root && python3 .egress-bench/agent.py prepare <<'EOF_SPEC'
${prepareSpec("instance", { services: [], failures: ["drain"] })}
EOF_SPEC`,
  );
});

/** What the probe finds, and how many milliseconds the path really failed. */
function fail(mode: string, seconds: number): { readonly found: Failover; readonly failedMs: number } {
  lab.run("instance", `echo ${mode} > /tmp/failing-path; rm -f /tmp/failed`);
  const text = lab.run(
    "client",
    `cd /root && EGRESS_BENCH_NAT_HOSTS='${natHosts}' python3 .egress-bench/agent.py probe failover --address ${SERVER} --port ${NAT_PORT} --sink-port ${SINK_PORT} --kind drain --duration ${seconds} --flows ${FLOWS}`,
  );
  const failedMs = Number(lab.run("instance", "cat /tmp/failed; nft delete table inet failing"));
  return { found: failoverSchema.parse({ failure: "drain", ...JSON.parse(text) }), failedMs };
}

test("half of the flows: all survive, half of the new connections fail for as long as it lasted", () => {
  const { found, failedMs } = fail("half", 6);
  const missed = found.missed?.new;
  // The longest outage of single connections is what chance makes it, and was all that was told.
  expect(found.outages.new.ms).toBeLessThan(failedMs / 2);
  expect(missed?.overAfterMs).toBeGreaterThan(failedMs - 400);
  expect(missed?.overAfterMs).toBeLessThan(failedMs + 400);
  expect(missed?.totalMs).toBeGreaterThan(0.3 * failedMs);
  expect(missed?.totalMs).toBeLessThan(0.7 * failedMs);
  const during = found.availability?.find(({ startSeconds }) => startSeconds === 1);
  expect(during?.new).toBeGreaterThan(15);
  expect(during?.new).toBeLessThan(85);
  expect(during?.icmp).toBe(100);
  // A stream passes, or it does not.
  expect(during?.established).toBeCloseTo(100 * (1 - (found.streams?.failed ?? 0) / 8), -1);
  expect(found.flows.tcp.survived).toBe(FLOWS);
});

test("ten outages of 0.3 s are ten, and as long together as they were", () => {
  const { found, failedMs } = fail("flap", 9);
  const { missed, streams } = found;
  for (const one of [missed?.new, missed?.icmp]) {
    // A busy machine may lose one more by itself.
    expect(one?.outages).toBeGreaterThanOrEqual(10);
    expect(one?.outages).toBeLessThanOrEqual(12);
    // Each is known to the 20 ms between two packets; a rule takes some milliseconds to come and go.
    expect(one?.totalMs).toBeGreaterThan(failedMs - 800);
    expect(one?.totalMs).toBeLessThan(failedMs + 800);
    expect(one?.longestMs).toBeLessThan(failedMs / 3);
    expect(one?.ended).toBe(true);
  }
  expect(streams).toMatchObject({ opened: 8, failed: 8 });
  expect(streams?.totalMs.p50).toBeGreaterThan(failedMs - 800);
  expect(found.kinds).toMatchObject({
    sending: { opened: FURTHER, survived: FURTHER },
    receiving: { opened: FURTHER, survived: FURTHER },
    idle: { opened: FURTHER, survived: FURTHER },
  });
});

test("a filter that waits for the client's packets silences what only the server sends, and nothing else", () => {
  const { found } = fail("stateful", 8);
  expect(found.kinds).toMatchObject({
    sending: { opened: FURTHER, survived: FURTHER },
    receiving: { opened: FURTHER, survived: 0, silent: FURTHER, reset: 0 },
    idle: { opened: FURTHER, survived: FURTHER },
  });
  expect(found.flows).toMatchObject({ tcp: { survived: FLOWS }, udp: { survived: FLOWS } });
  expect(found.outages.established.ms).toBe(0);
});
