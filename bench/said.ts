/** Keeps the sentences that apply, in order: `applies && sentence` leaves one out. */
export function said(...sentences: readonly (string | false | null | undefined)[]): string[] {
  return sentences.filter((sentence) => typeof sentence === "string");
}
