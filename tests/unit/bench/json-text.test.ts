import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlainJson } from "../../../bench/plain-text.ts";
import { parseJsonObject } from "../../../bench/tools/shared/json-text.ts";

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

  it("finds an object between noise of any kind that opens no object", () => {
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
