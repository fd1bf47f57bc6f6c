/** The first or last of several instants. */

/** Compared as instants: agents may write fractions of a second with any number of digits. */
export function extreme<Key extends "startedAt" | "finishedAt">(
  cases: readonly { readonly [key in Key]: string | null }[],
  key: Key,
  better: (a: number, b: number) => boolean,
): string | null {
  return cases.reduce<string | null>((best, one) => {
    const at = one[key];
    return at !== null && (best === null || better(Date.parse(at), Date.parse(best))) ? at : best;
  }, null);
}
