/** A field's unit, from its name. */

/** Units by name suffix. */
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
  return unit ?? (section === "latency" && !path.includes("samples") ? "µs" : "");
}
