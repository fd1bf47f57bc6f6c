/** Hand-overs by `egress-bench-ha drain`, and what may come between. */
import { setTimeout as pause } from "node:timers/promises";
import type { Failure } from "./failure.ts";
import { MACHINES } from "./lab.ts";

const seconds = (count: number) => pause(count * 1000);

export const handOvers: readonly Failure[] = [
  {
    name: "drained",
    happens: (lab, active) => void lab.run(active, "egress-bench-ha drain"),
  },
  {
    name: "drained, and the other machine too while it takes over",
    happens: async (lab, active, standby, over) => {
      const drain = "{ egress-bench-ha drain; echo $? > /tmp/drained; } >/dev/null 2>&1 </dev/null &";
      lab.api(false);
      lab.run(active, drain);
      while (lab.status(standby)?.role !== "taking") await seconds(0.05);
      lab.run(standby, drain);
      await seconds(1);
      lab.api(true);
      over();
      // One after the other, and both well.
      for (const machine of MACHINES)
        lab.run(
          machine,
          'until [ -s /tmp/drained ]; do sleep 0.1; done; exit "$(cat /tmp/drained; rm /tmp/drained)"',
        );
    },
    seconds: 6,
  },
  {
    name: "split, drained, then joined",
    happens: async (lab, active) => {
      lab.split();
      lab.run(active, "egress-bench-ha drain || true");
      await seconds(1);
      lab.join();
    },
    seconds: 8,
  },
  {
    // conntrackd forgets a large table entry by entry, in a process of its own.
    name: "120,000 entries, drained, then the new active machine killed while the other one forgets its entries",
    heavy: true,
    happens: async (lab, active, standby) => {
      lab.fill(active, 120_000, "198.18.1.99");
      await seconds(5);
      lab.run(active, "egress-bench-ha drain");
      lab.run(
        active,
        "for _ in $(seq 300); do [ $(conntrack -C) -ge 110000 ] || break; sleep 0.02; done; conntrack -C",
      );
      lab.die(standby);
    },
    seconds: 6,
  },
];
