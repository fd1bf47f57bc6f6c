/**
 * Formats counts, money and ratios, and words for missing figures. Rates, times and shares are in
 * `bench/plan/quantities.ts`.
 */

export const NOT_MEASURED = "not measured";

// Created once, since creation is slow and each change of an input formats hundreds of figures.
const formats = Array.from(
  { length: 7 },
  (_, decimals) =>
    new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
);
const whole = new Intl.NumberFormat("en-US");

/** Three significant digits, thousands separated, no exponent. */
export function digits(value: number): string {
  const size = Math.abs(value);
  const decimals = size === 0 || size >= 100 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size)));
  return formats[Math.min(decimals, 6)]?.format(value) ?? String(value);
}

/** `4,210`. */
export function count(value: number): string {
  return Number.isInteger(value) ? whole.format(value) : digits(value);
}

/** `1 flow`, `3 flows`. @param several Plural. @default `one` with an s */
export function counted(value: number, one: string, several = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : several}`;
}

/** `1,077.85`. */
export function amount(value: number): string {
  return formats[2]?.format(value) ?? String(value);
}

/** `77.85 EUR`. @param currency As ISO 4217 names it */
export function money(value: number, currency: string): string {
  return `${amount(value)} ${currency}`;
}

/** `2026-11-22 10:05:31 UTC` for an ISO time, without milliseconds. */
export function timeOf(iso: string | null): string {
  return iso === null ? "unknown" : iso.replace(/^([\d-]+)T([\d:]+)(\.\d+)?Z$/, "$1 $2 UTC");
}

/** `×0.94`. */
export function ratio(value: number): string {
  return `×${value >= 100 ? digits(value) : value.toFixed(2)}`;
}

/** A figure, or the words for a missing one. */
export function orMissing(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? NOT_MEASURED : format(value);
}
