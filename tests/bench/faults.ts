/**
 * The whole fault table, one line per row. A row that differs from the table makes the exit status 1, unless the machine was
 * starved meanwhile; so do more than 5 % of such rows.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { counted } from "../../report/text/format.ts";
import type { Outcome } from "../faults/fault.ts";
import { endPair } from "../faults/pair.ts";
import { openFaultLab, type Row, table } from "../faults/table.ts";
import type { LabStack } from "../helpers/lab-stack.ts";
import { MOST_NOT_JUDGED, watched } from "../helpers/starvation.ts";

/** Processes that make rows side by side, each with a lab of its own: most rows wait more than they work. */
const LANES = 5;

const program = fileURLToPath(import.meta.url);

type Verdict = "ok" | "WRONG" | "not judged";

/** Makes every fault whose name contains one of `wanted`. A lane asks for its next row when it has told the last one's verdict. @default all */
export async function faults(wanted: readonly string[] = []): Promise<string[]> {
  const rows = table.flatMap(({ name }, at) =>
    wanted.length === 0 || wanted.some((part) => name.includes(part)) ? [at] : [],
  );
  // The slow rows are the table's last: begun first, they are none that a lane ends alone.
  const next = rows.toReversed().values();
  const verdicts: Verdict[] = [];
  const started = performance.now();
  const ends = Array.from({ length: Math.min(LANES, rows.length) }, async () => {
    const child = fork(program);
    child.on("message", (verdict: Verdict | null) => {
      if (verdict !== null) verdicts.push(verdict);
      child.send(next.next().value ?? "none");
    });
    const [code] = await once(child, "exit");
    return code === 0;
  });
  const ended = (await Promise.all(ends)).every((well) => well);
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  const of = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length;
  const [wrong, notJudged] = [of("WRONG"), of("not judged")];
  if (
    !ended ||
    verdicts.length < Math.max(1, rows.length) ||
    wrong > 0 ||
    notJudged > Math.ceil(MOST_NOT_JUDGED * rows.length)
  ) {
    process.exitCode = 1;
  }
  return [
    `${counted(rows.length, "fault")} in ${minutes} minutes: ${of("ok")} as the table has them, ${wrong} not, ${notJudged} not judged on a starved machine`,
  ];
}

/** A process that makes the rows that its parent names. */
async function lane(): Promise<void> {
  const lab = await openFaultLab();
  let verdict: Verdict | null = null;
  try {
    for (;;) {
      process.send?.(verdict);
      const [at] = await once(process, "message");
      if (at === "none") break;
      verdict = await tried(lab, at, table[at] as Row);
    }
  } finally {
    process.disconnect();
    await endPair();
    await lab.dispose();
  }
}

async function tried(lab: LabStack, at: number, row: Row): Promise<Verdict> {
  let found: Outcome = { saw: "", exit: "", goOn: "", wrong: [] };
  const started = performance.now();
  const { starved, error } = await watched(async () => {
    found = await row.try(lab);
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  const { saw, exit, lost = [], left = [], goOn } = found;
  const wrongs = [...found.wrong, ...left.map((one) => `left behind: ${one}`)];
  if (error !== undefined) wrongs.push((error as Error).message);
  const verdict = wrongs.length === 0 ? "ok" : starved === null ? "WRONG" : "not judged";
  const [lostText, leftText] = [lost, left].map((some) => some.join(", ") || "nothing");
  const lines = [
    `${at + 1}. ${row.name}: ${verdict}${verdict === "not judged" ? `, ${starved}` : ""}`,
    `  ${seconds} s; exit ${exit}; lost: ${lostText}; left: ${leftText}; go on: ${goOn}`,
    `  saw: ${saw}`,
    ...wrongs.map((one) => `  wrong: ${one}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return verdict;
}

if (process.argv[1] === program) await lane();
