/** Faults of a pair of NAT instances under traffic, by the trials of `tests/lab/pair-trial`. */
import { keptKinds } from "../lab/pair-trial/failure.ts";
import { failures } from "../lab/pair-trial/failures.ts";
import { byStrangers } from "../lab/pair-trial/failures-by-strangers.ts";
import type { Machine } from "../lab/pair-trial/lab.ts";
import { type OpenPair, openPair } from "../lab/pair-trial/open-pair.ts";
import { trial } from "../lab/pair-trial/trial.ts";
import type { Outcome } from "./fault.ts";

const FLOWS = 20;

/** Names of failures, and the machine that is active: with the lower address, or with the higher one. */
export const pairRows: readonly (readonly [name: string, active: Machine])[] = [
  ["both machines restarted", "one"],
  ["standby killed, then active killed, both restarted", "two"],
  ["cut, restored after 5 s, then the other machine cut", "one"],
  ["disks full, then cut", "two"],
  ["inodes of the disks used up, then cut", "one"],
  ["drained, and back", "two"],
  ["drained, and the other machine too while it takes over", "one"],
  ["clocks set 1 h ahead, 3 s later cut", "one"],
  ["clocks set 1 h back, 3 s later cut", "two"],
  ...byStrangers.map(({ name }) => [name, "one"] as const),
];

let opened: Promise<OpenPair> | undefined;

/** Ends the pair that the rows of this process share. */
export async function endPair(): Promise<void> {
  const pair = opened;
  opened = undefined;
  await (await pair)?.end();
}

/** Makes one of {@link pairRows}. */
export async function tryPair(name: string, active: Machine): Promise<Outcome> {
  const failure = failures.find((one) => one.name === name);
  if (failure === undefined) throw new Error(`there is no failure "${name}"`);
  opened ??= openPair(FLOWS);
  try {
    const { lab, traffic } = await opened;
    const { outageMs, back, of, survived, liars } = await trial(lab, traffic, failure, active);
    const lost = keptKinds(failure).filter((kind) => survived[kind] < of);
    return {
      saw: `${outageMs} ms without an answer; of ${of} flows each survived: ${JSON.stringify(survived)}`,
      exit: back ? "0" : "1",
      lost,
      goOn: "nothing to do",
      wrong: [
        ...(back ? [] : ["the path is not back"]),
        ...lost.map((kind) => `${kind}: ${survived[kind]} of ${of} survived`),
        ...liars.map((machine) => `${machine} says "active" and does not carry`),
      ],
    };
  } catch (error) {
    // A pair that is not whole would spoil the next row.
    await endPair();
    throw error;
  }
}
