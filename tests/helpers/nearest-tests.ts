/** The tests nearest to a file: those with its name, then those that reach it by the fewest imports. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Kinds of tests that take seconds, without an engine, a lab or a browser. */
const QUICK = /^tests\/(unit|components|programs)\//;

/**
 * @param files All files of the project, relative to `root`.
 * @param file One of them, such as `bench/shell.ts`.
 * @param most Test files at most.
 * @returns paths of test files, nearest first; those that take longer only if they name the file or what it writes, or if there are no others
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

/**
 * Number of imports from each file that reaches `file`. A file that is no TypeScript is reached from those that read or name
 * it, its functions, or what it writes.
 */
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
  const isProgram = /\.(py|sh)$/.test(file) && files.includes(file);
  const alike = isProgram ? sharing(sources, readFileSync(join(root, file), "utf8")) : [];
  const reading = [...sources].filter(([, text]) => text.includes(`../${file}"`)).map(([one]) => one);
  const close = new Set(file.endsWith(".ts") ? [file] : [...reading, ...alike]);
  const naming = file.endsWith(".ts") ? [] : [...sources].filter(([, text]) => named.test(text));
  const distances = new Map([...close].map((one) => [one, 0]));
  for (const [one] of naming) if (!close.has(one)) distances.set(one, 1);
  // A map's iteration includes what is added meanwhile: nearest first.
  for (const [to, distance] of distances) {
    for (const from of users.get(to) ?? []) if (!distances.has(from)) distances.set(from, distance + 1);
  }
  return distances;
}

/** Sources that may have a name by which a program is known, and names that a source must share with it. */
const FEW = 3;

/** Sources that share several names with a program's text, such as `early_drop` and `PacketsDropCount`, that few have. */
function sharing(sources: ReadonlyMap<string, string>, program: string): string[] {
  const namesIn = (text: string) => new Set(text.match(/[a-z]+(?:_[a-z]+)+|(?:[A-Z][a-z]+){2,}/g));
  const own = namesIn(program);
  const shared = [...sources].map(([one, text]) => ({
    one,
    names: [...namesIn(text)].filter((name) => own.has(name)),
  }));
  const holders = Map.groupBy(
    shared.flatMap(({ names }) => names),
    (name) => name,
  );
  return shared.flatMap(({ one, names }) =>
    names.filter((name) => (holders.get(name)?.length ?? 0) <= FEW).length >= FEW ? [one] : [],
  );
}
