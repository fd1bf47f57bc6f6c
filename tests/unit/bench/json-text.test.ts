import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, parsePlainJson, plainOutput, plainText } from "../../../bench/plain-text.ts";
import { parseJsonObject } from "../../../bench/tools/shared/json-text.ts";

it.each([
  ...["\u00ad", "\u034f", "\u061c", "\u115f", "\u180e", "\u200b", "\u200d", "\u2028", "\u2029"],
  ...["\u2060", "\u3164", "\ufdd0", "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\u{1d173}", "\u{e0041}"],
])("a text shows a replacement for %j", (unseen) => {
  expect(plainText(`a${unseen}b`)).toBe("a\ufffdb");
  expect(parsePlainJson(JSON.stringify({ [unseen]: unseen }))).toEqual({ "\ufffd": "\ufffd" });
});

it("equal short texts of a document are stored once", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const count = 300_000;
  const stamps = JSON.stringify(Array.from({ length: count }, (_, at) => `2026-11-21T06:05:${at % 60}.000Z`));
  collect();
  const before = process.memoryUsage().heapUsed;
  const parsed = parsePlainJson(stamps) as string[];
  collect();
  // A reference has 8 bytes, a text of its own 40 more.
  expect((process.memoryUsage().heapUsed - before) / count).toBeLessThan(20);
  expect(parsed).toHaveLength(count);
});

it.each(["\t", "\n", " ", "é", "e\u0301", "日本", "한글", "😀", "µ", "\u00a0"])("a text keeps %j", (seen) => {
  expect(plainText(`a${seen}b`)).toBe(`a${seen}b`);
});

it.each([
  ["x\n::stop-commands::t\n \u00a0::error title=a::b", "x\n: :stop-commands::t\n \u00a0: :error title=a::b"],
  ["a ##[error]b ##vso[task.x]c", "a # #[error]b # #vso[task.x]c"],
  ["\u001b[0m::error::x\r\n::debug::y", ": :error::x\n: :debug::y"],
  ["a::b ## c [d]\n# [e]", "a::b ## c [d]\n# [e]"],
])("an output of %j has no command of a CI system", (text, shown) => {
  expect(plainOutput(text)).toBe(shown);
});

it("a text of several lines becomes one", () => {
  expect(oneLine("x \r\n\n ::error::y\nz")).toBe("x ::error::y z");
});

describe("parseJsonObject", () => {
  it.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ['{"a":1}\niperf3: error - no error', { a: 1 }],
    ['{"a":"}{"}}}', { a: "}{" }],
    ['{"a":"\\"}"} x', { a: '"}' }],
    ['Hello {you}\n{"a":1}', { a: 1 }],
    ['\u001b[0m{"a": nan, "b": [-nan, inf, -inf]}', { a: null, b: [null, null, null] }],
    ['{"a\\u001b":"\\u001b[31mred\\u001b[0m \\u202e\\u0007"}', { "a\ufffd": "red \ufffd\ufffd" }],
    ['{"a":1}{"a":2}', { a: 1 }],
    ['{"a":1', undefined],
    ["[1]", undefined],
    ["7", undefined],
    ["null", undefined],
    ["", undefined],
  ])("%j", (text, expected) => {
    expect(parseJsonObject(text)).toEqual(expected);
  });

  it("finds an object between any texts that open no object", () => {
    const noise = fc.string().map((text) => text.replaceAll(/[{"]/g, ""));
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(noise, object, fc.string(), (before, value, after) => {
        // As a tool would write it: control characters escaped, which JSON.stringify does but for DEL.
        const text = JSON.stringify(value).replaceAll("\u007f", "\\u007f");
        expect(parseJsonObject(`${before}\n${text}\n${after}`)).toEqual(parsePlainJson(text));
      }),
    );
  });
});
