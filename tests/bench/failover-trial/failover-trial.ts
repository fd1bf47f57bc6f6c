/**
 * Every failure of `tests/lab/pair-trial/failures.ts` on a pair in a virtual network that answers as EC2 does, with either
 * machine active; several pairs side by side, each in namespaces of its own.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { failures } from "../../lab/pair-trial/failures.ts";
import { MACHINES } from "../../lab/pair-trial/lab.ts";
import { addToTally, type Job, type Tallied, tallied, tallyTable } from "./tally.ts";

/** Trials of each failure with either machine active, including those in the tally. */
const REPETITIONS = Number(process.env.REPETITIONS ?? 1);
/** Pairs that are tried side by side. */
const PAIRS = Number(process.env.PAIRS ?? 1);
/** Minutes after which no further trial begins. @default any number */
const MINUTES = Number(process.env.MINUTES ?? Number.POSITIVE_INFINITY);
/** Heavy trials would lengthen the ones beside them. */
const LIGHT_PAIRS_OF_A_HEAVY_ONE = 5;
/** A pair is whole again within a minute, or its trial counts as failed. */
const LONGEST_TRIAL_SECONDS = 300;

/** One line per failure, over all trials in the tally. @param only Names of failures; all without. */
export async function failoverTrial(only: readonly string[] = []): Promise<string[]> {
  const ends = Date.now() + MINUTES * 60_000;
  const known = Map.groupBy(
    tallied().filter(({ error }) => error === undefined),
    nameOf,
  );
  const chosen = failures.filter(({ name }) => only.length === 0 || only.includes(name));
  const jobs = (heavy: boolean): Job[] =>
    Array.from({ length: REPETITIONS }, (_, number) =>
      chosen
        .filter((failure) => (failure.heavy ?? false) === heavy)
        .flatMap(({ name }) => MACHINES.map((active) => ({ kind: name, active })))
        .filter((job) => number >= (known.get(nameOf(job))?.length ?? 0)),
    ).flat();
  await runAll(jobs(false), PAIRS, ends);
  await runAll(jobs(true), Math.ceil(PAIRS / LIGHT_PAIRS_OF_A_HEAVY_ONE), ends);
  return tallyTable(tallied());
}

const nameOf = ({ kind, active }: Job) => `${kind}, ${active}`;

async function runAll(jobs: Job[], pairs: number, ends: number): Promise<void> {
  const work = async () => {
    let pair: ChildProcess | undefined;
    while (Date.now() < ends) {
      const job = jobs.shift();
      if (job === undefined) break;
      pair ??= fork(fileURLToPath(new URL("pair.ts", import.meta.url)));
      const found = await answerOf(pair, job);
      addToTally(found);
      // A pair that is not whole would spoil the next trial.
      if (found.error !== undefined) pair = await end(pair);
    }
    await end(pair);
  };
  await Promise.all(Array.from({ length: Math.min(pairs, jobs.length) }, work));
}

async function answerOf(pair: ChildProcess, job: Job): Promise<Tallied> {
  const late = setTimeout(() => pair.kill("SIGKILL"), LONGEST_TRIAL_SECONDS * 1000);
  const { promise, resolve } = Promise.withResolvers<Tallied>();
  const gone = () => resolve({ ...job, at: new Date().toISOString(), error: "the trial does not end" });
  const said = (answer: unknown) => resolve(answer as Tallied);
  pair.once("message", said).once("exit", gone).send(job);
  const found = await promise;
  pair.off("message", said).off("exit", gone);
  clearTimeout(late);
  return found;
}

async function end(pair: ChildProcess | undefined): Promise<undefined> {
  if (pair === undefined || pair.exitCode !== null || pair.signalCode !== null) return;
  pair.disconnect();
  await once(pair, "exit");
}
