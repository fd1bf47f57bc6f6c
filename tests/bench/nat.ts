/**
 * Cost of each data plane of the NAT instance beside plain routing, in an emulated machine with Debian's packaged cloud
 * kernel. All take turns; a figure is the median of the rounds.
 */
import { median } from "../../bench/statistics/sample.ts";
import { connectionCost, packetCost, sendPackets } from "../guest/load.ts";
import { type Forwarding, forwardings, type NatGuest, natGuest } from "../guest/network.ts";

const ROUNDS = 3;
const NEW_FLOWS = 1000;

/** Nanoseconds of the guest's one processor, counted in executed instructions. */
const figures = {
  packet: "64-byte packet of a known flow",
  forwarding: "of that, the NAT instance",
  newFlow: "64-byte packet of a new flow",
  connection: "TCP connection, opened and closed",
} as const;
type Round = Record<keyof typeof figures, number>;

export async function natDataPlanes(): Promise<string[]> {
  const guest = await natGuest({ seconds: 1800 });
  const rounds = new Map<Forwarding, Round[]>(forwardings.map((forwarding) => [forwarding, []]));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [forwarding, all] of rounds) {
        await guest.forward(forwarding);
        all.push(await measure(guest));
      }
    }
  } finally {
    await guest.end();
  }
  return table(rounds);
}

async function measure(guest: NatGuest): Promise<Round> {
  const { all: packet, forwarding } = await packetCost(guest, { packets: 6400, flows: 64 });
  // Other ports than the flows above.
  const { microseconds } = await sendPackets(guest, {
    packets: NEW_FLOWS,
    flows: NEW_FLOWS,
    firstPort: 20_000,
  });
  const newFlow = (microseconds * 1000) / NEW_FLOWS;
  return { packet, forwarding, newFlow, connection: await connectionCost(guest) };
}

function table(rounds: ReadonlyMap<Forwarding, readonly Round[]>): string[] {
  const names = Object.keys(figures) as (keyof Round)[];
  return names.flatMap((name) => {
    const middle = (forwarding: Forwarding) => median((rounds.get(forwarding) ?? []).map((one) => one[name]));
    const lines = [...rounds].map(([forwarding, all]) => {
      const values = all.map((one) => one[name]);
      const spread = (100 * (Math.max(...values) - Math.min(...values))) / middle(forwarding);
      const against = (other: Forwarding) => `${(middle(forwarding) / middle(other)).toFixed(3)} of ${other}`;
      return `  ${forwarding.padEnd(10)}${middle(forwarding).toFixed(0).padStart(8)}   ${against("iptables")}, ${against("routing")}; spread ${spread.toFixed(1)} %`;
    });
    return [`${figures[name]}: instructions, median of ${ROUNDS} rounds`, ...lines];
  });
}
