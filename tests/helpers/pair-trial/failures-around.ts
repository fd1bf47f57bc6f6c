/** Failures of what is around a pair: the network's filter, the cloud's API at boot, clocks and time-outs. */
import { setTimeout as pause } from "node:timers/promises";
import type { Failure } from "./failure.ts";
import { GROUPS, MACHINES } from "./lab.ts";

/** Kinds whose client speaks, in the end or all the while. */
const SPEAKING = ["echo", "idle", "udp"] as const;
/** Kinds that say something all the while. */
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

/** Both machines boot for the first time while EC2 does not answer: a set-up gives up after 20 s here, and the unit runs it again after 10 s. */
const bootAway: Failure = {
  name: "both boot for the first time, API away for 60 s",
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

/** The clock of the pair's programs is set, and the machine that carries is cut. */
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

/** Failures of what is around a pair, by name. */
export const failuresAround: readonly Failure[] = [
  ...behind,
  bootAway,
  ...[3600, -3600].map(clockSteps),
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
