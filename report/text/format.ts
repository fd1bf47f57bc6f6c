/**
 * Counts, money and ratios as people read them, and words for what is missing. Rates, times and shares are
 * `bench/plan/quantities.ts`'s.
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

/** `4,210`. */
export function count(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en-US") : digits(value);
}

// Made once: it is slow to make, and the cost picture has hundreds of amounts.
const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `77.85 USD`. */
export function usd(value: number): string {
  return `${cents.format(value)} USD`;
}

/** `×0.94`. */
export function ratio(value: number): string {
  return `×${value >= 100 ? digits(value) : value.toFixed(2)}`;
}

/** A figure, or the words for a missing one. */
export function orMissing(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? NOT_MEASURED : format(value);
}
