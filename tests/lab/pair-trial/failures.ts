/** The failures of trials: each with the time that it is observed, and the sessions that must survive. */
import { setTimeout as pause } from "node:timers/promises";
import { waitForPair } from "../../../components/nat-instance/cloud-machine.ts";
import { type Failure, insteadOfConntrackd } from "./failure.ts";
import { failuresAround } from "./failures-around.ts";
import { byStrangers } from "./failures-by-strangers.ts";
import { handOvers } from "./failures-of-hand-overs.ts";
import { MACHINES, type Machine, type PairLab } from "./lab.ts";

const seconds = (count: number) => pause(count * 1000);

/** Freezes the machine for some seconds. */
const freezes =
  (count: number): Failure["happens"] =>
  async (lab, active) => {
    lab.freeze(active);
    await seconds(count);
    lab.thaw(active);
  };

async function untilCarried(lab: PairLab, by: Machine): Promise<void> {
  for (let waits = 0; lab.carrier() !== by && waits < 100; waits += 1) {
    await seconds(0.1);
  }
}

/** The active machine is cut while the cloud's API does not answer. */
const apiAway = (count: number): Failure => ({
  name: `cut, API unreachable for ${count} s`,
  happens: async (lab, active, _, over) => {
    lab.api(false);
    lab.cut(active);
    await seconds(count);
    lab.api(true);
    over();
  },
  seconds: Math.min(count, 6),
});

/** The two machines cannot hear each other, and both run. */
const splitFor = (count: number): Failure => ({
  name: `split for ${count} s`,
  happens: async (lab) => {
    lab.split();
    await seconds(count);
    lab.join();
  },
});

/** The machine that carried before carries again, and has not seen what its connections did in between. */
const backAgain: Failure = {
  name: "split for 3 s, then the new active machine killed",
  happens: async (lab, _, standby) => {
    lab.split();
    await seconds(3);
    lab.die(standby);
  },
  seconds: 8,
};

/** An update by `pulumi up`: each machine is replaced, the second once the first passes the component's own wait. */
const update: Failure = {
  name: "rolling update",
  happens: async (lab) => {
    for (const machine of MACHINES) {
      lab.die(machine);
      // Booting takes seconds. A machine that forwards before the other has taken over has no connections to forward by.
      await untilCarried(lab, machine === "one" ? "two" : "one");
      lab.mend(machine);
      lab.boot(machine);
      lab.run(machine, waitForPair);
    }
  },
};

