/**
 * What the generated tables say of a field beside its schema: its unit, which its name has, and words for fields whose
 * schema has no comment.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { parse } from "yaml";

const words: Readonly<Record<string, string>> = parse(
  readFileSync(new URL("words.yaml", import.meta.url), "utf8"),
);

/** By the end of a name. */
const units: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/bitsPerSecond$/i, "bit/s"],
  [/packetsPerSecond$/i, "packets/s"],
  [/perSecond$/i, "1/s"],
  [/perHour$/i, "1/h"],
  [/percent$/i, "%"],
  [/Us$/, "µs"],
  [/Ms$/, "ms"],
  [/seconds$/i, "s"],
  [/minutes$/i, "min"],
  [/bytes$/i, "bytes"],
];

/** Of a field whose name has one, or that stands in the section of latencies; else "". */
export function unitOf(section: string, path: string): string {
  const unit = units.find(([ending]) => ending.test(path))?.[1];
  return unit ?? (section === "latencySchema" && !path.includes("samples") ? "µs" : "");
}

/** @param title Of the field's section. */
export function wordsOf(title: string, path: string): string {
  const last = path.split(".").at(-1)?.replace("[]", "") ?? path;
  return words[`${title} ${path}`] ?? words[path] ?? words[last] ?? "";
}
