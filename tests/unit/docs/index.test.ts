/** The index has every document once, and figures in documents are those that the program computes. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { readStackFile } from "../../../cli/pulumi/stack-file.ts";
import { costLines, stackCost } from "../../../cli/run/cost.ts";
import { priceSnapshots } from "../../../report/cost/prices.ts";
import { groupsOf } from "../../../tools/reference/site-index.ts";

const docs = new URL("../../../docs/", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, docs), "utf8");

test("docs/README.md lists every document, each once", () => {
  const listed = groupsOf(read("README.md")).flatMap(({ links }) => links.map(({ path }) => path));
  const pages = ["", "details/", "reference/"].flatMap((room) =>
    readdirSync(new URL(room, docs)).flatMap((name) => (name.endsWith(".md") ? [`${room}${name}`] : [])),
  );
  const own = listed.filter((path) => !path.startsWith("../")).sort();
  expect(own).toEqual(pages.filter((path) => path !== "README.md").sort());
});

test("docs/ holds at most 18 documents and 2,400 lines, none over 200 lines or 2,000 words, and no prose in long lines", () => {
  const lengths = readdirSync(docs)
    .filter((name) => name.endsWith(".md"))
    .map((name) => {
      const lines = read(name).split("\n");
      const prose = lines.filter((line) => !/^(\||\()|\]\(|<!--/.test(line));
      const words = read(name)
        .replace(/<!--[\s\S]*?-->/g, "")
        .match(/\S*[\p{L}\p{N}]\S*/gu);
      const longest = Math.max(...prose.map((line) => line.length));
      return { name, lines: lines.length - 1, words: words?.length ?? 0, longest };
    });
  expect(lengths.length).toBeLessThanOrEqual(18);
  expect(lengths.reduce((sum, { lines }) => sum + lines, 0)).toBeLessThanOrEqual(2400);
  expect(lengths.filter(({ lines, words }) => lines > 200 || words > 2000)).toEqual([]);
  expect(lengths.filter(({ longest }) => longest > 145)).toEqual([]);
});

test("the walkthrough shows a preview's price", () => {
  const stack = readStackFile("aws-nat-instance");
  const lines = costLines([stackCost(stack, parsePlan(stack.plan), priceSnapshots.aws)], priceSnapshots.aws);
  expect(read("first-cloud-run.md")).toContain(`\`\`\`text\n${lines.join("\n")}\n\`\`\``);
});
