import { expect } from "vitest";
import { ToolFailure } from "../../bench/tools/tool.ts";

/** The failure that a parser throws. @throws {Error} where it throws none */
export function failureOf(parse: () => unknown): ToolFailure {
  try {
    parse();
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
  throw new Error("expected a failure");
}

/** Matches a failure of this class whose message contains a text. */
export const toolFailure = (failureClass: string, message: string) =>
  expect.objectContaining({ name: "ToolFailure", failureClass, message: expect.stringContaining(message) });
