/**
 * The name that was probably meant.
 *
 * @module
 */

/** The known name that differs least from `given`, letter case aside; undefined when none is close. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((name) => ({ name, edits: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .toSorted((one, other) => one.edits - other.edits);
  return best !== undefined && best.edits <= Math.max(1, given.length / 3) ? best.name : undefined;
}

/** How many letters must be added, dropped or replaced to make one text the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...from].entries()) {
    const above = row;
    row = [at + 1];
    for (const [index, other] of [...to].entries()) {
      row.push(
        Math.min(
          (row[index] as number) + 1,
          (above[index + 1] as number) + 1,
          (above[index] as number) + Number(letter !== other),
        ),
      );
    }
  }
  return row.at(-1) as number;
}
