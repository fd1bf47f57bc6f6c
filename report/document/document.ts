/**
 * The document model: headings, sentences, tables and charts. `html.ts` and `markdown.ts` render it, for reports and for
 * advice alike.
 */
import type { Chart } from "../charts/chart.ts";
import type { Column } from "../comparison/comparison.ts";
import type { ReportTable } from "./table.ts";

/** An entry of a chart's legend: a colour and pattern by number. */
export type LegendEntry = Pick<Column, "index" | "label">;

export type Block =
  | {
      readonly kind: "text";
      readonly text: string;
      /** `answer`: the document's main sentence. */
      readonly look: "plain" | "answer" | "warning" | "note";
      /** Less important words behind the main sentence. */
      readonly rest?: string;
    }
  | { readonly kind: "heading"; readonly text: string }
  | {
      readonly kind: "list";
      readonly items: readonly string[];
      /** Link targets for table cells, one per item. */
      readonly ids?: readonly string[];
    }
  | {
      readonly kind: "table";
      readonly caption: string;
      readonly table: ReportTable;
      /**
       * `cards`: on a phone each row becomes a card. `folded`: cards that the reader opens. `sortable`: on a page
       * with script, rows can be sorted by a column and filtered by words.
       */
      readonly layout: "cards" | "plain" | "folded" | "sortable";
    }
  | { readonly kind: "chart"; readonly chart: Chart; readonly legend: readonly LegendEntry[] }
  | { readonly kind: "code"; readonly text: string }
  /** Blocks that the page's inputs change; `id` is their element's. */
  | { readonly kind: "live"; readonly id: string; readonly blocks: readonly Block[] }
  | {
      readonly kind: "box";
      /** `sides`: its blocks stand side by side where there is room; `side` holds several as one. */
      readonly look: "read-first" | "problems" | "answer" | "sides" | "side";
      readonly blocks: readonly Block[];
    }
  | {
      readonly kind: "fold";
      readonly summary: string;
      readonly open: boolean;
      readonly blocks: readonly Block[];
    }
  /** Blocks for the page only, made at rendering because charts take long. `markdown` replaces them. @default nothing */
  | { readonly kind: "page"; readonly blocks: () => readonly Block[]; readonly markdown?: readonly Block[] }
  /** Inputs of a page. */
  | { readonly kind: "html"; readonly html: string };

/** A section. Empty ones are left out. */
export interface Section {
  readonly id: string;
  readonly heading: string;
  /** Whether the reader opens it; a folded one is not printed. @default false */
  readonly folded?: boolean;
  readonly blocks: readonly Block[];
}

export interface Document {
  readonly title: string;
  readonly heading: string;
  /** A sentence with the document's inputs and date. */
  readonly origin: string;
  /** Blocks before the first section. */
  readonly opening: readonly Block[];
  readonly sections: readonly Section[];
}

export function text(words: string, look: Extract<Block, { kind: "text" }>["look"] = "plain"): Block {
  return { kind: "text", text: words, look };
}

/** A list of sentences; nothing without items. */
export function list(items: readonly string[]): Block[] {
  return items.length === 0 ? [] : [{ kind: "list", items }];
}

/** A table; nothing without rows. */
export function table(
  rows: ReportTable,
  caption: string,
  layout: Extract<Block, { kind: "table" }>["layout"] = "cards",
): Block[] {
  return rows.rows.length === 0 ? [] : [{ kind: "table", caption, table: rows, layout }];
}

export function box(look: Extract<Block, { kind: "box" }>["look"], blocks: readonly Block[]): Block {
  return { kind: "box", look, blocks };
}

export function fold(summary: string, blocks: readonly Block[], open = false): Block {
  return { kind: "fold", summary, open, blocks };
}

/** A chart, drawn where a page is rendered; nothing for null. */
export function chartBlock(draw: () => Chart | null, legend: readonly LegendEntry[]): Block {
  const blocks = (): Block[] => {
    const chart = draw();
    return chart === null ? [] : [{ kind: "chart", chart, legend }];
  };
  return { kind: "page", blocks };
}
