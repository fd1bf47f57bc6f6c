/** Rewords schema errors about a value of the wrong type. */
import type { z } from "zod";

type Issue = Pick<z.core.$ZodIssue, "path" | "message">;

const names: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  null: "null",
  undefined: "nothing",
  NaN: "NaN",
};

const units: Readonly<Record<string, readonly [one: string, more: string]>> = {
  items: ["entry", "entries"],
  characters: ["character", "characters"],
};

/** A schema's errors without repeats: zod checks the bounds of a value of the wrong type too. */
export function withoutRepeats(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.filter((issue, at) => {
    const earlier = issues.slice(0, at).filter(({ path }) => path.join() === issue.path.join());
    return !earlier.some(({ code, message }) => code === "invalid_type" || message === issue.message);
  });
}

/** `field a.b: expected a string; got a list` for a schema's error. @default an error of the whole, without words */
export function issueWords({ path, message }: Issue = { path: [], message: "" }): string {
  return `${path.length === 0 ? "" : `field ${path.map(String).join(".")}: `}${typeWords(message)}`;
}

/**
 * `expected a string; got a list` for zod's "Invalid input: expected string, received array"; other messages stay.
 *
 * @param got The received value. @default its type
 */
export function typeWords(message: string, got?: string): string {
  const [, options] = /^Invalid option: expected one of (.+)$/.exec(message) ?? [];
  if (options !== undefined) {
    const list = options.replaceAll('"', "").replaceAll("|", ", ");
    return `expected one of ${list}${got === undefined ? "" : `; got ${got}`}`;
  }
  const [, bound, amount, what] =
    /^Too (?:small|big): expected \w+ to (?:be|have) ([<>]=)(\d+)(?: (items|characters))?$/.exec(message) ??
    [];
  if (amount !== undefined) {
    const words = what === undefined ? amount : `${amount} ${units[what]?.[amount === "1" ? 0 : 1]}`;
    return `expected at ${bound === ">=" ? "least" : "most"} ${words}${got === undefined ? "" : `; got ${got}`}`;
  }
  const [, expected, received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  const name = (type: string) => names[type] ?? type;
  return expected === undefined || received === undefined
    ? message
    : `expected ${name(expected)}; got ${got ?? name(received)}`;
}
