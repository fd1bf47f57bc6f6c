/** Mistyped command lines, and suggestions. */
import { describe, expect, it } from "vitest";
import { nearest } from "../../../bench/nearest.ts";
import { type Declaration, parseCommand } from "../../../cli/program.ts";
import { UsageError } from "../../../cli/usage-error.ts";

const declaration = {
  ...{ name: "try", summary: "", description: "", files: "file", notes: [] },
  options: {
    stack: { value: "NAME", help: "" },
    baseline: { value: "FILE", help: "", conflicts: ["json"] },
    json: { help: "" },
    mask: { help: "", either: true },
    "no-address": { help: "" },
    file: { value: "FILE", repeated: true, help: "" },
  },
} as const satisfies Declaration;
const ignored = { write: () => true };
const parse =
  (args: string[], environment: NodeJS.ProcessEnv = {}) =>
  () =>
    parseCommand(declaration, args, { stdout: ignored, stderr: ignored }, environment);

describe("an option", () => {
  it("is read", () => {
    expect(parse(["--stack", "a", "file", "--no-mask", "--no-address"])()).toEqual({
      ...{ stack: "a", baseline: undefined, json: false, mask: false, "no-address": true, file: undefined },
      files: ["file"],
    });
    expect(parse(["--mask"])()).toMatchObject({ mask: true, "no-address": false });
    expect(parse([])()).toMatchObject({ mask: undefined });
  });

  it("that excludes another is refused beside it", () => {
    expect(parse(["--json", "--baseline", "x"])).toThrow(
      new UsageError("--baseline and --json exclude each other; leave one out"),
    );
  });

  it.each([
    ["--stck", "unknown option '--stck'; did you mean --stack?"],
    ["--base-line", "unknown option '--base-line'; did you mean --baseline?"],
    ["--nonsense", "unknown option '--nonsense'"],
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
      new UsageError("--stack: expected once; got it twice"),
    );
    const taken = parse(["--file", "a", "--json", "--file", "b", "--json"])();
    expect(taken).toMatchObject({ file: ["a", "b"], json: true });
  });

  it("accepts a negative number, for the command to refuse", () => {
    expect(parse(["--stack", "-5"])()?.stack).toBe("-5");
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
