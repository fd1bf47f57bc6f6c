/** Mistyped command lines, and suggestions. */
import { describe, expect, it } from "vitest";
import { nearest } from "../../../bench/nearest.ts";
import { parseOptions } from "../../../cli/options.ts";
import { UsageError } from "../../../cli/usage-error.ts";

const options = {
  stack: { type: "string" },
  baseline: { type: "string" },
  json: { type: "boolean" },
  file: { type: "string", multiple: true },
} as const;
const parse =
  (args: string[], environment: NodeJS.ProcessEnv = {}) =>
  () =>
    parseOptions(args, options, { allowPositionals: true }, environment);

describe("an option", () => {
  it("is read", () => {
    const { values, positionals } = parse(["--stack", "a", "file"])();
    expect({ ...values, positionals }).toEqual({ stack: "a", positionals: ["file"] });
  });

  it.each([
    ["--stck", "Unknown option '--stck'; did you mean --stack?"],
    ["--base-line", "Unknown option '--base-line'; did you mean --baseline?"],
    ["--nonsense", "Unknown option '--nonsense'"],
  ])("%s is refused, with the nearest one", (option, message) => {
    expect(parse([option])).toThrow(message);
    expect(parse([option])).not.toThrow("positional");
  });

  it.each([
    [["--stack"], "--stack: expected a value; got nothing"],
    [["--stack", "--json"], "--stack: expected a value; got nothing"],
    [["--stack", ""], "--stack: expected a value; got nothing"],
    [["--stack="], "--stack: expected a value; got nothing"],
  ])("%j lacks its value", (args, message) => {
    expect(parse(args)).toThrow(new UsageError(message));
  });

  it("given twice is refused, unless it may be: the first value would be dropped", () => {
    expect(parse(["--stack", "a", "--json", "--stack=b"])).toThrow(
      new UsageError("--stack: expected once; got it 2 times"),
    );
    const taken = parse(["--file", "a", "--json", "--file", "b", "--json"])();
    expect(taken.values).toEqual({ file: ["a", "b"], json: true });
  });

  it("accepts a negative number, for the command to refuse", () => {
    expect(parse(["--stack", "-5"])().values.stack).toBe("-5");
  });

  it("before -- belongs to npm, and is reported so", () => {
    // The form that npm 11 makes of `npm run report --baseline a b`.
    expect(parse(["a", "b"], { npm_config_baseline: "true" })).toThrow(
      'npm took --baseline for itself: put "--" before the command\'s options',
    );
    expect(parse(["a"], { npm_config_json: "true", npm_config_yes: "" })).not.toThrow();
  });
});

describe("nearest", () => {
  const regions = ["eastus", "eastus2", "westeurope", "us-east-1", "japaneast"];

  it.each([
    ["eastuss", ["eastus", "eastus2"]],
    ["wexteurope", ["westeurope"]],
    ["us-esat-1", ["us-east-1"]],
    ["JapanEast", ["japaneast"]],
    ["moon", []],
  ])("%s", (name, expected) => {
    expect(nearest(name, regions)).toEqual(expected);
  });
});
