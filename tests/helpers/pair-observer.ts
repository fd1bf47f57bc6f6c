/** Sees the lab's pair from outside: by the tables of its two neighbours, and by the packets that each machine sent out. */
import { readFileSync } from "node:fs";
import { initProcess } from "../../components/local/lab/living-hosts.ts";
import { type Status, statusIn } from "../lab/pair-trial/lab.ts";

/** A look at the neighbours is due each second and takes up to 0.6 s; the status is written each second. */
const LIE_SECONDS = 3;
/** Time that a claim waits: a machine that takes over may say so before the observer sees where traffic goes. */
const JUDGED_SECONDS = 1.5;
/** Packets of a second in which one machine has carried. */
const LEAST_PACKETS = 50;
const NAME = "nat-instance-ha";
const NEIGHBOURS = [
  [`${NAME}-client`, "198.18.1.1"],
  ["server", "198.19.1.1"],
] as const;
export const machines = [1, 2] as const;
export type Machine = (typeof machines)[number];

export class PairObserver {
  readonly #lab: string;
  readonly #leads = {
    neighbours: { machine: null as Machine | null, since: 0 },
    packets: { machine: null as Machine | null, since: 0 },
  };
  #packets: { readonly at: number; readonly sent: readonly number[] }[] = [];
  /** Claims of "active" that wait to be judged, by machine, and when they were written. */
  #pending: (readonly [Machine, number])[] = [];
  readonly #latest = new Map<Machine, number>();
  /** Statuses of "active", the greatest age that one had when it was read, and the longest that one was written beside another carrier. */
  claims = 0;
  oldest = 0;
  longest = 0;
  /** Times that the neighbours' tables led to another machine. */
  moves = 0;
  readonly lies: string[] = [];

  constructor(lab: string) {
    this.#lab = lab;
  }

  /** Reads without entering the host, which would take programs. */
  #read(host: string, file: string): string {
    return readFileSync(`/proc/${initProcess(this.#lab, host).pid}/${file}`, "utf8");
  }

  status(machine: Machine): Status | null {
    return statusIn(initProcess(this.#lab, `${NAME}-nat-${machine}`).pid);
  }

  /** The machine to which both neighbours' tables lead. */
  carrier(): Machine | null {
    const entries = NEIGHBOURS.map(([host, address]) =>
      this.#read(host, "net/arp")
        .split("\n")
        .find((line) => line.startsWith(`${address} `)),
    );
    const leads = (machine: Machine) =>
      entries.every((entry, at) =>
        entry?.includes(this.#read(`${NAME}-nat-${machine}`, `root/sys/class/net/eth${at}/address`).trim()),
      );
    return machines.find(leads) ?? null;
  }

  /** Packets that each machine has sent out, by the switch's counters. */
  sent(): number[] {
    const table = this.#read(`${NAME}-switch`, "net/dev");
    return machines.map((machine) =>
      Number(new RegExp(`out${machine}:\\s*\\d+\\s+(\\d+)`).exec(table)?.[1] ?? 0),
    );
  }

  /** The machine that sent nearly all packets of the last second. */
  #sender(at: number): Machine | null {
    this.#packets = [...this.#packets.filter((one) => one.at > at - 1), { at, sent: this.sent() }];
    const [first, last] = [this.#packets[0], this.#packets.at(-1)];
    const [one = 0, two = 0] = machines.map(
      (_, machine) => (last?.sent[machine] ?? 0) - (first?.sent[machine] ?? 0),
    );
    return one >= LEAST_PACKETS + 10 * two ? 1 : two >= LEAST_PACKETS + 10 * one ? 2 : null;
  }

  look(): void {
    const at = Date.now() / 1000;
    for (const [kind, machine] of [
      ["neighbours", this.carrier()],
      ["packets", this.#sender(at)],
    ] as const) {
      if (machine === this.#leads[kind].machine) continue;
      this.#leads[kind] = { machine, since: at };
      this.moves += kind === "neighbours" && machine !== null ? 1 : 0;
    }
    for (const machine of machines) {
      const { role, written = 0 } = this.status(machine) ?? {};
      if (role !== "active") continue;
      this.oldest = Math.max(this.oldest, at - written);
      if (this.#latest.get(machine) === written) continue;
      this.#latest.set(machine, written);
      this.claims += 1;
      this.#pending.push([machine, written]);
    }
    const due = this.#pending.filter(([, written]) => at - written > JUDGED_SECONDS);
    this.#pending = this.#pending.filter((claim) => !due.includes(claim));
    for (const claim of due) this.#judge(...claim);
  }

  #judge(machine: Machine, written: number): void {
    for (const [kind, lead] of Object.entries(this.#leads)) {
      const beside = lead.machine === null || lead.machine === machine ? 0 : written - lead.since;
      this.longest = Math.max(this.longest, beside);
      if (beside > LIE_SECONDS)
        this.lies.push(
          `${machine} says "active" ${beside.toFixed(1)} s after the ${kind} led to ${lead.machine}`,
        );
    }
  }
}
