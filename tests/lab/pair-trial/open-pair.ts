/** A pair in namespaces of its own, set up, with a client's flows. */
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";
import { PAIR_HOSTS, PairLab } from "./lab.ts";
import type { Traffic } from "./traffic.ts";

export interface OpenPair {
  readonly lab: PairLab;
  readonly traffic: Traffic;
  readonly end: () => Promise<void>;
}

/** @param flows Flows of each kind. */
export async function openPair(flows: number): Promise<OpenPair> {
  const ends: (() => Promise<void>)[] = [];
  const name = testLab((made) => ends.push(made));
  const end = async () => {
    await Promise.all(ends.map((one) => one()));
  };
  try {
    await startHosts(name, ...PAIR_HOSTS);
    const lab = new PairLab(name);
    lab.setUp();
    const traffic = lab.traffic(flows);
    ends.unshift(async () => traffic.close());
    return { lab, traffic, end };
  } catch (error) {
    await end();
    throw error;
  }
}
