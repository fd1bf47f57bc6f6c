/** Progress while flow logs are read. */
import { describe, expect, it } from "vitest";
import { AdviceProgress, analysisSteps } from "../../../packages/advise/cli/progress.ts";

const files = [
  { path: "/a", name: "a", bytes: 8e8 },
  { path: "/b", name: "b", bytes: 2e8 },
] as const;

function shown(isTTY: boolean, columns?: number) {
  const texts: string[] = [];
  let now = 100;
  const stream = {
    isTTY,
    ...(columns === undefined ? {} : { columns }),
    write: (text: string) => texts.push(text),
  };
  const progress = new AdviceProgress(stream, files, () => now);
  return {
    texts,
    progress,
    at: (seconds: number) => {
      now = 100 + seconds;
    },
  };
}

describe("progress", () => {
  it("shows the share read and the remaining time, within a file", () => {
    const { texts, progress, at } = shown(true);
    progress.file(files[0], 0);
    at(9);
    progress.file(files[0], 5e8);
    // Half of the reading, 36 % of the work: 9 s for 18 %.
    expect(texts).toEqual([
      "\r\u001b[2Kfile 1 of 2 (800.0 MB), 0 % read ...",
      "\r\u001b[2Kfile 1 of 2 (800.0 MB), 50 % read, about 41 s left ...",
    ]);
  });

  it("writes few lines where lines stay visible", () => {
    const { texts, progress, at } = shown(false);
    for (let tenths = 0; tenths < 250; tenths += 5) {
      at(tenths / 10);
      progress.file(files[0], (8e8 * tenths) / 250);
    }
    progress.file(files[1], 8e8);
    expect(texts.map((text) => /file \d of 2.*, (\d+ %)/.exec(text)?.[1])).toEqual([
      "0 %",
      "32 %",
      "64 %",
      "80 %",
    ]);
  });

  it("has a remaining time that falls from step to step", () => {
    const { texts, progress, at } = shown(false);
    at(36);
    for (const { name, share } of analysisSteps) {
      progress.step(name);
      at(36 + 100 * share);
    }
    expect(texts[0]).toBe("looking up addresses, about 64 s left ...\n");
    expect(analysisSteps.reduce((sum, { share }) => sum + share, 0.36)).toBeCloseTo(1);
  });

  it("never wraps on a narrow terminal", () => {
    const { texts, progress } = shown(true, 20);
    progress.file(files[0], 4e8);
    expect(texts[0]).toBe("\r\u001b[2Kfile 1 of 2 (800.0 ");
  });
});
