/** Escaped text shows the same text, without markup or formulas. Whole documents: rendering.test.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownOf } from "../../../report/document/markdown.ts";
import { escapeCsv, escapeHtml, escapeMarkdown } from "../../../report/text/escape.ts";

describe("escapes", () => {
  it("leave quotes of Markdown as they are", () => {
    expect(escapeMarkdown(`direct's "udp-egress"`)).toBe(`direct's "udp-egress"`);
  });

  it("leave underscores within names of Markdown as they are, and no others", () => {
    expect(escapeMarkdown("Standard_B2ats_v2 _x_")).toBe("Standard_B2ats_v2 &#95;x&#95;");
  });

  it("can be undone to the same text", () => {
    const printable = fc.string({ unit: fc.constantFrom(..."ab1 <>&\"'|*_[](){}!@#=+-.:/\\~`^$") });
    fc.assert(
      fc.property(printable, (text) => {
        const undo = (escaped: string) =>
          escaped
            .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
            .replaceAll("&lt;", "<")
            .replaceAll("&gt;", ">")
            .replaceAll("&quot;", '"')
            .replaceAll("&amp;", "&");
        expect(undo(escapeHtml(text))).toBe(text);
        expect(undo(escapeMarkdown(text))).toBe(text.replace(/\s+/g, " ").trim());
      }),
    );
  });

  it.each([
    ["=1+1", "'=1+1"],
    [" =1+1", "' =1+1"],
    ["-5", "'-5"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["+1", "'+1"],
    ["\u001b]0;title\u0007=1+1", "'=1+1"],
    ["10.0.0.1\u202e", "10.0.0.1\ufffd"],
    ["\u200b=1+1", "\ufffd=1+1"],
    ["\u2003=1+1", "'\u2003=1+1"],
    ["\uff1d1+1", "'\uff1d1+1"],
    ['say "hi", you', '"say ""hi"", you"'],
    [-5, "-5"],
    [null, ""],
  ])("CSV of %j", (value, expected) => {
    expect(escapeCsv(value)).toBe(expected);
  });
});

describe("a sentence in Markdown", () => {
  const list = (item: string) => markdownOf([{ kind: "list", items: [item] }]);

  it("keeps the program's commands as code", () => {
    expect(list("Measure it: `npm run compare -- --cloud azure`, or `pulumi up`.")).toBe(
      "- Measure it: `npm run compare -- --cloud azure`, or `pulumi up`.",
    );
  });

  it.each(["`x`", "`npm <b>`", "`npm run\nx`"])("shows other backquotes as text: %j", (text) => {
    expect(list(text)).not.toContain("`");
  });
});
