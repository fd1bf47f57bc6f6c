/**
 * The failover probe on a path that an instance's rules make fail in known ways: for a part of the flows, repeatedly, and
 * only for the server's packets.
 */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { failoverSchema } from "../../../bench/results/failover.ts";
import { SINK_PORT } from "../../../bench/tools/connect/index.ts";
import { NAT_PORT } from "../../../bench/tools/nat/index.ts";
import { AGENT_PORT } from "../../../bench/tools/ports.ts";
import { installAgent } from "../../helpers/agent-files.ts";
import { judged } from "../../helpers/judged.ts";
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

const INTERVAL_MS = 20;

/** The probe's figures, and the least and the most milliseconds that the path really failed. */
function fail(mode: string, seconds: number) {
  lab.run("instance", `echo ${mode} > /tmp/failing-path; rm -f /tmp/failed`);
  const text = lab.run(
    "client",
    `cd /root && EGRESS_BENCH_NAT_HOSTS='${natHosts}' python3 .egress-bench/agent.py probe failover --address ${SERVER} --port ${NAT_PORT} --sink-port ${SINK_PORT} --kind drain --duration ${seconds} --flows ${FLOWS}`,
  );
  const failed = lab.run("instance", "cat /tmp/failed; nft delete table inet failing");
  const [least = 0, most = 0] = failed.split(" ").map(Number);
  return { found: failoverSchema.parse({ failure: "drain", ...JSON.parse(text) }), least, most };
}

test("half of the flows: all survive, half of the new connections fail for as long as it lasted", () =>
  judged(
    () => fail("half", 6),
    ({ found, least, most }) => {
      const missed = found.missed?.new;
      // The longest outage of single connections is chance, and was once the only figure.
      expect(found.outages.new.ms).toBeLessThan(least / 2);
      // It begins some time after the request. The last connection of the unlucky half is not the last of all.
      expect(missed?.overAfterMs).toBeGreaterThan(least - 400);
      expect(missed?.overAfterMs).toBeLessThan(most + 1500);
      expect(missed?.totalMs).toBeGreaterThan(0.3 * least);
      expect(missed?.totalMs).toBeLessThan(0.7 * most);
      const during = found.availability?.find(({ startSeconds }) => startSeconds === 1);
      expect(during?.new).toBeGreaterThan(15);
      expect(during?.new).toBeLessThan(85);
      expect(during?.icmp).toBe(100);
      // A stream either passes or not.
      expect(during?.established).toBeCloseTo(100 * (1 - (found.streams?.failed ?? 0) / 8), -1);
      expect(found.flows.tcp.survived).toBe(FLOWS);
    },
  ));

test("five outages of 0.6 s count as five, with their real total length", () =>
  judged(
    () => fail("flap", 9),
    ({ found, least, most }) => {
      const { missed, streams } = found;
      // Each end of each outage is known to the time between two packets.
      const error = 5 * (INTERVAL_MS + found.lateMs);
      for (const one of [missed?.new, missed?.icmp]) {
        expect(one?.outages).toBe(5);
        expect(one?.totalMs).toBeGreaterThan(least - error);
        expect(one?.totalMs).toBeLessThan(most + error);
        expect(one?.longestMs).toBeLessThan(most / 2);
        expect(one?.ended).toBe(true);
      }
      expect(streams).toMatchObject({ opened: 8, failed: 8 });
      expect(streams?.totalMs.p50).toBeGreaterThan(least - error);
      expect(found.kinds).toMatchObject({
        sending: { opened: FURTHER, survived: FURTHER },
        receiving: { opened: FURTHER, survived: FURTHER },
        idle: { opened: FURTHER, survived: FURTHER },
      });
    },
  ));

test("a filter that waits for the client's packets silences only flows on which just the server sends", () =>
  judged(
    () => fail("stateful", 8),
    ({ found }) => {
      expect(found.kinds).toMatchObject({
        sending: { opened: FURTHER, survived: FURTHER },
        receiving: { opened: FURTHER, survived: 0, silent: FURTHER, reset: 0 },
        idle: { opened: FURTHER, survived: FURTHER },
      });
      expect(found.flows).toMatchObject({ tcp: { survived: FLOWS }, udp: { survived: FLOWS } });
      expect(found.outages.established.ms).toBe(0);
    },
  ));
