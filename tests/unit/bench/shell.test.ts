import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandLine, quote } from "../../../bench/shell.ts";

describe("quote", () => {
  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["", "''"],
    ["a b", "'a b'"],
    ["it's", `'it'\\''s'`],
    ["$(id)", "'$(id)'"],
    ["~", "'~'"],
    ["a\nb", "'a\nb'"],
  ])("%j becomes %s", (word, quoted) => {
    expect(quote(word)).toBe(quoted);
  });

  it("makes words that a real shell reads as they were", () => {
    const nasty = fc.constantFrom(..." \t\n'\"\\$`!*?[]{}()<>|&;#~=%-+,@^");
    const word = fc.string({
      unit: fc.oneof(nasty, fc.string({ minLength: 1, maxLength: 2, unit: "binary" })),
    });
    const words = fc.array(
      word.filter((text) => !text.includes("\0") && text.isWellFormed()),
      { minLength: 1, maxLength: 100 },
    );
    fc.assert(
      fc.property(words, (list) => {
        const echoed = execFileSync("sh", ["-c", `printf '%s\\0' ${commandLine(list)}`], {
          encoding: "utf8",
        });
        expect(echoed.split("\0").slice(0, -1)).toEqual(list);
      }),
      { numRuns: 25 }, // a shell each
    );
  });
});
