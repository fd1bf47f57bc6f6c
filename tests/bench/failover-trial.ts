/**
 * Every failure of `tests/helpers/pair-trial/failures.ts` on a pair in a virtual network that answers as EC2 does, with either
 * machine active.
 */

import { endHost, startHost } from "../../components/local/lab/hosts.ts";
import { livingHosts } from "../../components/local/lab/living-hosts.ts";
import { newKeyPair } from "../../components/shared/key-pair.ts";
import { guardLab } from "../helpers/left-behind.ts";
import { failures, type Trial, trial } from "../helpers/pair-trial/failures.ts";
import { MACHINES, PAIR_HOSTS, PairLab } from "../helpers/pair-trial/lab.ts";

const FLOWS = 30;
const REPETITIONS = Number(process.env.REPETITIONS ?? 1);

/** One line a failure: outage of each run, and what was left. @param only Names of failures; all without. */
export async function failoverTrial(only: readonly string[] = []): Promise<string[]> {
  const name = `bench-trial-${process.pid}`;
  guardLab(name);
  const key = newKeyPair();
  const spec = (host: string) => ({
    lab: name,
    host,
    generation: "1",
    hostKey: key.privateKey,
    authorizedKey: key.publicKey,
  });
  try {
    await Promise.all(PAIR_HOSTS.map((host) => startHost(spec(host))));
    const lab = new PairLab(name);
    lab.setUp();
    const traffic = lab.traffic(FLOWS);
    try {
      const lines: string[] = [];
      for (const failure of failures.filter((one) => only.length === 0 || only.includes(one.name))) {
        const found: Trial[] = [];
        for (let turn = 0; turn < REPETITIONS; turn += 1) {
          for (const machine of MACHINES) found.push(await trial(lab, traffic, failure, machine));
        }
        lines.push(lineOf(failure.name, found));
      }
      return lines;
    } finally {
      traffic.close();
    }
  } finally {
    await Promise.all(
      livingHosts()
        .filter(({ lab }) => lab === name)
        .map(endHost),
    );
  }
}

function lineOf(name: string, found: readonly Trial[]): string {
  const outages = found.map(({ outageMs }) => outageMs).sort((a, b) => a - b);
  const rank = (share: number) => outages[Math.max(0, Math.ceil(share * outages.length) - 1)];
  const least = (["echo", "download", "idle", "udp"] as const).map(
    (kind) => `${kind} ${Math.min(...found.map(({ survived }) => survived[kind]))}`,
  );
  const back = found.filter(({ back: one, liars }) => one && liars.length === 0).length;
  return `${name.padEnd(50)} back ${back} of ${found.length}, outage median ${rank(0.5)}, p95 ${rank(0.95)}, most ${rank(1)} ms, survived of ${FLOWS} at least: ${least.join(", ")}`;
}
