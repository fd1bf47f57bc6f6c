/**
 * Figures of the documents, and where they come from.
 *
 * A figure is a number with a unit, or a table's cell that is a number; a passage is a paragraph, an item of a list or a
 * table. A passage with figures names its sources: a link, a file of the project, a benchmark (`npm run bench -- nat`), or
 * the day it was measured on. Where the reader has no use for them they stand in a comment, at the passage's end or in a
 * paragraph of its own behind it: `<!-- source: tests/unit/x.test.ts, report/y.ts -->`. Files are looked into: they have the
 * figures. Links, benchmarks, and tests that read the document are believed.
 *
 * No figures: code, headings, columns of defaults, numbers in words.
 *
 * @module
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What one of a unit may be in a file's own unit. */
const UNITS: Readonly<Record<string, readonly number[]>> = {
  "[GM]bit/s": [1e3, 1e6, 1e9],
  "Gbit|Mbit|bytes?|USD|h|times|pps|GHz": [],
  "[KMGT]i?B": [1e3, 1024, 1e6, 2 ** 20, 1e9, 2 ** 30],
  "µs|ms": [1e-3],
  "s|seconds?": [1000],
  "minutes?|min": [60, 60_000],
  "hours?": [60, 3600, 3_600_000],
  "days?|weeks?|months?": [24, 1440, 86_400],
  "%": [0.01],
  "(?:million |thousand )?(?:packets?|connections?|flows?|ports|addresses|machines|records|rows|datagrams|cycles|streams|vCPUs|gateways|rules|lines|instructions)":
    [1e6],
};
const FIGURE = new RegExp(
  String.raw`(?<![\w.,/:~^-])(\d[\d,]*(?:\.\d+)?) ?(${Object.keys(UNITS).join("|")})(?![\w-])`,
  "g",
);
const CELL = /^[\d.,]+\d$/;

export interface Figure {
  readonly text: string;
  /** The same number in other units. */
  readonly values: readonly number[];
}

const numberOf = (text: string) => Number(text.replaceAll(/[,_]/g, ""));

function figure(text: string, unit = ""): Figure {
  const value = numberOf(text);
  const [, factors = []] =
    Object.entries(UNITS).find(([units]) => new RegExp(`^(?:${units})$`).test(unit)) ?? [];
  return { text: `${text} ${unit}`.trim(), values: [value, ...factors.map((factor) => value * factor)] };
}

/** Cells of a table that are numbers, but for columns of defaults and of exit statuses. */
function cells(table: string): Figure[] {
  const [head = [], , ...rows] = table.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  const isFigure = (cell: string, column: number) =>
    CELL.test(cell) && !/default|status/.test(head[column] ?? "");
  return rows.flatMap((row) => row.filter(isFigure).map((cell) => figure(cell)));
}

export function figuresOf(passage: string): Figure[] {
  const prose = passage.replaceAll(/<!--[\s\S]*?-->/g, "").replaceAll(/`[^`]*`|\]\([^)]*\)/g, "");
  const counted = [...prose.matchAll(FIGURE)].map(([, number = "", unit = ""]) => figure(number, unit));
  return prose.startsWith("|") ? [...counted, ...cells(prose)] : counted;
}

/** A document's passages without code and headings, each with the comment behind it. */
export function passagesOf(document: string): string[] {
  const blocks = document
    .replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2$/gm, "")
    .split(/\n\s*\n/)
    .flatMap((block) => block.split(/\n(?=[-*] |\d+\. |#)/))
    .map((block) => block.replace(/^#.*(\n|$)/, "").trim())
    .filter((block) => block !== "");
  const passages: string[] = [];
  for (const block of blocks) {
    passages.push(block.startsWith("<!--") ? `${passages.pop()}\n\n${block}` : block);
  }
  return passages;
}

/** What a passage names as its sources. What its comment names has to be there; of its text only what is. */
function sourcesOf(passage: string, from: string): string[] {
  const named = [...passage.matchAll(/<!-- source: ([\s\S]*?) -->/g)].flatMap(([, list = ""]) =>
    list.split(/,\s+/).map((one) => one.replaceAll(/\s+/g, " ")),
  );
  const links = [...passage.matchAll(/\]\(([^)\s#]+)/g)].map(([, link = ""]) => link);
  const code = [...passage.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text.replaceAll(/\s+/g, " "));
  const dates = passage.match(/(?:measured|by hand) on 20\d\d-\d\d-\d\d/gi) ?? [];
  return [
    ...named,
    ...dates,
    ...[...links, ...code].filter((text) => isBelieved(text) || isFile(text, from)),
  ];
}

/** Nobody looks into these. */
const isBelieved = (source: string) => /^https?:|^npm run bench -- |20\d\d-\d\d-\d\d$/.test(source);

/** Prose is no source, but for the pages that are generated; nor is what commands have made. */
const isFile = (text: string, from: string) =>
  !/^(\.tools|\.egress-bench|out|node_modules)\/|(?<!reference\/\w+|quotas\/\w+)\.md$/.test(text) &&
  fileOf(text, from) !== null;

function fileOf(source: string, from: string): string | null {
  const paths = [join(root, source), join(root, dirname(from), source)];
  return paths.find((path) => existsSync(path) && statSync(path).isFile()) ?? null;
}

const literals = new Map<string, ReadonlySet<number>>();
/** All numbers of a file, and products such as `64 * 1024`. */
function numbersIn(path: string): ReadonlySet<number> {
  const known = literals.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, "utf8");
  const plain = [...text.matchAll(/(?<![\w.])\d[\d_,]*(?:\.\d+)?(?:e\d+)?/g)].map(([one]) => numberOf(one));
  const products = [...text.matchAll(/(\d[\d_]*) (\*\*?) (\d[\d_]*)/g)].map(([, a = "", operator, b = ""]) =>
    operator === "*" ? numberOf(a) * numberOf(b) : numberOf(a) ** numberOf(b),
  );
  const all = new Set([...plain, ...products]);
  literals.set(path, all);
  return all;
}

/** What is wrong with the figures of a passage. @param benchmarks Names of those that there are */
export function complaintsOf(passage: string, from: string, benchmarks: readonly string[]): string[] {
  const figures = figuresOf(passage);
  if (figures.length === 0) return [];
  const sources = sourcesOf(passage, from);
  if (sources.length === 0) return figures.map(({ text }) => `${text}: no source`);
  const files = sources.filter((source) => !isBelieved(source));
  const paths = files.map((file) => fileOf(file, from));
  const known = benchmarks.map((name) => `npm run bench -- ${name}`);
  const gone = [
    ...files.filter((_, at) => paths[at] === null).map((file) => `no file ${file}`),
    ...sources
      .filter((one) => one.startsWith("npm run bench") && !known.includes(one))
      .map((one) => `no ${one}`),
  ];
  const readsIt = (path: string | null) =>
    path !== null && readFileSync(path, "utf8").includes(basename(from));
  if (gone.length > 0 || files.length < sources.length || paths.some(readsIt)) return gone;
  const numbers = paths.flatMap((path) => [...numbersIn(path as string)]);
  const lost = figures.filter(
    ({ values }) => !values.some((value) => numbers.some((one) => near(one, value))),
  );
  return lost.map(({ text }) => `${text}: not in ${files.join(", ")}`);
}

const near = (one: number, other: number) => Math.abs(one - other) <= 1e-9 * Math.abs(other);
