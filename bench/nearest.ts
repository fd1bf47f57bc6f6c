/** The names that a mistyped one was probably meant to be. */
import { distance } from "fastest-levenshtein";

/** More names than that are no hint. */
const MOST = 3;

/**
 * At most three of the known names, nearest first: those that differ in a third of their characters or less.
 */
export function nearest(name: string, known: readonly string[]): string[] {
  const typed = name.toLowerCase();
  return known
    .map((one) => ({ one, edits: distance(typed, one.toLowerCase()) }))
    .filter(({ one, edits }) => edits <= Math.max(1, Math.floor(Math.max(one.length, typed.length) / 3)))
    .sort((a, b) => a.edits - b.edits || (a.one < b.one ? -1 : 1))
    .slice(0, MOST)
    .map(({ one }) => one);
}
