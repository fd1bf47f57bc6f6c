/**
 * A machine of a pair under the real systemd, as the first process of namespaces in the lab: a first boot while EC2 does
 * not answer for a minute, and the units that systemd restarts. Its peer is dead. Not shown: EC2 itself, and cloud-init,
 * whose part is the one failing set-up.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { quote } from "../../bench/shell.ts";
import { NAT_UNIT } from "../../components/nat-instance/index.ts";
import { sectionOf } from "../helpers/doc-blocks.ts";
import { startHosts, testLab } from "../helpers/lab-hosts.ts";
import { PAIR_HOSTS, PairLab } from "../lab/pair-trial/lab.ts";

const AWAY_SECONDS = 60;
const starting = readFileSync(new URL("systemd.sh", import.meta.url), "utf8");

let lab: PairLab;
let end: (() => Promise<void>) | undefined;
/** Runs shell on the machine, beside systemd's units. */
const run = (script: string) =>
  lab.run("one", `nsenter -t "$(cat /tmp/systemd)" -p -m -i -C -r -w sh -c ${quote(script)}`);
/** Whether a shell condition holds. */
const holds = (condition: string) => run(`if ${condition}; then echo yes; fi`).trim() === "yes";
const until = (condition: string) =>
  vi.waitUntil(() => holds(`{ ${condition}; } >/dev/null 2>&1`), { timeout: 120_000, interval: 500 });
const status = () => JSON.parse(run("egress-bench-ha status || true"));

beforeAll(async () => {
  const name = testLab((made) => {
    end = made;
  });
  await startHosts(name, ...PAIR_HOSTS);
  lab = new PairLab(name);
  lab.connect();
  lab.leadNowhere();
  lab.run(
    "one",
    `cat > /tmp/systemd.sh <<'END_OF_PROGRAM'
${starting}END_OF_PROGRAM
setsid sh /tmp/systemd.sh ${name} </dev/null >/tmp/systemd.log 2>&1 &
until pgrep -f '^/lib/systemd/systemd --system' > /tmp/systemd; do sleep 0.1; done`,
  );
  await until("systemctl is-active multi-user.target");
});
afterAll(async () => {
  lab?.run("one", "kill -9 $(cat /tmp/systemd); while pgrep -f /tmp/systemd.sh; do sleep 0.1; done");
  await end?.();
});

test("a machine that boots while EC2 is away for a minute retries until it answers, and carries", async () => {
  lab.api(false);
  const back = Date.now() + AWAY_SECONDS * 1000;
  run("systemctl set-environment EGRESS_BENCH_AWS=http://169.254.169.254/ EGRESS_BENCH_PATIENCE=15");
  run(`cat > /set-up <<'END_OF_SET_UP'\n${lab.setUpScript("one")}END_OF_SET_UP`);
  expect(holds("EGRESS_BENCH_PATIENCE=15 sh /set-up >/tmp/said 2>&1")).toBe(false);
  expect(run("cat /tmp/said")).toContain("highAvailability: this machine could not take over");
  // The first set-up is cloud-init's, the later ones are the unit's.
  await until(`[ "$(systemctl show -P NRestarts ${NAT_UNIT})" -ge 1 ]`);
  await vi.waitUntil(() => Date.now() > back, { timeout: AWAY_SECONDS * 1000 });
  expect(status()).toMatchObject({ active: false });
  lab.api(true);
  await until(`systemctl is-active ${NAT_UNIT}`);
  await until('egress-bench-ha status | grep -q \'"role": "active"\'');
  expect(status()).toMatchObject({ carries: true, sync_running: true, forwards: true });
  expect(lab.carrier()).toBe("one");
});

test.each([
  ["the pair's program", "systemctl show -P MainPID egress-bench-ha", true],
  ["conntrackd", "cat /run/egress-bench-ha.d/conntrackd", true],
  ["the guard", "systemctl show -P MainPID egress-bench-nat-guard", false],
])("%s is started again when it is killed", async (_, pid, ofPair) => {
  const before = run(pid).trim();
  run(`kill -9 ${before}`);
  await until(`now=$(${pid}) && [ "$now" != 0 ] && [ "$now" != ${before} ] && kill -0 $now`);
  if (ofPair) {
    await until('egress-bench-ha status | grep \'"role": "active"\' | grep \'"sync_running": true\'');
  }
});

test("one that hangs gives no answer, and gets its role back as the runbook says", async () => {
  const [, restart = "false"] =
    /no answer.*?`sudo (systemctl [^`]*)`/.exec(sectionOf("docs/runbooks.md", "who-is-active")) ?? [];
  run("kill -STOP $(systemctl show -P MainPID egress-bench-ha)");
  await until("! egress-bench-ha status");
  expect(status()).toEqual({ error: "no answer" });
  run(restart);
  await until('egress-bench-ha status | grep -q \'"role": "active"\'');
});

test("flushed rules are back", async () => {
  run("nft flush ruleset");
  await until("nft list chain inet egress_bench postrouting");
});
