/** Renders a document's blocks as HTML. All text from results passes through `escapeHtml`. */
import { swatch } from "../charts/palette.ts";
import { escapeHtml } from "../text/escape.ts";
import type { Block } from "./document.ts";
import { headOf, type ReportTable, type TableCell } from "./table.ts";

type BlockOf<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

export function htmlOf(blocks: readonly Block[]): string {
  return blocks.map(blockHtml).join("");
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "text":
      return paragraph(block);
    case "heading":
      return `<h3>${escapeHtml(block.text)}</h3>`;
    case "list":
      return list(block);
    case "table":
      return block.layout === "folded"
        ? fold(block.caption, table(block.table, block.caption, "cards"))
        : table(block.table, block.caption, block.layout);
    case "chart":
      return figure(block);
    case "code":
      // An option such as --interval-ms must not break across lines.
      return `<pre>${escapeHtml(block.text).replace(/\S*-\S*/g, "<span>$&</span>")}</pre>`;
    case "live":
      return `<div id="${escapeHtml(block.id)}">${htmlOf(block.blocks)}</div>`;
    case "box":
      return `<div class="${block.look}">${htmlOf(block.blocks)}</div>`;
    case "fold":
      return fold(block.summary, htmlOf(block.blocks), block.open);
    case "page":
      return htmlOf(block.blocks());
    case "html":
      return block.html;
  }
}

function paragraph({ text, look, rest = "" }: BlockOf<"text">): string {
  const start = { plain: "<p>", answer: '<p class="sentence">', note: '<p class="note">' };
  return look === "warning"
    ? `<p><strong>Warning:</strong> ${sentence(text)}</p>`
    : `${start[look]}${sentence(text)}${rest === "" ? "" : `<span>${sentence(rest)}</span>`}</p>`;
}

function list({ items, ids = [] }: BlockOf<"list">): string {
  const item = (text: string, id: string | undefined) =>
    `<li${id === undefined ? "" : ` id="${escapeHtml(id)}"`}>${sentence(text)}</li>`;
  return `<ul>${items.map((text, at) => item(text, ids[at])).join("")}</ul>`;
}

function fold(summary: string, html: string, open = false): string {
  return `<details${open ? " open" : ""}><summary>${escapeHtml(summary)}</summary>${html}</details>`;
}

/** A sentence with commands in backquotes. */
function sentence(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function owner({ column }: TableCell): string {
  return column === null ? "" : ` data-column="${column}"`;
}

function content({ text, notes, folded, link }: TableCell): string {
  const details = folded === undefined ? "" : fold(folded.summary, escapeHtml(folded.text));
  const shown = escapeHtml(together(text));
  return `<span>${link === undefined ? shown : `<a href="#${escapeHtml(link)}">${shown}</a>`}</span>${notes.map((note) => `<small>${escapeHtml(together(note))}</small>`).join("")}${details}`;
}

/** Keeps a figure and its unit on one line. */
function together(text: string): string {
  return text.length <= 18 && /\d/.test(text) ? text.replaceAll(" ", "\u00a0") : text;
}

/** Attributes of a region that may be wider than a screen, for keyboard focus and scrolling. */
function scrolls(name: string): string {
  return `tabindex="0" role="region" aria-label="${escapeHtml(name)}"`;
}

function table({ head, rows }: ReportTable, caption: string, kind: "cards" | "plain" | "sortable"): string {
  const isMoney = (cell: TableCell | undefined) => /^[\d,]+\.\d\d$| (?!UTC$)[A-Z]{3}$/.test(cell?.text ?? "");
  const headRow = head
    .map((cell, index) => {
      const look = rows.some((row) => isMoney(row[index])) ? ' class="money"' : "";
      return `<th scope="col"${look}${owner(cell)}>${content(cell)}</th>`;
    })
    .join("");
  const perColumn = head.some(({ column }) => column !== null);
  const body = rows.map((row) => {
    // A row of one topology hides as a whole: hiding a single cell would shift its neighbours.
    const owners = new Set(row.flatMap(({ column }) => column ?? []));
    const whole = !perColumn && owners.size === 1;
    const rowOwner = [...owners].map((column) => ` data-column="${column}"`).join("");
    const cells = row.map((cell, index) => {
      const own = perColumn ? owner(cell) : "";
      return index === 0
        ? `<th scope="row"${own}>${content(cell)}</th>`
        : kind === "sortable"
          ? `<td${cell.state === "ok" ? "" : ` class="${cell.state}"`}${sorted(cell)}>${escapeHtml(together(cell.text))}</td>`
          : `<td class="${cell.state}${isMoney(cell) ? " money" : ""}${cell.text.length > 40 ? " long" : ""}" data-head="${escapeHtml(head[index]?.text ?? "")}"${own}>${content(cell)}</td>`;
    });
    return `<tr${whole ? rowOwner : ""}>${cells.join("")}</tr>`;
  });
  return (
    `<div class="scroll" ${scrolls(caption)}><table class="${kind === "sortable" ? "plain sortable" : kind}">` +
    `<caption>${escapeHtml(caption)}</caption><thead><tr>${headRow}</tr></thead><tbody>${body.join("")}</tbody></table></div>`
  );
}

function sorted({ value }: TableCell): string {
  return value === undefined ? "" : ` data-value="${value}"`;
}

function figure({ chart, legend: entries }: BlockOf<"chart">): string {
  const { id, title, description, drawn, table: figures } = chart;
  const scales = [...new Set(drawn.map(({ scale }) => scale))];
  const switches =
    scales.length < 2
      ? ""
      : `<fieldset class="scale" aria-label="Scale of ${escapeHtml(title)}">${scales
          .map(
            (scale, index) =>
              `<label><input type="radio" name="scale-${id}" value="${index === 0 ? "first" : "second"}"${index === 0 ? " checked" : ""}>${
                scale === "log" ? "logarithmic" : "linear"
              }</label>`,
          )
          .join("")}</fieldset>`;
  const wideOnly = drawn.every(({ narrow }) => !narrow);
  const pictures = drawn.map(({ narrow, scale, svg }) => {
    const place = `${wideOnly ? "only" : narrow ? "narrow" : "wide"} ${scale === scales[0] ? "first" : "second"}`;
    return wideOnly
      ? `<div class="${place}" ${scrolls(`Picture: ${title}`)}>${svg}</div>`
      : `<div class="${place}">${svg}</div>`;
  });
  const legend = chart.columns.map((index) => {
    const entry = entries.find((one) => one.index === index);
    return entry ? `<li data-column="${index}">${swatch(index)}${escapeHtml(entry.label)}</li>` : "";
  });
  const plain: ReportTable = {
    head: headOf(figures.head),
    rows: figures.rows.map(headOf),
  };
  return (
    `<figure id="chart-${id}"><figcaption><h3>${escapeHtml(title)}</h3>${switches}</figcaption>` +
    (legend.length === 0 ? "" : `<ul class="legend">${legend.join("")}</ul>`) +
    `${pictures.join("")}<p class="note">${escapeHtml(description)}</p>` +
    `<details class="data"><summary>Figures of this chart</summary>${table(plain, `Figures: ${title}`, "plain")}</details></figure>`
  );
}
