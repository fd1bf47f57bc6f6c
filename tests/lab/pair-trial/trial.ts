/** One trial: makes a machine active, holds flows, provokes a failure, and observes the flows. */
import { setTimeout as pause } from "node:timers/promises";
import { type Failure, keptKinds } from "./failure.ts";
import { KINDS, MACHINES, type Machine, type Outcome, type PairLab, type Status } from "./lab.ts";
import { MOVING } from "./network.ts";
import type { Traffic } from "./traffic.ts";

export interface Trial extends Outcome {
  /** Machines that still reported "active" {@link LIE_SECONDS} after the trial's end while address or route pointed elsewhere. */
  readonly liars: readonly Machine[];
  /** From the end of a fault that kept the path down to the end of the outage. */
  readonly afterMs?: number;
}

/** Seconds of the kernel's monotonic clock, like Python's `time.monotonic`. */
const monotonic = () => Number(process.hrtime.bigint()) / 1e9;

/** A machine that reaches neither the cloud nor its peer notices after 1.3 s; a busy machine gets more time. */
const LIE_SECONDS = 15;
/** Wait for flows that a failure ends, shorter than for those that must survive. */
const LOST_SECONDS = 3;
/** Copies lag by a second on a machine that is not busy. */
const COPIED_SECONDS = 30;

/**
 * Waits until each machine of the pair is ready, and has heard that of the other one: from then on `drain` hands over.
 *
 * @throws {Error} with both machines' statuses after 60 s
 */
export async function settled(lab: PairLab): Promise<void> {
  const until = Date.now() + 60_000;
  for (;;) {
    const found = MACHINES.map((machine) => lab.status(machine));
    const roles = found.map((one) => one?.role).sort();
    const ready = found.every((one) => one?.ready && one.peer_sync_running);
    if (ready && roles.join() === "active,standby") return;
    if (Date.now() > until) throw new Error(`The pair is not whole after 60 s: ${JSON.stringify(found)}`);
    await pause(200);
  }
}

/** What a pair says, and what the network around it does. */
interface Observed<M> {
  readonly status: (machine: M) => Status | null;
  /** The machine that the network leads to. */
  readonly carrier: () => M | null;
}

/** Machines whose fresh status says "active" while the network leads elsewhere. */
export function liarsOf<M>(pair: Observed<M>, machines: readonly M[]): M[] {
  const said = machines.filter((machine) => pair.status(machine)?.role === "active");
  const carrier = pair.carrier();
  return said.filter((machine) => machine !== carrier);
}

/** Open flows in what a machine lists, one a line. */
const flowsOf = (lab: PairLab, machine: Machine, list: string) =>
  lab
    .run(
      machine,
      `${list} 2>/dev/null | sed -n 's/^\\(tcp [^=]*ESTABLISHED\\|udp [^=]*\\) \\(src=[^ ]* dst=[^ ]* sport=[^ ]* dport=[^ ]*\\) .*/\\2/p'`,
    )
    .split("\n");
const TRACKED = `conntrack -L -q ${MOVING}`;
/** Copies are conntrackd's until the machine takes over, and then the kernel's. */
const COPIES = "conntrackd -C /etc/egress-bench/conntrackd.conf -e";

/** Waits for the standby's copies of all flows. */
async function copied(lab: PairLab, active: Machine, standby: Machine): Promise<void> {
  for (const until = Date.now() + COPIED_SECONDS * 1000; ; await pause(200)) {
    const copies = new Set(flowsOf(lab, standby, COPIES));
    const missing = flowsOf(lab, active, TRACKED).filter((flow) => !copies.has(flow));
    if (missing.length === 0) return;
    if (Date.now() > until) throw new Error(`${standby} has no copies of ${missing.length} flows`);
  }
}

/** Makes one machine carry and holds flows. */
async function begin(lab: PairLab, traffic: Traffic, active: Machine): Promise<void> {
  const standby = active === "one" ? "two" : "one";
  await settled(lab);
  if (lab.carrier() !== active) {
    lab.run(standby, "egress-bench-ha drain");
    await settled(lab);
  }
  // Entries of the last trial's datagrams outlive it, on one machine or on both.
  for (const machine of MACHINES)
    lab.run(machine, `conntrack -D -p udp -q ${MOVING} >/dev/null 2>&1 || true`);
  await traffic.begin();
  // Conntrackd learns of the flows a moment later.
  await pause(1500);
  try {
    await copied(lab, active, standby);
    if (lab.carrier() !== active) throw new Error(`${active} does not go on to carry`);
  } catch (error) {
    await traffic.end(0);
    throw error;
  }
}

/** Runs a trial: makes one machine active, holds flows, lets the failure happen, and observes the outcome. */
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
  let liars = liarsOf(lab, MACHINES);
  for (const until = Date.now() + LIE_SECONDS * 1000; liars.length > 0 && Date.now() < until; ) {
    await pause(200);
    liars = liarsOf(lab, MACHINES);
  }
  const outcome = await traffic.end(keptKinds(failure).length < KINDS.length ? LOST_SECONDS : undefined);
  lab.heal();
  await settled(lab);
  const afterMs =
    over === undefined ? {} : { afterMs: Math.max(0, Math.round((outcome.endedAt - over) * 1000)) };
  return { ...outcome, ...afterMs, liars };
}
