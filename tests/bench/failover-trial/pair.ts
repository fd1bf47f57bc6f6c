/** A process with one pair in namespaces of its own: it receives failures, and answers with each trial's observations. */
import { keptKinds } from "../../lab/pair-trial/failure.ts";
import { failures } from "../../lab/pair-trial/failures.ts";
import { MACHINES } from "../../lab/pair-trial/lab.ts";
import { openPair } from "../../lab/pair-trial/open-pair.ts";
import { trial } from "../../lab/pair-trial/trial.ts";
import { addToLog, type Job, type Tallied } from "./tally.ts";

const FLOWS = 30;

const { lab, traffic, end } = await openPair(FLOWS);

/** The latest output of both machines' programs. */
const logs = () =>
  MACHINES.map(
    (machine) => `${machine}:\n${lab.run(machine, "tail -n 80 /run/egress-bench-*.log || true")}`,
  ).join("");

async function tried(job: Job): Promise<Tallied> {
  const at = new Date().toISOString();
  try {
    const failure = failures.find((one) => one.name === job.kind);
    if (failure === undefined) throw new Error(`There is no failure "${job.kind}".`);
    const { outageMs, afterMs, back, of, survived, liars } = await trial(lab, traffic, failure, job.active);
    const after = afterMs === undefined ? {} : { afterMs };
    const kept = keptKinds(failure).every((kind) => survived[kind] === of);
    if (!back || !kept || liars.length > 0) addToLog({ ...job, at }, logs());
    return { ...job, at, back: back && liars.length === 0, liars, outageMs, ...after, of, survived, kept };
  } catch (error) {
    addToLog({ ...job, at }, logs());
    return { ...job, at, error: String(error) };
  }
}

process.on("message", async (job: Job) => process.send?.(await tried(job)));
process.on("disconnect", async () => {
  await end();
  process.exit();
});
