/** Terminal output: colours, and lines that fit. */
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProgressBoard, paint, renderResults } from "../../../cli/terminal/progress-board.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const red = "\u001b[31mx\u001b[39m";

describe("colour", () => {
  it.each([
    ["a terminal", true, {}, red],
    ["a pipe or a file", false, {}, "x"],
    ["an unknown stream", undefined, {}, "x"],
    ["NO_COLOR", true, { NO_COLOR: "1" }, "x"],
    // https://no-color.org: "when present and not an empty string".
    ["an empty NO_COLOR", true, { NO_COLOR: "" }, red],
    ["a terminal without capabilities", true, { TERM: "dumb" }, "x"],
    ["an ordinary terminal", true, { TERM: "xterm-256color" }, red],
  ])("%s", (_, isTTY, environment, expected) => {
    expect(paint(isTTY === undefined ? {} : { isTTY }, "red", "x", environment)).toBe(expected);
  });
});

describe("the table of results", () => {
  const results = handMadeResults();
  const lines = (columns: number) =>
    renderResults(results, { isTTY: true, columns, write: () => {} })
      .split("\n\n")[0]
      ?.split("\n") ?? [];

  it("is a table if it fits, else one paragraph per case", () => {
    expect(lines(200)[0]).toMatch(/^case +direct +nat-gateway/);
    expect(lines(60).join("\n")).not.toMatch(/^case /m);
  });

  it("has no line of a table that is wider than the terminal", () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 250 }), (columns) => {
        const table = lines(columns);
        return (
          table[0]?.startsWith("case") !== true ||
          table.every((line) => stripVTControlCharacters(line).trimEnd().length <= columns)
        );
      }),
    );
  });

  it("has no colour in a file", () => {
    const failed = { ...results, cases: results.cases.map((one) => ({ ...one, measurement: null })) };
    expect(renderResults(failed, { write: () => {} })).toContain("failed: ");
    expect(renderResults(failed, { write: () => {} })).not.toContain("\u001b");
  });
});

describe("progress on a small terminal", () => {
  function board(columns: number, rows: number) {
    const written: string[] = [];
    const stream = { isTTY: true, columns, rows, write: (text: string) => written.push(text) };
    return { written, stream, board: new ProgressBoard(stream, () => 0) };
  }

  it("uses one row fewer than the terminal has, so that nothing scrolls", () => {
    const { written, board: own } = board(30, 4);
    const runs = Array.from({ length: 9 }, (_, index) => own.row(`stack-${index}`));
    runs.forEach((run) => {
      run.step("measuring with a plan of a long name", { seconds: 10, afterSeconds: 100 });
    });
    const drawn = written.at(-1)?.trimEnd().split("\n") ?? [];
    expect(drawn).toHaveLength(3);
    expect(drawn.every((line) => line.length < 30)).toBe(true);
    runs.forEach((run) => {
      run.stop();
    });
  });

  it("erases all rows of a line that a narrowed terminal wraps", () => {
    const { written, stream, board: own } = board(100, 24);
    const run = own.row("compare");
    run.step("x".repeat(70));
    const width = (written.at(-1) ?? "").trimEnd().length;
    stream.columns = 40;
    run.stop();
    expect(written.at(-1)).toBe(`\u001b[${Math.ceil(width / 40)}A\r\u001b[0J`);
  });
});
