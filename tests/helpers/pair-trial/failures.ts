/**
 * What befalls a pair in a trial: each failure with how long it is looked at, and what of the sessions has to be left.
 */
import { setTimeout as pause } from "node:timers/promises";
import { waitForPair } from "../../../components/shared/pair-ready.ts";
import { MACHINES, type Machine, type Outcome, type PairLab } from "./lab.ts";

/** A failure of the machine that carries, or of what is around it. */
export interface Failure {
  readonly name: string;
  /** What happens, with pauses in between; the trial ends `seconds` after it. */
  readonly happens: (lab: PairLab, active: Machine, standby: Machine) => Promise<void> | void;
  /** @default 3 */
  readonly seconds?: number;
  /** Whether sessions have to survive. @default true */
  readonly keeps?: boolean;
}

const seconds = (count: number) => pause(count * 1000);

/** Stands still for so long, and goes on. */
const freezes =
  (count: number): Failure["happens"] =>
  async (lab, active) => {
    lab.freeze(active);
    await seconds(count);
    lab.thaw(active);
  };

/** The active machine is cut while the cloud's API does not answer. */
const apiAway = (count: number): Failure => ({
  name: `cut, API away for ${count} s`,
  happens: async (lab, active) => {
    lab.api(false);
    lab.cut(active);
    await seconds(count);
    lab.api(true);
  },
  seconds: Math.min(count, 6),
});

/** The two do not hear each other, and both live. */
const splitFor = (count: number): Failure => ({
  name: `split for ${count} s`,
  happens: async (lab) => {
    lab.split();
    await seconds(count);
    lab.join();
  },
});

/** What `pulumi up` does to a pair: another machine in place of each, the second once the first passes the component's own wait. */
const update: Failure = {
  name: "updated, one machine after the other",
  happens: (lab) => {
    for (const machine of MACHINES) {
      lab.die(machine);
      lab.mend(machine);
      lab.boot(machine);
      lab.run(machine, waitForPair);
    }
  },
};

/** The failures of a trial, by name. */
export const failures: readonly Failure[] = [
  update,
  { name: "cut", happens: (lab, active) => lab.cut(active) },
  { name: "cut, its packets arrive nowhere and it hears", happens: (lab, active) => lab.cut(active, "out") },
  { name: "cut, it hears nothing and its packets leave", happens: (lab, active) => lab.cut(active, "in") },
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
  {
    name: "frozen, then the carrying machine dies 5 s later",
    happens: async (lab, active, standby) => {
      await freezes(1.5)(lab, active, standby);
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
    keeps: false,
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
    name: "standby dead, then active dead, both back",
    happens: async (lab, active, standby) => {
      lab.die(standby);
      await seconds(3);
      lab.die(active);
      await seconds(1);
      lab.heal();
    },
    seconds: 8,
    keeps: false,
  },
  {
    name: "table full, then cut",
    happens: async (lab, active) => {
      lab.fill(active, 300_000, "127.0.0.2");
      lab.cut(active);
    },
  },
  {
    name: "120,000 entries, 15 s later cut",
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
  { name: "active's daemon killed", happens: (lab, active) => lab.signal(active, "KILL", "daemon") },
  {
    name: "both daemons killed",
    happens: (lab, active, standby) => {
      lab.signal(active, "KILL", "daemon");
      lab.signal(standby, "KILL", "daemon");
    },
    seconds: 6,
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
    name: "flaps: cut for 0.5 s, five times",
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
    name: "cut, returns after 5 s, the other one cut",
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
    name: "drained",
    happens: (lab, active) => void lab.run(active, "egress-bench-ha drain"),
  },
  {
    name: "both boot",
    happens: (lab, active, standby) => {
      for (const machine of [active, standby]) {
        lab.run(machine, "egress-bench-ha crash; conntrack -F 2>/dev/null");
        lab.run(machine, "EGRESS_BENCH_AWS=http://169.254.169.254/ setsid egress-bench-ha start &");
      }
    },
    seconds: 8,
    keeps: false,
  },
  {
    name: "60 % of what they say is lost for 8 s",
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

/** What a trial saw. */
export interface Trial extends Outcome {
  /** Machines that still said "active" while address or route led elsewhere, {@link LIE_SECONDS} after the trial's end. */
  readonly liars: readonly Machine[];
}

/** A machine that reaches neither the cloud nor its peer knows it after 1.3 s; a busy machine has more time. */
const LIE_SECONDS = 15;
/** What a failure ends is not waited for as long as what it keeps. */
const LOST_SECONDS = 2;

async function settled(lab: PairLab): Promise<void> {
  const until = Date.now() + 60_000;
  for (;;) {
    const found = MACHINES.map((machine) => lab.status(machine));
    const roles = found.map((one) => one?.role).sort();
    if (found.every((one) => one?.ready) && roles.join() === "active,standby") return;
    if (Date.now() > until) throw new Error(`The pair is not whole after 60 s: ${JSON.stringify(found)}`);
    await pause(200);
  }
}

function liarsOf(lab: PairLab): Machine[] {
  const said = MACHINES.filter((machine) => lab.status(machine)?.role === "active");
  return said.filter((machine) => machine !== lab.carrier());
}

/** Makes one machine the active one, holds flows, lets the failure happen, and looks what became of them. */
export async function trial(
  lab: PairLab,
  traffic: ReturnType<PairLab["traffic"]>,
  failure: Failure,
  active: Machine,
): Promise<Trial> {
  const standby = active === "one" ? "two" : "one";
  await settled(lab);
  if (lab.carrier() !== active) {
    lab.run(standby, "egress-bench-ha drain");
    await settled(lab);
  }
  if (lab.carrier() !== active) throw new Error(`${active} does not carry after the other one's drain`);
  await traffic.begin();
  // The copies are a second behind at most.
  await pause(1500);
  await failure.happens(lab, active, standby);
  await pause((failure.seconds ?? 3) * 1000);
  let liars = liarsOf(lab);
  for (const until = Date.now() + LIE_SECONDS * 1000; liars.length > 0 && Date.now() < until; ) {
    await pause(200);
    liars = liarsOf(lab);
  }
  const outcome = await traffic.end(failure.keeps === false ? LOST_SECONDS : undefined);
  lab.heal();
  await settled(lab);
  return { ...outcome, liars };
}
