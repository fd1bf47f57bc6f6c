/**
 * Pieces of the page. Everything that comes from results passes through `escapeHtml`.
 *
 * @module
 */
import type { Chart } from "../charts/chart.ts";
import { swatch } from "../charts/swatch.ts";
import type { Column } from "../comparison/comparison.ts";
import type { ReportTable, TableCell } from "../tables/table.ts";
import { escapeHtml } from "../text/escape.ts";

/** A list of sentences; nothing for none. */
export function list(items: readonly string[]): string {
  return items.length === 0 ? "" : `<ul>${items.map((item) => `<li>${sentence(item)}</li>`).join("")}</ul>`;
}

/** A sentence whose commands stand in backquotes. */
function sentence(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function owner({ column }: TableCell): string {
  return column === null ? "" : ` data-column="${column}"`;
}

function content({ text, notes, folded, link }: TableCell): string {
  const details =
    folded === undefined
      ? ""
      : `<details><summary>${escapeHtml(folded.summary)}</summary>${escapeHtml(folded.text)}</details>`;
  const shown = escapeHtml(together(text));
  return `<span>${link === undefined ? shown : `<a href="#${escapeHtml(link)}">${shown}</a>`}</span>${notes.map((note) => `<small>${escapeHtml(together(note))}</small>`).join("")}${details}`;
}

/** Keeps a figure and its unit on one line. */
function together(text: string): string {
  return text.length <= 18 && /\d/.test(text) ? text.replaceAll(" ", "\u00a0") : text;
}

/** Attributes of a region that may be wider than a screen, so that keys reach and move it. */
function scrolls(name: string): string {
  return `tabindex="0" role="region" aria-label="${escapeHtml(name)}"`;
}

/**
 * A table whose first cell of each row names it.
 *
 * @param kind `cards`: on a phone each row becomes a card.
 */
export function table(
  { head, rows }: ReportTable,
  caption: string,
  kind: "cards" | "plain" = "plain",
): string {
  const headRow = head.map((cell) => `<th scope="col"${owner(cell)}>${content(cell)}</th>`).join("");
  const perColumn = head.some(({ column }) => column !== null);
  const body = rows.map((row) => {
    // A row of one topology hides as a whole: a cell that hid alone would shift its neighbours.
    const owners = new Set(row.flatMap(({ column }) => column ?? []));
    const whole = !perColumn && owners.size === 1;
    const rowOwner = [...owners].map((column) => ` data-column="${column}"`).join("");
    const cells = row.map((cell, index) => {
      const own = perColumn ? owner(cell) : "";
      return index === 0
        ? `<th scope="row"${own}>${content(cell)}</th>`
        : `<td class="${cell.state}${/ [A-Z]{3}$/.test(cell.text) ? " money" : ""}" data-head="${escapeHtml(head[index]?.text ?? "")}"${own}>${content(cell)}</td>`;
    });
    return `<tr${whole ? rowOwner : ""}>${cells.join("")}</tr>`;
  });
  return (
    `<div class="scroll" ${scrolls(caption)}><table class="${kind}">` +
    `<caption>${escapeHtml(caption)}</caption><thead><tr>${headRow}</tr></thead><tbody>${body.join("")}</tbody></table></div>`
  );
}

/** An entry of a legend: a colour and pattern by its number. */
type Named = Pick<Column, "index" | "label">;

/** A chart with its legend, its switch of scales and the table of its figures. */
export function figure(chart: Chart, columns: readonly Named[], level: "h3" | "h4" = "h3"): string {
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
    const column = columns.find((one) => one.index === index);
    return column ? `<li data-column="${index}">${swatch(index)}${escapeHtml(column.label)}</li>` : "";
  });
  const plain: ReportTable = {
    head: figures.head.map(plainCell),
    rows: figures.rows.map((row) => row.map(plainCell)),
  };
  return (
    `<figure id="chart-${id}"><figcaption><${level}>${escapeHtml(title)}</${level}>${switches}</figcaption>` +
    (legend.length === 0 ? "" : `<ul class="legend">${legend.join("")}</ul>`) +
    `${pictures.join("")}<p class="note">${escapeHtml(description)}</p>` +
    `<details class="data"><summary>Figures of this chart</summary>${table(plain, `Figures: ${title}`)}</details></figure>`
  );
}

function plainCell(text: string): TableCell {
  return { text, notes: [], state: "ok", column: null };
}

/** Boxes that choose topologies: they work without script, by style rules. */
export function chooser(columns: readonly Column[]): string {
  const boxes = columns.map(
    ({ index, label }) =>
      `<label><input type="checkbox" id="show-${index}" autocomplete="off" checked>${swatch(index)}${escapeHtml(label)}</label>`,
  );
  return columns.length < 2
    ? ""
    : `<fieldset class="chooser"><legend>Show</legend>${boxes.join("")}</fieldset>`;
}
