/**
 * The whole fault table, one line per row. A row that differs from the table makes the exit status 1, unless the machine was
 * starved meanwhile; so do more than 5 % of such rows.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { counted } from "../../report/text/format.ts";
import type { Outcome } from "../faults/fault.ts";
import { endPair } from "../faults/pair.ts";
import { openFaultLab, type Row, table } from "../faults/table.ts";
import { MOST_NOT_JUDGED, watched } from "../helpers/starvation.ts";

/** Processes that make rows side by side, each with a lab of its own: most rows wait more than they work. */
const LANES = 5;
/** Variable with the process's number. */
const LANE = "EGRESS_BENCH_FAULT_LANE";

/** Makes every fault whose name contains one of `wanted`. @default all */
export async function faults(wanted: readonly string[] = []): Promise<string[]> {
  const rows = table.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  const lane = process.env[LANE];
  if (lane !== undefined || rows.length < LANES) {
    return oneLane(
      rows.map((row, at) => ({ row, at })).filter(({ at }) => at % LANES === Number(lane ?? at)),
    );
  }
  const started = performance.now();
  const ends = Array.from({ length: LANES }, async (_, number) => {
    const program = fileURLToPath(new URL("run.ts", import.meta.url));
    const only = wanted.flatMap((part) => ["--only", part]);
    const env = { ...process.env, [LANE]: String(number) };
    const [code] = await once(
      spawn(process.execPath, [program, "faults", ...only], { env, stdio: "inherit" }),
      "exit",
    );
    return code === 0;
  });
  const failed = (await Promise.all(ends)).includes(false);
  if (failed) {
    process.exitCode = 1;
  }
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  return [
    `${counted(rows.length, "fault")} in ${minutes} minutes, ${failed ? "not all" : "all"} as the table has them`,
  ];
}

async function oneLane(rows: readonly { readonly row: Row; readonly at: number }[]): Promise<string[]> {
  const lab = await openFaultLab();
  let [wrong, notJudged] = [0, 0];
  try {
    for (const { row, at } of rows) {
      const nothing = { saw: "", exit: "", lost: "", left: "", goOn: "" };
      let found: Omit<Outcome, "fault"> = { ...nothing, wrong: [] };
      const { starved, error } = await watched(async () => {
        found = await row.try(lab);
      });
      const wrongs = error === undefined ? found.wrong : [(error as Error).message];
      const verdict = wrongs.length === 0 ? "ok" : starved === null ? "WRONG" : `not judged, ${starved}`;
      wrong += verdict === "WRONG" ? 1 : 0;
      notJudged += verdict.startsWith("not") ? 1 : 0;
      const { saw, exit, lost, left, goOn } = found;
      const lines = [`  exit ${exit}; lost: ${lost}; left: ${left}; go on: ${goOn}`, `  saw: ${saw}`];
      process.stdout.write(
        `${at + 1}. ${row.name}: ${verdict}\n${[...lines, ...wrongs.map((one) => `  wrong: ${one}`)].join("\n")}\n`,
      );
    }
  } finally {
    await endPair();
    await lab.dispose();
  }
  if (wrong > 0 || notJudged > Math.ceil(MOST_NOT_JUDGED * rows.length)) {
    process.exitCode = 1;
  }
  return [
    `${counted(rows.length, "fault")}, ${wrong} not as the table has them, ${notJudged} not judged on a starved machine`,
  ];
}
