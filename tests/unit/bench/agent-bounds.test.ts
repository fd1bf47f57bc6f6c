/** Bounds, defaults and lists of the agent's own probes are the plan's. Proves nothing about what a probe does with them. */
import { expect, test } from "vitest";
import { z } from "zod";
import { runReportSchema } from "../../../bench/agent/protocol.ts";
import { parsePlan, toolOf } from "../../../bench/index.ts";
import type { ProgramOption } from "../../../bench/plan/fields.ts";
import { failoverOptions } from "../../../bench/tools/failover/index.ts";
import { http, httpOptions } from "../../../bench/tools/http/index.ts";
import { tools } from "../../../bench/tools/index.ts";
import { irttOptions } from "../../../bench/tools/irtt/index.ts";
import { natOptions } from "../../../bench/tools/nat/plan.ts";
import { searchOptions } from "../../../bench/tools/search/plan.ts";
import { evaluate } from "../../helpers/agent-host.ts";

const rates = { tool: "search", direction: "egress", durationSeconds: 1, maxBitrate: "1T", minBitrate: "1K" };

/** A plan's entries by name, and the agent's function that reads the options of their command. */
const entries = {
  ndr: [{ ...rates, goal: "ndr" }, "search.read_options"],
  "ndr-pdr": [{ ...rates, goal: "ndr-pdr" }, "search.read_options"],
  peak: [{ tool: "search", goal: "peak", durationSeconds: 3600 }, "search.read_options"],
  "connection rate": [
    { tool: "nat", probe: "connection-rate", durationSeconds: 1 },
    "nat_limits.read_options",
  ],
  "concurrent flows": [{ tool: "nat", probe: "concurrent-flows" }, "nat_limits.read_options"],
  "idle time-out": [{ tool: "nat", probe: "idle-timeout", maxSeconds: 3600 }, "nat_limits.read_options"],
  failover: [{ tool: "failover", failure: "kill", durationSeconds: 3600 }, "failover.read_options"],
  connect: [{ tool: "connect", durationSeconds: 1 }, "connect.read_options"],
  irtt: [{ tool: "irtt", durationSeconds: 1 }, "irtt.read_options"],
  http: [{ tool: "http", durationSeconds: 1 }, "http.read_options"],
} as const;

/** Numbers that may be swept, whose schema hides their bounds. */
const swept: Readonly<Partial<Record<keyof typeof tools, Readonly<Record<string, ProgramOption>>>>> = {
  irtt: { datagramBytes: irttOptions.bytes },
  http: { requestsPerSecond: httpOptions.rate },
};

/** Words before the options of a command. */
const wordsBefore: Readonly<Partial<Record<keyof typeof tools, number>>> = {
  connect: 3,
  ...{ irtt: 4, http: 4, failover: 4 },
};

/** Each number of a tool's entry that the entry may have, with its bounds. */
function numbersOf(tool: keyof typeof tools, entry: object): [string, number, number][] {
  const shape = tools[tool]?.input.shape as Record<string, z.ZodType>;
  return Object.entries(shape).flatMap(([key, optional]) => {
    const value = optional instanceof z.ZodOptional ? optional.unwrap() : optional;
    const { minValue, maxValue } = value as z.ZodNumber;
    return value instanceof z.ZodNumber && isTaken({ ...entry, [key]: minValue })
      ? [[key, Number(minValue), Number(maxValue)] as [string, number, number]]
      : [];
  });
}

function isTaken(entry: object): boolean {
  try {
    return parsePlan({ cases: [entry] }).cases.length > 0;
  } catch {
    return false;
  }
}

/** The least and the most of each number of an entry, as words of their commands. */
function asked([entry]: (typeof entries)[keyof typeof entries]): string[][] {
  const listed = Object.entries(swept[entry.tool] ?? {});
  const numbers = [
    ...numbersOf(entry.tool, entry),
    ...listed.map(([key, { min, max }]) => [key, min, max] as [string, number, number]),
  ];
  return numbers.flatMap(([key, ...bounds]) =>
    bounds.map((value) => {
      const { cases } = parsePlan({ cases: [{ ...entry, [key]: value }] });
      expect(cases).toHaveLength(1);
      const command = cases.map((single) => toolOf(single).command(single, "198.18.0.2")).join();
      return command.split(" ").slice(wordsBefore[entry.tool] ?? 2);
    }),
  );
}

test("the agent takes the least and the most of each number", () => {
  const words = Object.fromEntries(Object.entries(entries).map(([name, one]) => [name, asked(one)]));
  const counts = Object.fromEntries(Object.entries(words).map(([name, all]) => [name, all.length]));
  expect(Object.values(counts)).not.toContain(0);
  const reads = Object.entries(entries).map(
    ([name, [, read]]) => `"${name}": len([${read}(words)["address"] for words in data["${name}"]])`,
  );
  expect(evaluate(`{${reads.join()}}`, words)).toEqual(counts);
});

test.each([
  ["search", searchOptions],
  ["nat_limits", natOptions],
  ["failover", failoverOptions],
] as const)("the agent's usage text of %s has the plan's defaults", (module, options) => {
  const usage = evaluate(`${module}.__doc__`) as string;
  const said = [...usage.matchAll(/\[--([a-z-]+) ([0-9.]+)\]/g)].map(([, name = "", value]) => [
    name,
    Number(value),
  ]);
  const defaults = Object.entries(options).map(([name, option]) => [name, option.default]);
  expect(said).toEqual(expect.arrayContaining(defaults));
});

test("the agent knows each version of HTTP, and passes on each kind of changed facts that a report has", () => {
  expect(evaluate("sorted(http.PROTOCOLS)")).toEqual([...http.caseSchema.shape.httpVersion.options].sort());
  expect(evaluate("http.CONTRACT['httpConnections']")).toEqual(http.caseSchema.shape.connections.options);
  const isChange = ([, schema]: [string, unknown]) => schema === runReportSchema.shape.rebooted;
  const changes = Object.entries(runReportSchema.shape).filter(isChange);
  expect(evaluate("observe.CHANGES")).toEqual(changes.map(([name]) => name));
});
