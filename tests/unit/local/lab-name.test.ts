/** Distinct labs with the same stack name. */
import { symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { labName } from "../../../components/local/lab-name.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();

test("a lab's name does not depend on how its directory is written", () => {
  symlinkSync(directory, `${directory}/link`);
  const name = labName("compare", directory, "file:///state");
  expect(name).toMatch(/^compare@[0-9a-f]{12}$/);
  expect(labName("compare", `${directory}/link`, "file:///state")).toBe(name);
});

test("another stack, project directory or backend has another lab", () => {
  const names = [
    labName("compare", directory, "file:///state"),
    labName("other", directory, "file:///state"),
    labName("compare", tmpdir(), "file:///state"),
    labName("compare", directory, "file:///elsewhere"),
    labName("compare", directory, undefined),
  ];
  expect(new Set(names).size).toBe(names.length);
});
