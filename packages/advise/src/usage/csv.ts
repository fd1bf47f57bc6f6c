/** Splits rows of CSV (RFC 4180). */

/** Whether a row goes on in the next line: it ends inside quotes. */
export function isOpen(row: string): boolean {
  return row.includes('"') && row.split('"').length % 2 === 0;
}

export function cellsOf(row: string): string[] {
  if (!row.includes('"')) {
    return row.split(row.includes(";") && !row.includes(",") ? ";" : ",");
  }
  return [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, inQuotes, plain = ""]) =>
    inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'),
  );
}
