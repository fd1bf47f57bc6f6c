/** A pair's signs of life against somebody on the link who kept earlier ones and sends them again, over 127.0.0.0/8. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

test("are heard once: neither an earlier start's nor an older one is taken again", () => {
  const program = file("tests/helpers/pair-trial/replay.py");
  const said = execFileSync("python3", ["-B", program, file("components/nat-instance/pair")], {
    encoding: "utf8",
  });
  expect(said.trim().split("\n")).toEqual([
    "live True",
    "second start True",
    "first start again False",
    "live again True",
    "older again False",
    "refused 2",
  ]);
});
