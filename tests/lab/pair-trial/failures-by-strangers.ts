/** Somebody else sends to the ports of a pair, in its clients' network or outside, where the source can be forged. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Failure } from "./failure.ts";
import { MACHINES, type PairLab } from "./lab.ts";

const PROGRAM = readFileSync(new URL("strangers.py", import.meta.url), "utf8");
const SENDERS = ["client", "server", "cloud"] as const;
type Sender = (typeof SENDERS)[number];

/** Runs `strangers.py` on a host; without waiting for its end where it sends. */
function stranger(lab: PairLab, host: Sender, what: string, seconds: number, rate: number): void {
  const apart = what === "record" ? "" : "</dev/null >/dev/null 2>&1 &";
  lab.run(
    host,
    `cat > /tmp/strangers.py <<'END_OF_PROGRAM'
${PROGRAM}END_OF_PROGRAM
${apart === "" ? "" : "setsid "}python3 /tmp/strangers.py ${what} ${seconds} ${rate} ${apart}
echo $! > /tmp/strangers.pid`,
  );
}

/** Cuts the active machine once both have refused so many more datagrams, which go on for three seconds. */
const thenCut =
  (begin: (lab: PairLab) => Promise<void> | void, refused: number): Failure["happens"] =>
  async (lab, active) => {
    const counts = () => MACHINES.map((machine) => lab.status(machine)?.refused_total ?? 0);
    await begin(lab);
    const before = counts();
    for (let waits = 0; !counts().every((now, at) => now >= (before[at] ?? 0) + refused); waits += 1) {
      if (waits > 150) throw new Error(`refused: ${before} before, ${counts()} after 15 s`);
      await pause(100);
    }
    lab.cut(active);
    await pause(3000);
    for (const host of SENDERS) lab.run(host, "kill $(cat /tmp/strangers.pid) 2>/dev/null || true");
  };

/** What strangers send, by name. */
export const byStrangers: readonly Failure[] = [
  {
    name: "both ports flooded by a client, and from outside with the other machine's address, then cut",
    heavy: true,
    happens: thenCut((lab) => {
      stranger(lab, "client", "itself", 20, 20_000);
      stranger(lab, "server", "other", 20, 40_000);
    }, 10_000),
  },
  {
    name: "the daemons' signs of life recorded, sent again after a restart of both, then cut",
    happens: thenCut(async (lab) => {
      stranger(lab, "cloud", "record", 3, 1);
      for (const machine of MACHINES) lab.signal(machine, "KILL", "daemon");
      await pause(2000);
      stranger(lab, "cloud", "replay", 20, 500);
    }, 500),
  },
];
