/**
 * A figure of a document names where it comes from, and is there. Not proved: what a link or a benchmark says; sentences
 * whose number is a word.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { complaintsOf, figuresOf, passagesOf } from "../../helpers/figures.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string) => readFileSync(root + path, "utf8");
const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "agent/README.md"].concat(
  readdirSync(`${root}docs`).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
);
const benchmarks = [...read("tests/bench/usage.txt").matchAll(/^ {2}([a-z][\w-]*) /gm)].map(
  ([, name = ""]) => name,
);

test("their count", () => {
  const passages = documents
    .flatMap((path) => passagesOf(read(path)).map(figuresOf))
    .filter(({ length }) => length > 0);
  console.log(
    `figures: ${passages.flat().length} in ${passages.length} passages of ${documents.length} documents`,
  );
  expect(passages.length).toBeGreaterThan(50);
});

test.each(documents)("%s", (path) => {
  const wrong = passagesOf(read(path)).flatMap((passage) =>
    complaintsOf(passage, path, benchmarks).map((complaint) => `${complaint} (${passage.slice(0, 60)}...)`),
  );
  expect(wrong).toEqual([]);
});

describe("a passage", () => {
  const here = (passage: string) =>
    passagesOf(passage).flatMap((one) => complaintsOf(one, "docs/x.md", ["nat"]));
  const protocol = "components/shared/cidr.ts";

  test.each([
    ["without a source", "It takes 7 ms.", ["7 ms: no source"]],
    [
      "whose source stands at another one",
      `It takes 7 ms.\n\nSo it does. <!-- source: ${protocol} -->`,
      ["7 ms: no source"],
    ],
    [
      "with a file that is gone",
      "It takes 7 ms. <!-- source: tests/gone.test.ts -->",
      ["no file tests/gone.test.ts"],
    ],
    [
      "with a benchmark that is gone",
      "It takes 7 ms (`npm run bench -- natt`).",
      ["no npm run bench -- natt"],
    ],
    [
      "with a number that its file has not",
      `It takes 76543 ms. <!-- source: ${protocol} -->`,
      [`76543 ms: not in ${protocol}`],
    ],
    ["that is a table", "| a | b |\n|---|---|\n| x | 7.5 |", ["7.5: no source"]],
  ])("%s", (_, passage, complaints) => {
    expect(here(passage)).toEqual(expect.arrayContaining(complaints));
  });

  test.each([
    ["with a link", "It takes 7 ms ([RFC](https://www.rfc-editor.org/rfc/rfc4787))."],
    ["with a benchmark", "It takes 7 ms (`npm run bench -- nat`)."],
    ["that was measured by hand, on a day", "It takes 7 ms, measured on 2026-11-22."],
    [
      "with a file, in another unit",
      "A GB of 2 minutes. <!-- source: docs/x.md -->"
        .replace("docs/x.md", "package.json")
        .replace("2 minutes", "a day"),
    ],
    ["of code, defaults and headings", "# In 7 ms\n\n`7 ms`\n\n| key | default |\n|---|---|\n| x | 7 |"],
  ])("%s is right", (_, passage) => {
    expect(here(passage)).toEqual([]);
  });
});
