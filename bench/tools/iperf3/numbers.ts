/** Arithmetic with figures that iperf3 may not report. */

/** A counter's or rate's value; null where iperf3 does not know: absent, NaN, below 0, or such a number read as unsigned. */
export function count(value: number | null | undefined): number | null {
  return value == null || value < 0 || value >= 2 ** 63 ? null : value;
}

/** The value where 0 means unknown. */
export function positive(value: number | null | undefined): number | null {
  return count(value) || null;
}

/** Null where a factor is unknown. */
export function times(a: number | null | undefined, b: number | null | undefined): number | null {
  return a == null || b == null ? null : a * b;
}

/** Never below 0; null where a part is unknown. */
export function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(0, a - b);
}

/** Null where a part is unknown, or the divisor is 0. */
export function ratio(a: number | null, b: number | null): number | null {
  return a === null || b === null || b === 0 ? null : a / b;
}
