/** A table as rows of text, for HTML and Markdown alike. */

/** A cell: the main text, and smaller notes under it. */
export interface TableCell {
  readonly text: string;
  readonly notes: readonly string[];
  /** Long details, folded on a page and left out of text. */
  readonly folded?: { readonly summary: string; readonly text: string };
  /** Number for sorting. @default sorted by its text */
  readonly value?: number;
  readonly state: "ok" | "failed" | "missing" | "pick";
  /** Id of the page's element that it links to. */
  readonly link?: string;
  /** The cell's column of the comparison, so that hiding a topology hides its cells. */
  readonly column: number | null;
}

export interface ReportTable {
  readonly head: readonly TableCell[];
  /** Rows of cells; a row's first cell is its name. */
  readonly rows: readonly (readonly TableCell[])[];
}

export function cell(text: string, column: number | null = null, notes: readonly string[] = []): TableCell {
  return { text, notes, state: "ok", column };
}

export function headOf(texts: readonly string[]): TableCell[] {
  return texts.map((text) => cell(text));
}

export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): ReportTable {
  return { head: headOf(head), rows: rows.map(headOf) };
}
