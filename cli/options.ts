/** Values of options that several commands have. */
import { resolve } from "node:path";
import { readNamedFile } from "../components/shared/files.ts";
import { UsageError } from "./usage-error.ts";

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

/** Text of the file that an option names. @throws {UsageError} */
export function textOf(option: string, file: string, directory = ""): string {
  try {
    return readNamedFile(resolve(directory, file));
  } catch (error) {
    throw new UsageError(`${option}: ${file} cannot be read: ${(error as Error).message}`);
  }
}
