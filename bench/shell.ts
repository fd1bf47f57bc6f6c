/** Words for a POSIX shell. */

/** One word, quoted where the shell would read it otherwise. */
export function quote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line of the given words, each quoted. */
export function commandLine(words: readonly (string | number)[]): string {
  return words.map((word) => quote(String(word))).join(" ");
}

/** An option of a command line, left out where its value is null. */
export function option(name: string, value: string | number | null): (string | number)[] {
  return value === null ? [] : [name, value];
}
