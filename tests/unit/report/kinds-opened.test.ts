/** Survivors of each further kind of TCP connection, compared with the number that their own repetition opened. */
import { expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import type { CaseResult, Results } from "../../../bench/results/index.ts";
import { compare } from "../../../report/index.ts";
import { failoverTable } from "../../../report/tables/failover.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { kill, killMeasured } from "../../helpers/killed-pair.ts";

const whole = handMadeResults();
const template = whole.cases.find(({ id, topology }) => id === "tcp-egress" && topology === "direct")!;

function otherTcp(held: readonly (readonly [opened: number, survived: number])[]): string | undefined {
  const runs = held.map(([opened, survived], index): CaseResult => {
    const measurement = structuredClone(killMeasured);
    const kind = {
      opened,
      survived,
      silent: opened - survived,
      reset: 0,
      stallMs: { p50: 1, p95: 1, max: 1 },
    };
    Object.assign(measurement.failover!.outages.new, { ms: 500 + index, ended: true });
    measurement.failover!.kinds = { sending: kind, receiving: kind, idle: kind };
    return { ...template, id: kill.id, tool: "failover", limits: [], measurement };
  });
  const repeat = { least: runs.length, most: runs.length, withinPercent: null };
  const results: Results = {
    ...whole,
    plan: { ...whole.plan, cases: [kill], repeat },
    cases: [mergeRepetitions(runs, repeat)],
    topologies: whole.topologies.filter(({ name }) => name === "direct"),
  };
  const report = { comparison: compare([{ source: "", results }]) } as Parameters<typeof failoverTable>[0];
  return failoverTable(report).rows[0]?.[6]?.text;
}

it.each([
  [
    "270 of 270",
    [
      [90, 90],
      [100, 100],
      [90, 90],
    ],
  ],
  [
    "270 of 300",
    [
      [100, 90],
      [90, 90],
      [100, 100],
    ],
  ],
] as const)("%s of %j", (text, held) => {
  expect(otherTcp(held)).toBe(text);
});
