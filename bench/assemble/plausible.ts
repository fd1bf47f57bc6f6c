/**
 * Bounds on figures from hosts and tools. They are not trusted, and an invented one must not cost what others
 * measured: a sum, square or quotient of plausible figures is a finite number.
 */

/** No machine has, sends or lasts as much in any unit of the results. */
const LARGEST = 1e18;
/** Nor as little, with room for what is left of a difference that should be 0. */
const SMALLEST = 1e-40;

/** Whether every number in `value`, however deep, is one that a machine can have. */
export function isPlausible(value: unknown): boolean {
  if (typeof value === "number") {
    const size = Math.abs(value);
    return size === 0 || (size >= SMALLEST && size <= LARGEST);
  }
  return typeof value !== "object" || value === null || Object.values(value).every(isPlausible);
}

/** Bits a second that no host sends, a thousand times what the fastest network card does. */
const FASTEST_BITS_PER_SECOND = 1e15;
/** Rounding error around 0. */
const ROUNDING = 1e-6;

/** The first impossible figure of a tool, by the unit in its name; null: none. */
export function impossibleFigure(measurement: unknown, name = "measurement"): string | null {
  if (typeof measurement === "number") {
    const most = /BitsPerSecond$/i.test(name)
      ? FASTEST_BITS_PER_SECOND
      : /Percent$/.test(name)
        ? 100 + ROUNDING
        : LARGEST;
    return measurement >= -ROUNDING && measurement <= most ? null : `${name} is ${measurement}`;
  }
  if (typeof measurement !== "object" || measurement === null) {
    return null;
  }
  for (const [key, value] of Object.entries(measurement)) {
    const problem = impossibleFigure(value, Array.isArray(measurement) ? name : key);
    if (problem !== null) {
      return problem;
    }
  }
  return null;
}
