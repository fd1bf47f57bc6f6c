/** The tests nearest to a file: those with its name, then those that reach it by the fewest imports. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Kinds of tests that take seconds, without an engine, a lab or a browser. */
const QUICK = /^tests\/(unit|components|programs)\//;

/**
 * @param files All files of the project, relative to `root`.
 * @param file One of them, such as `bench/shell.ts`.
 * @param most Test files at most.
 * @returns paths of test files, nearest first; those that take longer only by name, or if there are no others
 */
export function nearestTests(root: string, files: readonly string[], file: string, most = 8): string[] {
  const tests = files.filter((one) => one.endsWith(".test.ts"));
  const distances = distancesTo(root, files, file);
  const name = (path: string) =>
    basename(path)
      .replace(/(\.test)?\.\w+$/, "")
      .replaceAll("_", "-");
  const distance = (test: string) => (name(test) === name(file) ? 0 : (distances.get(test) ?? Infinity));
  const near = tests.filter((test) => distance(test) < Infinity).sort((a, b) => distance(a) - distance(b));
  const quick = near.filter((test) => QUICK.test(test) || distance(test) === 0);
  return (quick.length > 0 ? quick : near).slice(0, most);
}

/** Number of imports from each file that reaches `file`. A file that is no TypeScript is reached from those that name it, or its functions. */
function distancesTo(root: string, files: readonly string[], file: string): Map<string, number> {
  const sources = new Map(
    files.filter((one) => one.endsWith(".ts")).map((one) => [one, readFileSync(join(root, one), "utf8")]),
  );
  const users = new Map<string, string[]>();
  for (const [from, text] of sources) {
    for (const [, path = ""] of text.matchAll(/(?:from|import|import\() ?"(\.{1,2}\/[^"]+)"/g)) {
      const to = join(from, "..", path);
      users.set(to, [...(users.get(to) ?? []), from]);
    }
  }
  const [stem = "", language] = basename(file).split(".");
  const named = RegExp(`\\b${stem}\\.${language === "py" ? "(?:py|\\w+\\()" : language}`);
  const first = file.endsWith(".ts")
    ? [file]
    : [...sources].filter(([, text]) => named.test(text)).map(([one]) => one);
  const distances = new Map(first.map((one) => [one, file.endsWith(".ts") ? 0 : 1]));
  // A map's iteration includes what is added meanwhile: nearest first.
  for (const [to, distance] of distances) {
    for (const from of users.get(to) ?? []) if (!distances.has(from)) distances.set(from, distance + 1);
  }
  return distances;
}
