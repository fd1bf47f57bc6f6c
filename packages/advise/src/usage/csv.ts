/** Splits rows of CSV (RFC 4180). */

/** Whether a row goes on in the next line: it ends inside quotes. */
export function isOpen(row: string): boolean {
  return row.includes('"') && row.split('"').length % 2 === 0;
}

type Separator = "," | ";";

/** The separator of a header's columns. */
export function separatorOf(header: string): Separator {
  return header.includes(";") && !header.includes(",") ? ";" : ",";
}

const quotedCells = {
  ",": /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g,
  ";": /(?:^|;)(?:"((?:[^"]|"")*)"|([^;]*))/g,
} as const;

/** Where semicolons separate, commas are decimal. */
export function cellsOf(row: string, separator: Separator = ","): string[] {
  const cells = row.includes('"')
    ? [...row.matchAll(quotedCells[separator])].map(([, inQuotes, plain = ""]) =>
        inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'),
      )
    : row.split(separator);
  return separator === "," ? cells : cells.map((cell) => cell.replace(/^(-?\d+),(\d+)$/, "$1.$2"));
}
