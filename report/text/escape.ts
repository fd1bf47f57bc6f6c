/** Escapes text of results for HTML, SVG, Markdown and CSV: names and tool output may contain anything. */
import { plainText } from "../../bench/plain-text.ts";

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for HTML and SVG, in elements and in quoted attributes. Control characters become U+FFFD. */
export function escapeHtml(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => htmlEntities[character] ?? character);
}

/**
 * Text for one line of Markdown, including table cells: without markup, mentions or links, and without line
 * breaks, which would end the row.
 */
export function escapeMarkdown(text: string): string {
  const entity = (character: string) => `&#${character.charCodeAt(0)};`;
  return plainText(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*{}[\]<>#!|~&@^$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, entity)
    .replace(/^([-+=:]|\d+(?=[.)](?:\s|$)))/, (start) => entity(start) + start.slice(1))
    .replace(/:(?=\/\/)/g, entity)
    .replace(/(?<=www)\./gi, entity);
}

/**
 * One field of RFC 4180 CSV. A text that a spreadsheet would read as a formula gets a leading apostrophe; numbers stay
 * unchanged.
 */
export function escapeCsv(value: string | number | null): string {
  if (value === null) {
    return "";
  }
  if (typeof value === "number") {
    return String(value);
  }
  const plain = plainText(value);
  const safe = /^\s*[=+\-@\t\r]/.test(plain.normalize("NFKC")) ? `'${plain}` : plain;
  return /[",\r\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
