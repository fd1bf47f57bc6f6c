/** What a refused value is told. Components' arguments: tests/unit/components/args-schema.test.ts. */
import { expect, test } from "vitest";
import { z } from "zod";
import { problemsOf, problemText, validate } from "../../../bench/validate.ts";

const shape = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("disk"), gb: z.int().min(8).max(64) }),
  z.strictObject({ kind: z.literal("card"), rates: z.array(z.union([z.string(), z.number()])).max(1) }),
]);

test.each<[unknown, string]>([
  [undefined, "is missing; expected an object"],
  ["disk", 'expected an object; got "disk"'],
  [{ kind: "tape" }, 'kind: expected one of disk, card; got "tape"'],
  [{ kind: "disk", gb: 8.5 }, "gb: expected a whole number; got 8.5"],
  [{ kind: "disk", gb: Number.NaN }, "gb: expected a number; got NaN"],
  [{ kind: "disk", gb: 4 }, "gb: expected at least 8; got 4"],
  [{ kind: "disk", gb: 8, size: 1 }, "size: is unknown; remove it: there are kind, gb, rates"],
  [{ kind: "card", rates: [1, "1G"] }, "rates: expected at most 1 entry; got 2"],
  [{ kind: "card", rates: [true] }, "rates[0]: expected a string or a number; got true"],
  [{ kind: "card", rates: "1G" }, 'rates: expected a list; got "1G"; write ["1G"]'],
  [{ kind: "card", rates: ["\u001b[31m", null] }, "rates: expected at most 1 entry; got 2"],
])("%j: %s", (value, line) => {
  expect(problemsOf(shape, value).map(problemText)).toContain(line);
});

test("what a terminal would obey is shown harmless, and what is long is cut", () => {
  const [problem] = problemsOf(z.object({ a: z.number() }), { a: `\u202e${"x".repeat(200)}` });
  expect(problem?.reason).toMatch(/^expected a number; got "\ufffdx+…$/);
  expect(problem?.reason).toHaveLength("expected a number; got ".length + 100);
});

test("all problems are named, from the whole", () => {
  const schema = z.object({ a: z.string(), b: z.boolean() });
  const refuse = (problems: readonly string[]) => new TypeError(problems.join("\n"));
  const lines = "axes[1].a: expected a string; got null\naxes[1].b: expected true or false; got 1";
  expect(() => validate(schema, { a: null, b: 1 }, refuse, "axes[1]")).toThrow(new TypeError(lines));
  expect(validate(schema, { a: "", b: true, c: 1 }, refuse)).toEqual({ a: "", b: true });
});
