/** Failures of a pair's surroundings: the network's filter, the cloud's API at boot, clocks and time-outs. */
import { setTimeout as pause } from "node:timers/promises";
import { type Failure, insteadOfConntrackd } from "./failure.ts";
import { GROUPS, MACHINES } from "./lab.ts";

/** Kinds whose client sends, at the end or all the time. */
const SPEAKING = ["echo", "idle", "udp"] as const;
/** Kinds with traffic all the time. */
const SPEAKING_OR_HEARING = ["echo", "download", "udp"] as const;

const seconds = (count: number) => pause(count * 1000);

/** The network's own filter before each machine has not seen the sessions of the other one. */
const behind: readonly Failure[] = GROUPS.map((group) => ({
  name: `cut, behind ${group}`,
  before: (lab) => lab.filter(group),
  happens: (lab, active) => lab.cut(active),
  seconds: 5,
  ...(group === "an untracked group" ? {} : { keeps: group === "a stateful group" ? SPEAKING : ["udp"] }),
}));

/** Both machines boot for the first time while EC2 does not answer: a set-up gives up after 20 s here, and the unit retries after 10 s. */
const bootAway: Failure = {
  name: "first boot of both, API unreachable for 60 s",
  happens: async (lab, _active, _standby, over) => {
    lab.api(false);
    lab.leadNowhere();
    for (const machine of MACHINES) {
      lab.die(machine);
      lab.mend(machine);
      lab.bootAgainAndAgain(machine, { patienceSeconds: 20, restartSeconds: 10 });
    }
    await seconds(60);
    lab.api(true);
    over();
  },
  seconds: 15,
  keeps: [],
};

/** Sets the clock of the pair's programs, then cuts the carrying machine. */
const clockSteps = (step: number): Failure => ({
  name: `clocks set ${Math.abs(step / 3600)} h ${step > 0 ? "ahead" : "back"}, 3 s later cut`,
  before: (lab) => lab.ownClocks(),
  happens: async (lab, active) => {
    lab.setClocks(step);
    await seconds(3);
    lab.cut(active);
  },
  seconds: 5,
});

/** A standby boots while flows are open, and its conntrackd starts slowly, as on a busy processor. */
const slowStart: Failure = {
  name: "standby boots, its conntrackd takes 5 s to start, cut once it is ready",
  happens: async (lab, active, standby) => {
    // With a third argument it asks the conntrackd that runs.
    insteadOfConntrackd(lab, standby, '[ $# -ne 2 ] || sleep 5\nexec /usr/sbin/conntrackd "$@"');
    lab.die(standby);
    lab.mend(standby);
    lab.boot(standby);
    for (let waits = 0; !lab.status(standby)?.ready && waits < 300; waits += 1) await seconds(0.1);
    // Copies arrive within a second.
    await seconds(1);
    lab.cut(active);
  },
};

/** Somebody flushes all rules again and again on the machine that carries, with the guard running on both as systemd runs it. */
const flushes: Failure = {
  name: "rules flushed five times",
  happens: async (lab, active) => {
    for (const machine of MACHINES) {
      lab.run(
        machine,
        `cat > /tmp/set-up <<'END_OF_SET_UP'
${lab.setUpScript(machine)}END_OF_SET_UP
setsid sh /usr/local/sbin/egress-bench-nat-guard /etc/egress-bench/guard.nft /tmp/set-up </dev/null >/tmp/guard.log 2>&1 &
echo $! > /tmp/guard.pid
for _ in $(seq 100); do nft list table inet egress_bench_guard >/dev/null 2>&1 && break; sleep 0.1; done`,
      );
    }
    for (let turn = 0; turn < 5; turn += 1) {
      lab.run(active, "nft flush ruleset");
      await seconds(1.5);
    }
    await seconds(6);
    for (const machine of MACHINES) lab.run(machine, "kill -- -$(cat /tmp/guard.pid)");
  },
};

/** Failures of a pair's surroundings, by name. */
export const failuresAround: readonly Failure[] = [
  ...behind,
  bootAway,
  ...[3600, -3600].map(clockSteps),
  slowStart,
  flushes,
  {
    name: "flows older than their time-outs, then cut",
    before: (lab) => lab.forgetAfter(8),
    happens: async (lab, active) => {
      await seconds(20);
      lab.cut(active);
    },
    keeps: SPEAKING_OR_HEARING,
  },
];
