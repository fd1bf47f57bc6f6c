/** Quotes are no markup in Markdown's text. That nothing else becomes markup: rendering.test.ts. */
import { expect, it } from "vitest";
import { escapeMarkdown } from "../../../report/text/escape.ts";

it("quotes are shown as they are in Markdown", () => {
  expect(escapeMarkdown(`direct's "udp-egress"`)).toBe(`direct's "udp-egress"`);
});
