/**
 * `.ci/gate`, which action.yml runs: its outputs, summary, annotations and exit status. Not proved: that GitHub runs it in
 * this way.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { Results } from "../../bench/results/index.ts";
import { handMadeResults } from "../fixtures/results/hand-made.ts";

const gate = fileURLToPath(new URL("../../.ci/gate", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-ci-gate-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const whole = handMadeResults();
const [template] = whole.cases.filter(({ id, topology }) => id === "tcp-egress" && topology === "direct");

/** Results of one case on `direct`, measured once for each rate. */
function results(...rates: number[]): Results {
  const cases = rates.map((bitsPerSecond, minute) => ({
    ...template!,
    startedAt: `2026-11-21T09:0${minute}:00Z`,
    measurement: { ...template!.measurement!, bitsPerSecond },
  }));
  return { ...whole, topologies: whole.topologies.slice(0, 1), cases };
}

const three = results(9.9e9, 10e9, 10.1e9);
const slower = results(2.9e9, 3e9, 3.1e9);

const figure = String.raw`\| direct \| tcp-egress \| throughput \|`;
const [fast, slow] = [results(10e9), results(3e9)];
const word = /allow-not-judged: expected true or false; got yes/;
const empty = /it is a directory without results; expected \*\.json/;

it.each<[string, number, RegExp, now: Results, before: Results | null, environment?: Record<string, string>]>(
  [
    ["good", 0, new RegExp(String.raw`\| within tolerance ${figure}`), three, three],
    ["worse", 3, new RegExp(String.raw`\| worse ${figure} 10\.0 Gbit/s \| 3\.00 Gbit/s \|`), slower, three],
    ["not-judged", 4, new RegExp(String.raw`\| not judged ${figure}`), slow, fast],
    ["not-judged", 0, /not judged/, slow, fast, { ALLOW_NOT_JUDGED: "true" }],
    ["no-baseline", 0, /^# /m, three, null],
    ["unusable", 2, /results: expected files; got nothing/, three, three, { RESULTS: " " }],
    ["unusable", 2, word, three, three, { ALLOW_NOT_JUDGED: "yes" }],
    ["unusable", 1, empty, three, three, { BASELINE: directory }],
  ],
)("%s", (verdict, status, summary, now, before, environment = {}) => {
  const file = (name: string) => join(directory, name);
  for (const name of ["summary", "outputs"]) {
    writeFileSync(file(name), "");
  }
  rmSync(file("old.json"), { force: true });
  writeFileSync(file("new.json"), JSON.stringify(now));
  if (before !== null) {
    writeFileSync(file("old.json"), JSON.stringify(before));
  }
  const ran = spawnSync("bash", [gate], {
    encoding: "utf8",
    env: {
      ...process.env,
      RESULTS: file("new.json"),
      BASELINE: file("old.json"),
      TOLERANCE: "5%",
      OUT: file("out"),
      GITHUB_STEP_SUMMARY: file("summary"),
      GITHUB_OUTPUT: file("outputs"),
      ...environment,
    },
  });
  expect({ status: ran.status, outputs: readFileSync(file("outputs"), "utf8") }).toEqual({
    status,
    outputs: `verdict=${verdict}\n`,
  });
  const text = readFileSync(file("summary"), "utf8");
  expect(text.startsWith(`## egress-bench: ${verdict}\n\n    `)).toBe(true);
  expect(text).toMatch(summary);
  expect(text).not.toMatch(/^ *::/m);
  const annotations = ran.stdout.split("\n").filter((line) => line.startsWith("::"));
  expect(annotations).toHaveLength(["worse", "not-judged", "no-baseline"].includes(verdict) ? 1 : 0);
});
