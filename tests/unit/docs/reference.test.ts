/** The generated reference agrees with the present schemas. Not proved: that its texts are true. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tools } from "../../../bench/tools/index.ts";
import { referencePages } from "../../../tools/reference/reference.ts";

const directory = new URL("../../../docs/reference/", import.meta.url);
const pages = referencePages();

test.each(Object.entries(pages))("docs/reference/%s is up to date (npm run reference)", (name, text) => {
  expect(readFileSync(new URL(name, directory), "utf8")).toBe(text);
});

test("docs/reference/ holds nothing else", () => {
  // Made by a benchmark, or by hand.
  const known = [
    ...Object.keys(pages),
    "changes.md",
    "failover.md",
    "history.md",
    "how-nat-instance-works.md",
    "nat-limits.md",
  ];
  expect(readdirSync(directory).sort()).toEqual(known.sort());
});

test("the results' JSON Schema describes every property and every named object", () => {
  const json: unknown = JSON.parse(pages["results.schema.json"] ?? "");
  const properties = new Map<string, unknown>();
  JSON.stringify(json, function (this: unknown, key, value: { properties?: object; $defs?: object } | null) {
    const named = { ...value?.properties, ...value?.$defs };
    for (const [name, one] of Object.entries(named)) properties.set(`${key}.${name}`, one);
    return value;
  });
  expect(properties.size).toBeGreaterThan(300);
  const bare = [...properties].filter(
    ([, one]) => (one as { description?: string }).description === undefined,
  );
  expect(bare.map(([name]) => name)).toEqual([]);
});

test("fields of imported, spread, renamed and repeated schemas are found", () => {
  const results = pages["results.md"] ?? "";
  for (const row of [
    "| `plan.repeat.withinPercent` | number or null |",
    "| `cases` | list of [case result](#case-result) |",
    "| `bitsPerSecond` | number or null | bit/s |",
    "| `startedAt` | time (ISO 8601) or null |",
    "| `schemaVersion` | `1` |",
  ]) {
    expect(results).toContain(row);
  }
  expect(pages["configuration.md"]).toContain("| `cloud` | `azure`, `aws`, `local`, `hosts` | required |");
});

test("limits, defaults and sweeps of cases are present, for every tool", () => {
  const plans = pages["plans.md"] ?? "";
  for (const row of [
    "| `streams` | whole number of streams, 1 to 128, or a list | `1` |",
    "| `intervalMs` | whole number of milliseconds, 1 to 10,000 | `10` |",
    "| `durationSeconds` | whole seconds from 1 to 3600, as a number or such as 30s or 5m | required |",
    "| `pairs` | whole number of pairs, 1 to 64, or a list | `1` |",
  ]) {
    expect(plans).toContain(row);
  }
  expect([...plans.matchAll(/^## Cases of `tool: (.*)`$/gm)].map(([, tool]) => tool)).toEqual(
    Object.keys(tools),
  );
});

test("every field has its schema's description", () => {
  const bare = Object.entries(pages).flatMap(([name, text]) =>
    name === "stacks.md"
      ? []
      : [...text.matchAll(/^\| (`[^|]*) \|.*\| {2}\|$/gm)].map(([, field]) => `${name}: ${field}`),
  );
  expect(bare).toEqual([]);
});
