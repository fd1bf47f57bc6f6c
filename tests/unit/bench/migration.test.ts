/** Documents of earlier releases and their readers: version 1 only grows. */
import { expect, test } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { resultsSchema } from "../../../bench/results/index.ts";
import { renderSummary, summarize } from "../../../bench/summary/summary.ts";
import { fixture } from "./fixture.ts";

const old = JSON.parse(fixture("results/v1-first-release.json"));
const read = resultsSchema.parse(old);

test("a document of the first release keeps all its fields", () => {
  expect(read).toMatchObject(old);
});

test("fields that it could not have are null or constant, never 0", () => {
  for (const one of read.cases) {
    const { repetitions, pairs, limits, natDrops, measurement } = one;
    expect({ repetitions, pairs, limits, natDrops }).toEqual({
      repetitions: null,
      pairs: null,
      limits: null,
      natDrops: null,
    });
    expect(measurement).toMatchObject({ search: null, natLimits: null });
    expect(one.hosts.map(({ network }) => network)).toEqual(one.hosts.map(() => null));
  }
  expect(read.schemaMinor).toBe(0);
  expect(read.plan.cases[0]).toMatchObject({ tool: "iperf3", congestion: null, pairs: null });
  expect(read.plan).toMatchObject({ seed: null, pauseSeconds: 0, repeat: { least: 1, most: 1 } });
  expect(read.server).toMatchObject({ size: null, region: null, zone: null, tuning: "none" });
});

test("`saturated` of an earlier release becomes a limit without a figure", () => {
  const withSaturated = (saturated: unknown) => {
    const cases = old.cases.map((one: object) => ({ ...one, saturated }));
    return resultsSchema.parse({ ...old, cases }).cases.map(({ limits }) => limits);
  };
  const stated = { host: null, kind: "stated", value: null, bound: null };
  expect(withSaturated({ at: "client", explanation: "why" })[0]).toEqual([{ ...stated, role: "client" }]);
  expect(withSaturated({ at: "path", explanation: "why" })[0]).toEqual([{ ...stated, role: null }]);
  expect(withSaturated({ at: null, explanation: "no host was" })[0]).toBeNull();
});

test("cases of the plan are checked", () => {
  const withCase = (change: object) => {
    const [first, ...others] = old.plan.cases;
    return resultsSchema.safeParse({
      ...old,
      plan: { ...old.plan, cases: [{ ...first, ...change }, ...others] },
    });
  };
  expect(withCase({ addedLater: 1 }).success).toBe(true);
  expect(withCase({ streams: "eight" }).error?.issues[0]?.path).toEqual(["plan", "cases", 0, "streams"]);
  expect(withCase({ tool: "unheard-of" }).success).toBe(false);
});

test("its summary is unchanged", () => {
  const table = renderSummary(summarize(read));
  expect(table).toMatch(/^case +direct +nat-instance$/m);
  expect(table).toMatch(/^tcp-egress +4\.29 Gbit\/s +3\.78 Gbit\/s \(0\.88x\)$/m);
});

test("a reader of the first release finds all its fields in a present document", () => {
  const today = resultsSchema.parse({ ...old, plan: parsePlan({ preset: "quick", repeat: 2 }) });
  const missing = paths({ ...old, plan: undefined }).filter((path) => !paths(today).includes(path));
  expect(missing).toEqual([]);
});

/** Every path of a document with a value; entries of a list share one. */
function paths(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null) {
    return value === undefined ? [] : [at];
  }
  const entries = Object.entries(value);
  return [
    ...new Set(entries.flatMap(([key, inner]) => paths(inner, `${at}.${Array.isArray(value) ? "*" : key}`))),
  ];
}
