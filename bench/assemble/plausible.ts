/**
 * Which figures are taken from hosts and tools. They are not trusted, and what is made up must not cost what others
 * measured: a sum, square or quotient of plausible figures is a finite number.
 *
 * @module
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
