/** Ids of cases, and the combinations of a sweep. */

/** A part of a case's id. */
export interface IdPart {
  readonly text: string;
  readonly swept: boolean | undefined;
  readonly unusual: boolean;
}

/** Joins the swept values and the unusual ones; a given id replaces the unusual ones. */
export function caseId(given: string | undefined, parts: readonly IdPart[]): string {
  const shown = parts.filter((part) => part.swept === true || (given === undefined && part.unusual));
  return [...(given === undefined ? [] : [given]), ...shown.map((part) => part.text)].join("-");
}

/** Every combination of one value from each list; the last list changes fastest. */
export function product<T extends Record<string, readonly unknown[]>>(
  lists: T,
): { [K in keyof T]: T[K][number] }[] {
  let combinations: Record<string, unknown>[] = [{}];
  for (const [key, values] of Object.entries(lists)) {
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [key]: value })));
  }
  return combinations as { [K in keyof T]: T[K][number] }[];
}
