/** The fault table: every row is made for real, on one lab that all share. */
import { type LabStack, openLabStack } from "../helpers/lab-stack.ts";
import { type Ancestor, ancestors, tryAncestor } from "./ancestors.ts";
import { betweenRuns } from "./between-runs.ts";
import { tryCloudRow } from "./cloud.ts";
import { type CloudRow, cloudRows } from "./cloud-rows.ts";
import { type Fault, type Outcome, pulumi, tryFault } from "./fault.ts";
import { fullFrom, tryFullState } from "./full-state.ts";
import { hostile } from "./hostile.ts";
import { localRuns, tryLocalRun } from "./local-run.ts";
import { midCase } from "./mid-case.ts";
import { tryObservedPair } from "./observed-pair.ts";
import { operatorsMachine } from "./operators-machine.ts";
import { pairRows, tryPair } from "./pair.ts";
import { type Refusal, refusals } from "./refusals.ts";
import { severalCauses } from "./several-causes.ts";
import { tryWithoutRoot } from "./without-root.ts";

const TOPOLOGIES = ["nat-instance"];

export interface Row {
  readonly name: string;
  readonly try: (lab: LabStack) => Promise<Outcome>;
}

export const table: readonly Row[] = [
  ...[...midCase, ...betweenRuns, ...severalCauses, ...operatorsMachine, ...hostile].map(
    (fault: Fault): Row => ({
      name: fault.name,
      try: (lab) => (fault.ownLab === undefined ? tryFault(lab, fault) : tryApart(fault)),
    }),
  ),
  ...cloudRows.map(
    (row: CloudRow): Row => ({
      name: `${row.cloud}: ${row.name}`,
      try: () => tryCloudRow(row),
    }),
  ),
  { name: "npm run local: its pair is cut off, killed and drained", try: tryObservedPair },
  ...localRuns.map(
    (run): Row => ({
      name: `npm run local: ${run.name}`,
      try: () => tryLocalRun(run),
    }),
  ),
  ...pairRows.map(([name, active]): Row => ({ name: `pair: ${name}`, try: () => tryPair(name, active) })),
  { name: "the account is not root but has sudo, and its clone is shallow", try: tryWithoutRoot },
  ...ancestors.map(
    (ancestor: Ancestor): Row => ({
      name: `npm run ${ancestor.command}: ${ancestor.name} is ended`,
      try: () => tryAncestor(ancestor),
    }),
  ),
  ...fullFrom.map(
    (from): Row => ({
      name: `compare: the state's disk fills up ${from.within ? "in" : "before"} call ${from.nth} of Pulumi`,
      try: () => tryFullState(from),
    }),
  ),
  ...refusals.map(
    (refusal): Row => ({
      name: `configuration: ${refusal.name}`,
      try: (lab) => tryRefusal(lab, refusal),
    }),
  ),
];

async function tryApart(fault: Fault): Promise<Outcome> {
  const lab = await openFaultLab(fault.ownLab);
  try {
    return await tryFault(lab, fault);
  } finally {
    await lab.dispose();
  }
}

/** The lab that the rows share; its state is saved at each step, as a person's is. */
export async function openFaultLab(more: Readonly<Record<string, unknown>> = {}): Promise<LabStack> {
  const lab = await openLabStack({
    ...more,
    topologies: TOPOLOGIES,
    runId: "0",
    plan: { name: "none", cases: [{ tool: "connect", durationSeconds: 1 }] },
  });
  await lab.up();
  return lab;
}

/** A preview that must be refused, in one line and with nothing changed. */
async function tryRefusal(lab: LabStack, { configuration, says }: Refusal): Promise<Outcome> {
  const before = lab.hosts();
  const good = { cloud: "local", topologies: TOPOLOGIES, plan: "quick", runId: "0" };
  lab.configure({ ...good, ...configuration });
  const { code, text } = await pulumi(lab, "preview", "--non-interactive").ended;
  const withdrawn = Object.fromEntries(Object.keys(configuration).map((key) => [key, undefined]));
  lab.configure({ ...withdrawn, ...good });
  const lines = text.split("\n").map((line) => line.trim());
  const saw = lines.find((line) => says.test(line) && /error|:/.test(line));
  const left = lab.hosts().filter((host) => !before.includes(host));
  return {
    saw: (saw ?? text.slice(-600)).slice(0, 300),
    exit: String(code),
    left,
    goOn: "correct it",
    wrong: [
      ...(saw === undefined ? [`no message matches ${says}`] : []),
      ...(code === 0 ? ["it was not refused"] : []),
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not reach a terminal
      ...(/\u001b/.test(text) ? ["escape sequences reached the terminal"] : []),
      ...(/^\s+at .*\.ts:\d+/m.test(text) ? ["a stack trace was shown"] : []),
    ],
  };
}
