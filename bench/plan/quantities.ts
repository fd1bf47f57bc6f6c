/** Parses and formats bit rates and durations. Units are decimal everywhere: 1K is 1000. */

const multipliers: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Rates outside are typing errors rather than tests. */
const MIN_BITS_PER_SECOND = 1e3;
const MAX_BITS_PER_SECOND = 1e12;

/** The forms that `parseBitRate` takes, for error messages. */
export const BIT_RATE_ALLOWED = 'a bit rate from 1K to 1T, such as 500K, 10M, 2.5G (decimal) or "unlimited"';

/** The forms that `parseDuration` takes, for error messages. */
export const DURATION_ALLOWED = "whole seconds from 1 to 3600, as a number or such as 30s or 5m";
export const MAX_DURATION_SECONDS = 3600;

/**
 * Bits per second of `10M`, `2.5G`, `500K` or a plain number; 0 for `unlimited`, as iperf3's `-b` has it.
 * Undefined where the input is no such rate.
 */
export function parseBitRate(input: unknown): number | undefined {
  if (input === "unlimited") {
    return 0;
  }
  const match = /^(\d+(?:\.\d+)?)([KMGT]?)$/i.exec(textOf(input));
  if (match === null) {
    return undefined;
  }
  // Decimals times a multiplier narrowly miss whole numbers: 1.001 * 1e6 is 1000999.9999999999.
  const exact = Number(match[1]) * (multipliers[(match[2] ?? "").toUpperCase()] ?? Number.NaN);
  const rate = Math.round(exact);
  const whole = Math.abs(exact - rate) < 1e-3;
  return whole && rate >= MIN_BITS_PER_SECOND && rate <= MAX_BITS_PER_SECOND ? rate : undefined;
}

/** The shortest text that `parseBitRate` reads as the same rate: `10M`, `1500K`, `unlimited`. */
export function bitRateText(bitsPerSecond: number): string {
  if (bitsPerSecond === 0) {
    return "unlimited";
  }
  const suffix = ["T", "G", "M", "K"].find((name) => bitsPerSecond % (multipliers[name] ?? 1) === 0) ?? "";
  return `${bitsPerSecond / (multipliers[suffix] ?? 1)}${suffix}`;
}

/** Whole seconds of `30`, `30s`, `5m` or `1h`, from 1 to 3600. Undefined where the input is no such duration. */
export function parseDuration(input: unknown): number | undefined {
  const match = /^(\d+)([smh]?)$/.exec(textOf(input));
  if (match === null) {
    return undefined;
  }
  const duration = Number(match[1]) * (seconds[match[2] || "s"] ?? Number.NaN);
  return duration >= 1 && duration <= MAX_DURATION_SECONDS ? duration : undefined;
}

function textOf(input: unknown): string {
  return typeof input === "string" || typeof input === "number" ? String(input).trim() : "";
}

/** `9.41 Gbit/s`: three significant digits. */
export function formatBitRate(bitsPerSecond: number): string {
  const { value, suffix } = scale(bitsPerSecond, ["", "K", "M", "G", "T"]);
  return `${value} ${suffix}bit/s`;
}

/** `940`, `12.3k`, `1.20M`: a count per second, whole below a thousand, else three significant digits. */
export function formatCount(count: number): string {
  if (count < 999.5) {
    return String(Math.round(count));
  }
  const { value, suffix } = scale(count, ["", "k", "M"]);
  return `${value}${suffix}`;
}

/** `0 %`, `<0.01 %`, `0.02 %`, `1.2 %`, `100 %`. */
export function formatPercent(percent: number): string {
  if (percent === 0 || percent === 100) {
    return `${percent} %`;
  }
  if (Math.abs(percent) < 0.01) {
    return percent > 0 ? "<0.01 %" : ">-0.01 %";
  }
  return `${percent.toFixed(Math.abs(percent) < 1 ? 2 : 1)} %`;
}

/** `117 µs`, `1.07 ms`, `382.7 ms`, `1.20 s`, from microseconds. */
export function formatMicroseconds(microseconds: number): string {
  if (microseconds >= 99_950 && microseconds < 999_950) {
    return `${(microseconds / 1000).toFixed(1)} ms`; // a tenth of a millisecond tells intercontinental paths apart
  }
  const { value, suffix } = scale(microseconds, ["µ", "m", ""]);
  return `${value} ${suffix}s`;
}

/** Three significant digits below 1000 with the first possible suffix; larger values use the last suffix. */
function scale(amount: number, suffixes: readonly string[]): { value: string; suffix: string } {
  let value = amount;
  let index = 0;
  // 999.5 rounds to 1000, which belongs to the next suffix.
  while (Math.abs(value) >= 999.5 && index < suffixes.length - 1) {
    value /= 1000;
    index += 1;
  }
  const digits = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return { value: value === 0 ? "0" : value.toFixed(digits), suffix: suffixes[index] ?? "" };
}