/** The failures of a trial, by name. */
export const failures: readonly Failure[] = [
  update,
  ...failuresAround,
  ...handOvers,
  ...byStrangers,
  { name: "cut", happens: (lab, active) => lab.cut(active) },
  { name: "one-way cut: outbound", happens: (lab, active) => lab.cut(active, "out") },
  { name: "one-way cut: inbound", happens: (lab, active) => lab.cut(active, "in") },
  { name: "killed", happens: (lab, active) => lab.die(active) },
  ...[3, 6, 60].map(apiAway),
  { name: "frozen for 0.3 s", happens: freezes(0.3) },
  { name: "frozen for 1.5 s", happens: freezes(1.5) },
  { name: "frozen for 8 s", happens: freezes(8) },
  { name: "frozen for 30 s", happens: freezes(30) },
  {
    name: "programs stopped for 1.5 s",
    happens: async (lab, active) => {
      lab.signal(active, "STOP", "daemon", "conntrackd");
      await seconds(1.5);
      lab.signal(active, "CONT", "daemon", "conntrackd");
    },
  },
  ...[2, 4, 20].map(splitFor),
  backAgain,
  {
    name: "frozen, then the active machine killed 5 s later",
    happens: async (lab, active, standby, over) => {
      await freezes(1.5)(lab, active, standby, over);
      await seconds(5);
      lab.die(lab.carrier() ?? standby);
    },
  },
  {
    name: "standby's conntrackd hangs, then cut",
    happens: async (lab, active, standby) => {
      lab.signal(standby, "STOP", "conntrackd");
      lab.cut(active);
    },
    keeps: [],
  },
  {
    name: "standby's conntrackd killed, 6 s later cut",
    happens: async (lab, active, standby) => {
      lab.signal(standby, "KILL", "conntrackd");
      await seconds(6);
      lab.cut(active);
    },
  },
  {
    name: "active's conntrackd killed, 6 s later cut",
    happens: async (lab, active) => {
      lab.signal(active, "KILL", "conntrackd");
      await seconds(6);
      lab.cut(active);
    },
  },
  {
    name: "both machines' conntrackd killed",
    happens: (lab) => {
      for (const machine of MACHINES) lab.signal(machine, "KILL", "conntrackd");
    },
    seconds: 6,
  },
  {
    name: "standby killed, then active killed, both restarted",
    happens: async (lab, active, standby, over) => {
      lab.die(standby);
      await seconds(3);
      lab.die(active);
      await seconds(1);
      over();
      lab.heal();
    },
    seconds: 8,
    keeps: [],
  },
  {
    name: "table full, then cut",
    heavy: true,
    happens: async (lab, active) => {
      lab.fill(active, 300_000, "127.0.0.2");
      lab.cut(active);
    },
  },
  {
    // The standby tracks its own connections, so the copied ones leave no room for its requests.
    name: "table full beside the standby's own entries, then cut",
    heavy: true,
    happens: async (lab, active, standby) => {
      lab.fill(active, 300_000, "127.0.0.2");
      lab.fill(standby, 1_000, "127.0.0.3", 600_000);
      lab.cut(active);
    },
    // As many copies find no room as the standby has own entries.
    keeps: [],
  },
  {
    name: "120,000 entries, 15 s later cut",
    heavy: true,
    happens: async (lab, active) => {
      lab.fill(active, 120_000, "198.18.1.99");
      await seconds(15);
      lab.cut(active);
    },
    seconds: 6,
  },
  {
    name: "disks full, then cut",
    happens: (lab, active) => {
      for (const machine of MACHINES)
        lab.run(machine, "dd if=/dev/zero of=/run/full bs=1M 2>/dev/null || true");
      lab.cut(active);
    },
  },
  {
    name: "inodes of the disks used up, then cut",
    happens: (lab, active) => {
      for (const machine of MACHINES)
        lab.run(machine, "mkdir /run/full; cd /run/full; seq 2000 | xargs touch 2>/dev/null || true");
      lab.cut(active);
    },
  },
  {
    name: "drained, and back",
    happens: async (lab, active, standby) => {
      const drained = "for _ in $(seq 100); do egress-bench-ha drain && exit; sleep 0.1; done; exit 1";
      lab.run(active, drained);
      lab.run(standby, drained);
      await untilCarried(lab, active);
    },
    seconds: 6,
  },
  { name: "active's daemon killed", happens: (lab, active) => lab.signal(active, "KILL", "daemon") },
  {
    // The daemon that starts again has not heard that the other machine carried meanwhile, nor conntrackd its copies.
    name: "active's daemon killed, the other's stopped once it carries",
    happens: async (lab, active, standby) => {
      lab.split();
      lab.signal(active, "STOP", "supervisor");
      lab.signal(active, "KILL", "daemon");
      await untilCarried(lab, standby);
      // Long enough for each connection to speak.
      await seconds(2);
      lab.signal(standby, "STOP", "daemon");
      lab.signal(active, "CONT", "supervisor");
      await untilCarried(lab, active);
      lab.signal(standby, "CONT", "daemon");
      lab.join();
    },
    seconds: 6,
  },
  {
    name: "both daemons killed",
    happens: (lab, active, standby) => {
      lab.signal(active, "KILL", "daemon");
      lab.signal(standby, "KILL", "daemon");
    },
    seconds: 6,
  },
  {
    // The machine that carries then has no copies to load, and its own entries are as it left them.
    name: "active's daemon killed, then the other's while it sends its connections",
    happens: (lab, active, standby) => {
      insteadOfConntrackd(
        lab,
        standby,
        `[ "$3$4" = -f ] || exec /usr/sbin/conntrackd "$@"
/usr/sbin/conntrackd "$@"
rm /usr/local/sbin/conntrackd
sleep 1.5
kill -KILL $(cat /run/egress-bench-ha.d/daemon)`,
      );
      lab.signal(active, "KILL", "daemon");
    },
    seconds: 8,
  },
  {
    name: "standby's daemon killed, 1 s later cut",
    happens: async (lab, active, standby) => {
      lab.signal(standby, "KILL", "daemon");
      await seconds(1);
      lab.cut(active);
    },
    seconds: 5,
  },
  {
    name: "flapping link: cut for 0.5 s, five times",
    happens: async (lab, active) => {
      for (let turn = 0; turn < 5; turn += 1) {
        lab.cut(active);
        await seconds(0.5);
        lab.mend(active);
        await seconds(0.7);
      }
    },
  },
  {
    name: "cut, restored after 5 s, then the other machine cut",
    happens: async (lab, active, standby) => {
      lab.cut(active);
      await seconds(5);
      lab.mend(active);
      await seconds(4);
      lab.cut(standby);
    },
  },
  {
    name: "standby cut for 10 s",
    happens: async (lab, _, standby) => {
      lab.cut(standby);
      await seconds(10);
      lab.mend(standby);
    },
  },
  {
    name: "both machines restarted",
    happens: (lab, active, standby) => {
      for (const machine of [active, standby]) {
        lab.run(machine, "egress-bench-ha crash; conntrack -F 2>/dev/null");
        lab.run(machine, "EGRESS_BENCH_AWS=http://169.254.169.254/ setsid egress-bench-ha start &");
      }
    },
    seconds: 8,
    keeps: [],
  },
  {
    name: "60 % packet loss between the pair for 8 s",
    happens: async (lab) => {
      lab.split("numgen random mod 100 < 60 drop");
      await seconds(8);
      lab.join();
    },
  },
  {
    name: "forwarding fails",
    happens: (lab, active) => void lab.run(active, "sysctl -qw net.ipv4.ip_forward=0"),
    seconds: 8,
  },
];
