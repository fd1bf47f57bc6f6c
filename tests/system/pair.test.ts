/**
 * A machine of a pair under the real systemd and cloud-init, in a network that answers as EC2 does: a boot while EC2's API is away,
 * and what systemd starts again. Its peer is dead. Not shown: EC2 itself.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quote } from "../../bench/shell.ts";
import { NAT_UNIT, natSetup, unindented } from "../../components/nat-instance/index.ts";
import { cloudConfig } from "../../components/shared/cloud-init.ts";
import { newKeyPair } from "../../components/shared/key-pair.ts";
import { natBoot } from "../../components/shared/nat-set-up.ts";
import { NAT, SERVER } from "../guest/network.ts";
import { talk } from "../guest/talk.ts";
import { bootSystem, type System } from "./system.ts";

const MOVING = "198.19.1.7";
const cloud = readFileSync(new URL("../helpers/pair-trial/cloud.py", import.meta.url), "utf8");

/** EC2 behind the machine's outside, whose API does not answer yet; a set-up gives up after 20 s. */
const bootCommand = `touch /run/away
ip -n server address add 169.254.169.254/32 dev lo
cat > /run/cloud.py <<'END_OF_PROGRAM'
${cloud}END_OF_PROGRAM
systemd-run -p DefaultDependencies=no --unit cloud ip netns exec server python3 /run/cloud.py one=eth0=${NAT}
systemctl set-environment EGRESS_BENCH_AWS=http://169.254.169.254/ EGRESS_BENCH_PATIENCE=20`;

const script = unindented(
  natSetup({
    privateCidrs: ["198.18.1.0/24"],
    highAvailability: {
      self: NAT,
      peer: "198.19.1.2",
      translatedTo: MOVING,
      move: {
        kind: "ec2",
        networkInterfaceId: "eni-one",
        privateAddress: MOVING,
        routeTableIds: ["rtb-1"],
      },
      check: { address: SERVER, port: 7999 },
    },
  }),
);

let nat: System;
beforeAll(async () => {
  const config = cloudConfig({ ...natBoot(undefined), hostKey: newKeyPair(), packedPrograms: true, script });
  nat = await bootSystem(`${config}bootcmd:\n- [bash, -c, ${JSON.stringify(bootCommand)}]\n`);
});
afterAll(() => nat?.end());

const status = async () => JSON.parse(await nat.run("egress-bench-ha status || true"));
const until = (condition: string) =>
  nat.run(`for _ in $(seq 600); do ! { ${condition}; } >/dev/null 2>&1 || exit 0; sleep 0.5; done; exit 1`);

test("a machine that boots while EC2 is away tries again until it answers, and carries", async () => {
  expect(await nat.run("cloud-init status --wait || true")).toContain("status: error");
  // The first set-up is cloud-init's, and the next ones are the unit's.
  await until(`[ "$(systemctl show -P NRestarts ${NAT_UNIT})" -ge 2 ]`);
  expect(await status()).toMatchObject({ active: false });
  await nat.run("rm /run/away");
  await until(`systemctl is-active --quiet ${NAT_UNIT}`);
  await until('egress-bench-ha status | grep -q \'"role": "active"\'');
  expect(await status()).toMatchObject({ carries: true, sync_running: true, forwards: true });
  await (await talk(nat)).exchange(20);
  expect(await nat.run("conntrack -L -p tcp 2>/dev/null")).toContain(`dst=${MOVING} `);
});

test.each([
  ["the pair's program", "systemctl show -P MainPID egress-bench-ha", true],
  ["conntrackd", "cat /run/egress-bench-ha.d/conntrackd", true],
  ["the guard", "systemctl show -P MainPID egress-bench-nat-guard", false],
])("%s is started again when it is killed", async (_, pid, ofPair) => {
  await nat.run(`kill -9 $(${pid})`);
  await until(`now=$(${pid}) && [ "$now" != 0 ] && kill -0 $now`);
  if (ofPair) {
    await until('egress-bench-ha status | grep \'"role": "active"\' | grep \'"sync_running": true\'');
  }
});

test("rules that somebody flushed are back, and a connection goes on", async () => {
  const connection = await talk(nat);
  await connection.exchange(20);
  await until(`nft list table inet egress_bench_guard`);
  await nat.run("nft flush ruleset");
  await until(`nft list chain inet egress_bench postrouting | grep -q ${MOVING}`);
  await connection.exchange(20);
});

test("the package's own conntrackd does not run", async () => {
  expect(await nat.run(`pgrep -a conntrackd | grep -vc ${quote("egress-bench")} || true`)).toBe("0\n");
});
