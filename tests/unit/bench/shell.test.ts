import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandLine, quote } from "../../../bench/shell.ts";
import { anyText } from "../../helpers/any-text.ts";

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
    const nasty = fc.string({ unit: fc.constantFrom(..." \t\n'\"\\$`!*?[]{}()<>|&;#~=%-+,@^ab") });
    const any = anyText().filter((text) => !text.includes("\0"));
    // One shell for all of them: starting one takes longer than quoting a thousand words.
    const words = fc.sample(fc.oneof(nasty, any), 1000);
    const script = `printf '%s\\0' ${commandLine(words)}`;
    const echoed = execFileSync("sh", ["-c", script], { encoding: "utf8" });
    expect(echoed.split("\0").slice(0, -1)).toEqual(words);
  });
});
