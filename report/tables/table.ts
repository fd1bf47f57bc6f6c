/** A table as texts in rows, for HTML and Markdown alike. */

/** A cell: the main text, and smaller notes under it. */
export interface TableCell {
  readonly text: string;
  readonly notes: readonly string[];
  /** Long details that a page folds away, and a text leaves out. */
  readonly folded?: { readonly summary: string; readonly text: string };
  /** The number that it is sorted by. @default sorted by its text */
  readonly value?: number;
  readonly state: "ok" | "failed" | "missing" | "limit" | "pick";
  /** Id of the page's element that it leads to. */
  readonly link?: string;
  /** Column of the comparison it belongs to, so that a chosen topology hides its cells. */
  readonly column: number | null;
}

/** A table of text: head and rows. */
export interface ReportTable {
  readonly head: readonly TableCell[];
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly TableCell[])[];
}

/** A plain cell. */
export function cell(text: string, column: number | null = null, notes: readonly string[] = []): TableCell {
  return { text, notes, state: "ok", column };
}

/** A row of headings. */
export function headOf(texts: readonly string[]): TableCell[] {
  return texts.map((text) => cell(text));
}

/** A table of plain texts. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): ReportTable {
  return { head: headOf(head), rows: rows.map(headOf) };
}
