/**
 * Figures as people read them: decimal units, three significant digits, and words for what is missing.
 *
 * @module
 */

/** What stands where nothing was measured. */
export const NOT_MEASURED = "not measured";

/** Three significant digits, thousands separated, no exponent. */
export function digits(value: number): string {
  const size = Math.abs(value);
  const decimals = size === 0 || size >= 100 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size)));
  return value.toLocaleString("en-US", {
    minimumFractionDigits: Math.min(decimals, 6),
    maximumFractionDigits: Math.min(decimals, 6),
  });
}

function scaled(value: number, unit: string, steps: readonly (readonly [number, string])[]): string {
  const [factor, prefix] = steps.find(([at]) => Math.abs(value) >= at) ?? [1, ""];
  return `${digits(value / factor)} ${prefix}${unit}`;
}

const bigSteps = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** `9.41 Gbit/s`. */
export function bitRate(bitsPerSecond: number): string {
  return scaled(bitsPerSecond, "bit/s", bigSteps);
}

/** `1.07 ms` from microseconds. */
export function microseconds(us: number): string {
  return Math.abs(us) >= 1000 ? `${digits(us / 1000)} ms` : `${digits(us)} µs`;
}

/** `0.0012 %`; 0 is `0 %`, and what is not quite 0 never reads as 0. */
export function percent(value: number): string {
  if (value === 0) {
    return "0 %";
  }
  return Math.abs(value) < 0.0001 ? "< 0.0001 %" : `${digits(value)} %`;
}

/** `4,210`. */
export function count(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en-US") : digits(value);
}

/** `77.85 USD`. */
export function usd(value: number): string {
  return `${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} USD`;
}

/** `×0.94`. */
export function ratio(value: number): string {
  return `×${value >= 100 ? digits(value) : value.toFixed(2)}`;
}

/** A figure, or the words for a missing one. */
export function orMissing(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? NOT_MEASURED : format(value);
}
