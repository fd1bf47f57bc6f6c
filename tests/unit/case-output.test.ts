import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { isSettledText, SETTLING } from "../../components/benchmark/case-resource.ts";

it("an unneeded repetition reads its input before it ends, and says that it was not needed", () => {
  // More than a pipe holds: a program that ends without reading it leaves a broken pipe.
  const { error, status, stdout } = spawnSync("sh", ["-c", SETTLING], {
    input: "x".repeat(1_000_000),
    encoding: "utf8",
  });
  expect({ error, status }).toEqual({ error: undefined, status: 0 });
  expect(isSettledText(stdout)).toBe(true);
});
