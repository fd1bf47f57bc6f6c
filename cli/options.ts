/** Reads a command line, with hints for mistyped options. */
import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { nearest } from "../bench/nearest.ts";
import { UsageError } from "./usage-error.ts";

/** npm settings that a person may have set for other reasons: they are ignored. */
const NPM_OWN = ["help", "json", "yes"];

/** Joins negative numbers to their option, so that the command checks which numbers it takes. */
function withNegativeValues(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  return args.flatMap((one, at) => {
    const takesValue = (word = "") => options[word.replace(/^--/, "")]?.type === "string";
    const isValue = (word = "") => /^-\.?\d/.test(word);
    if (takesValue(one) && isValue(args[at + 1])) return [`${one}=${args[at + 1]}`];
    return isValue(one) && takesValue(args[at - 1]) ? [] : [one];
  });
}

function takesOne(option: ParseArgsOptionsConfig[string] | undefined): boolean {
  return option?.type === "string" && option.multiple !== true;
}

/**
 * The values of a command line's options, and its other words.
 *
 * @param environment Where npm leaves options before `--`. @default this process's
 * @throws {UsageError} for an unknown option, with the nearest one, for an option without a value or given more than once, and
 * for options that npm took
 */
export function parseOptions<
  const T extends ParseArgsOptionsConfig,
  const C extends Omit<ParseArgsConfig, "args" | "options">,
>(args: readonly string[], options: T, config: C, environment: NodeJS.ProcessEnv = process.env) {
  const taken = Object.keys(options).filter(
    (name) => !NPM_OWN.includes(name) && environment[`npm_config_${name.replaceAll("-", "_")}`],
  );
  if (taken.length > 0) {
    const names = taken.map((name) => `--${name}`).join(" and ");
    throw new UsageError(
      `npm took ${names} for itself: put "--" before the command's options, as in npm run COMMAND -- ${names}`,
    );
  }
  try {
    const read = parseArgs({ args: withNegativeValues(args, options), options, tokens: true, ...config });
    const names = (read.tokens ?? []).flatMap((token) => (token.kind === "option" ? [token.name] : []));
    const again = names.find((name, at) => names.indexOf(name) < at && takesOne(options[name]));
    if (again !== undefined) {
      throw new Error(
        `--${again}: expected once; got it ${names.filter((name) => name === again).length} times`,
      );
    }
    const empty = Object.entries(read.values).find(([, value]) => [value].flat().includes(""));
    if (empty !== undefined) {
      throw new Error(`--${empty[0]}: expected a value; got nothing`);
    }
    return read;
  } catch (error) {
    const { message } = error as Error;
    // Node's message takes three lines to explain values that begin with a dash.
    const valueless = /Option '(?:-\w, )?--([\w-]+)(?: <value>)?' argument (?:missing|is ambiguous)/.exec(
      message,
    )?.[1];
    if (valueless !== undefined) {
      throw new UsageError(`--${valueless}: expected a value; got nothing`);
    }
    const unknown = /Unknown option '--([^']+)'/.exec(message)?.[1];
    const meant = unknown === undefined ? [] : nearest(unknown, Object.keys(options));
    const hint = meant.length === 0 ? "" : `; did you mean ${meant.map((name) => `--${name}`).join(" or ")}?`;
    // Node adds how to pass a positional argument that begins with a dash, which no command takes.
    throw new UsageError(`${message.replace(/\. To specify a positional argument.*/s, "")}${hint}`);
  }
}

/** A percentage. @throws {UsageError} */
export function percent(option: string, text: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)%?$/.exec(text) ?? [];
  const value = Number(digits);
  if (digits === undefined || value > 100) {
    throw new UsageError(`${option}: expected a percentage from 0% to 100%; got "${text}"`);
  }
  return value;
}

/** One of the given words. @throws {UsageError} */
export function oneOf<const T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found === undefined) {
    throw new UsageError(
      `${option}: expected ${allowed.join(" or ")}; got ${text === "" ? "nothing" : `"${text}"`}`,
    );
  }
  return found;
}
