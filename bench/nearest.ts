import { distance } from "fastest-levenshtein";

/** Number of names beyond which a hint no longer helps. */
const MOST = 3;

/**
 * At most three similar known names, nearest first: those that differ in at most a third of their characters, or only in
 * the order of their letters.
 */
export function nearest(name: string, known: readonly string[]): string[] {
  const typed = name.toLowerCase();
  return known
    .map((one) => ({ one, edits: distance(typed, one.toLowerCase()) }))
    .filter(
      ({ one, edits }) =>
        isSwap(typed, one) || edits <= Math.max(1, Math.floor(Math.max(one.length, typed.length) / 3)),
    )
    .sort((a, b) => a.edits - b.edits || (a.one < b.one ? -1 : 1))
    .slice(0, MOST)
    .map(({ one }) => one);
}

/** `; did you mean a or b?` with the nearest names. @param otherwise Text where none is near. @default nothing */
export function hintOf(name: string, known: readonly string[], otherwise = ""): string {
  const meant = nearest(name, known);
  return meant.length === 0 ? otherwise && `; ${otherwise}` : `; did you mean ${meant.join(" or ")}?`;
}

/** Whether both have the same letters, e.g. with two neighbours swapped, which is two edits. */
const isSwap = (typed: string, one: string) =>
  [...typed].sort().join("") === [...one.toLowerCase()].sort().join("");
