/**
 * Words of the generated tables beside the schema: a field's unit, from its name, and words for fields whose
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

/** Unit of a field, from its name or from the section of latencies; else "". */
export function unitOf(section: string, path: string): string {
  const unit = units.find(([ending]) => ending.test(path))?.[1];
  return unit ?? (section === "latencySchema" && !path.includes("samples") ? "µs" : "");
}

/** @param title Of the field's section. */
export function wordsOf(title: string, path: string): string {
  const last = path.split(".").at(-1)?.replace("[]", "") ?? path;
  return words[`${title} ${path}`] ?? words[path] ?? words[last] ?? "";
}
