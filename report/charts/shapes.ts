/** SVG building blocks for pictures without ECharts. */
import { escapeHtml } from "../text/escape.ts";

/** Rounds to tenths, the smallest visible difference. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A text in a picture. @param rest Attributes, each after a space. @default none */
export function words(x: number, y: number, content: string, rest = ""): string {
  return `<text x="${round(x)}" y="${round(y)}" fill="var(--text)"${rest}>${escapeHtml(content)}</text>`;
}

/** A whole picture. @param size Width and height. @param look Attributes of its font, each after a space. */
export function picture(
  id: string,
  { title, description }: { readonly title: string; readonly description: string },
  [width, height]: readonly [number, number],
  look: string,
  content: string,
): string {
  return (
    `<svg viewBox="0 0 ${width} ${height}"${look} role="img" aria-labelledby="${id}-title ${id}-desc">` +
    `<title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(description)}</desc>` +
    `${content}</svg>`
  );
}
