/**
 * One trial: a machine is made the active one, flows are held, a failure happens, and what became of them is looked at.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Failure, keptKinds } from "./failure.ts";
import { KINDS, MACHINES, type Machine, type Outcome, type PairLab } from "./lab.ts";
import { MOVING } from "./network.ts";
import type { Traffic } from "./traffic.ts";

/** What a trial saw. */
export interface Trial extends Outcome {
  /** Machines that still said "active" while address or route led elsewhere, {@link LIE_SECONDS} after the trial's end. */
  readonly liars: readonly Machine[];
  /** From the end of a fault before which the path could not be back to the end of the outage. */
  readonly afterMs?: number;
}

/** Seconds of the kernel's monotonic clock, as Python's `time.monotonic`. */
const monotonic = () => Number(process.hrtime.bigint()) / 1e9;

/** A machine that reaches neither the cloud nor its peer knows it after 1.3 s; a busy machine has more time. */
const LIE_SECONDS = 15;
/** What a failure ends is not waited for as long as what it keeps. */
const LOST_SECONDS = 3;
const MOST_ATTEMPTS = 5;

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

/** Open flows that a machine's kernel tracks. */
const tracked = (lab: PairLab, machine: Machine) =>
  lab
    .run(
      machine,
      `conntrack -L -q ${MOVING} 2>/dev/null | sed -n 's/^\\(tcp.* ESTABLISHED\\|udp.*[0-9]\\) \\(src=.*dport=[0-9]*\\) .*/\\2/p'`,
    )
    .split("\n");

/** Waits for the standby's copies of all flows, but not for ever: some failures begin with what keeps it from them. */
async function copied(lab: PairLab, active: Machine, standby: Machine): Promise<void> {
  for (const until = Date.now() + 10_000; Date.now() < until; await pause(200)) {
    const copies = new Set(tracked(lab, standby));
    if (tracked(lab, active).every((flow) => copies.has(flow))) return;
  }
}

/** Has one machine carry and holds flows. A machine that a busy processor kept waiting may have lost its role: then again. */
async function begin(lab: PairLab, traffic: Traffic, active: Machine): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    await settled(lab);
    if (lab.carrier() !== active) {
      lab.run(active === "one" ? "two" : "one", "egress-bench-ha drain");
      await settled(lab);
    }
    await traffic.begin();
    // The copies are a second behind at most, where the processor is not busy.
    await pause(1500);
    await copied(lab, active, active === "one" ? "two" : "one");
    if (lab.carrier() === active) return;
    await traffic.end(0);
  }
  throw new Error(`${active} does not go on to carry`);
}

/** Makes one machine the active one, holds flows, lets the failure happen, and looks what became of them. */
export async function trial(
  lab: PairLab,
  traffic: Traffic,
  failure: Failure,
  active: Machine,
): Promise<Trial> {
  await settled(lab);
  failure.before?.(lab);
  await begin(lab, traffic, active);
  let over: number | undefined;
  await failure.happens(lab, active, active === "one" ? "two" : "one", () => {
    over = monotonic();
  });
  await pause((failure.seconds ?? 3) * 1000);
  let liars = liarsOf(lab);
  for (const until = Date.now() + LIE_SECONDS * 1000; liars.length > 0 && Date.now() < until; ) {
    await pause(200);
    liars = liarsOf(lab);
  }
  const outcome = await traffic.end(keptKinds(failure).length < KINDS.length ? LOST_SECONDS : undefined);
  lab.heal();
  await settled(lab);
  const afterMs =
    over === undefined ? {} : { afterMs: Math.max(0, Math.round((outcome.endedAt - over) * 1000)) };
  return { ...outcome, ...afterMs, liars };
}
