/** Results files behind links: the link stays, and its target is replaced. */
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOut, writeResults } from "../../../../cli/terminal/result-files.ts";
import { handMadeResults } from "../../../fixtures/results/hand-made.ts";
import { directoryOfTest } from "../../../helpers/temporary.ts";

test("results replace the file behind a link", () => {
  const directory = directoryOfTest();
  const [file, link] = [join(directory, "disk.json"), join(directory, "results.json")];
  writeFileSync(file, "");
  symlinkSync(file, link);
  const results = handMadeResults();
  expect(writeResults(results, link, true)).toBe(file);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(results)));
});

test("a rewritten file keeps its mode, and files beside it stay", () => {
  const directory = directoryOfTest();
  const file = join(directory, "report.html");
  writeFileSync(file, "old", { mode: 0o600 });
  writeOut(file, "new");
  expect({ text: readFileSync(file, "utf8"), mode: statSync(file).mode & 0o777 }).toEqual({
    text: "new",
    mode: 0o600,
  });
  writeOut(file, "private", file, 0o400);
  expect(statSync(file).mode & 0o777).toBe(0o400);
  const beside = join(directory, "report.html.new");
  symlinkSync("/dev/null", beside);
  writeOut(file, "newer");
  expect([readFileSync(file, "utf8"), readdirSync(directory)]).toEqual([
    "newer",
    ["report.html", "report.html.new"],
  ]);
});
