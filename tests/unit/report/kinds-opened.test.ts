/** Survivors of each further kind of TCP connection, compared with the number that their own repetition opened. */
import { expect, it } from "vitest";
import { compare } from "../../../report/index.ts";
import { failoverTable } from "../../../report/tables/failover.ts";
import { kill, killMeasured } from "../../helpers/killed-pair.ts";
import { repeatedResults } from "./repeated.ts";

function otherTcp(held: readonly (readonly [opened: number, survived: number])[]): string | undefined {
  const measurements = held.map(([opened, survived], index) => {
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
    return measurement;
  });
  const results = repeatedResults(kill, measurements);
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
