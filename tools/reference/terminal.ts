/**
 * `terminal.ts OUTPUT TIMING COLUMNS ROWS`: draws a command that `script` recorded as docs/local.svg, a moving picture that README
 * shows. A row is drawn once for as long as it stands.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { escapeHtml } from "../../report/text/escape.ts";

const [output = "", timing = "", ...size] = process.argv.slice(2);
const [columns = 0, rows = 0] = size.map(Number);
const [rowHeight, letter] = [17, 7.25];
/** The picture's speed, its frames a second, and how long the end stands. */
const [faster, rate, endSeconds] = [10, 4, 6];

/** Applies output to the lines above the cursor: text, ends of lines, and the progress board's "up" and "erase". */
function write(lines: string[], text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of a terminal
  for (const [part, count] of text.matchAll(/\x1b\[(\d*)A|\x1b\[\d*[A-Z]|\r?\n|[^\x1b\r\n]+/g)) {
    if (count !== undefined) {
      lines.length = Math.max(1, lines.length - (Number(count) || 1));
      lines[lines.length - 1] = "";
    } else if (part.endsWith("\n")) {
      lines.push("");
    } else if (!part.startsWith("\x1b")) {
      lines[lines.length - 1] += part;
    }
  }
}

/** The last rows, with long lines wrapped. */
function screen(lines: readonly string[]): string[] {
  return lines.flatMap((one) => one.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""]).slice(-rows);
}

const bytes = readFileSync(output).subarray(readFileSync(output).indexOf("\n") + 1);
const [lines, frames] = [["$ npm run local", ""], [] as string[][]];
let [at, seconds] = [0, 0];
for (const line of readFileSync(timing, "utf8").trim().split("\n")) {
  const [delay = 0, count = 0] = line.split(" ").map(Number);
  seconds += delay / faster;
  for (const shown = screen(lines); frames.length < seconds * rate; ) {
    frames.push(shown);
  }
  write(lines, bytes.subarray(at, at + count).toString());
  at += count;
}
for (let stands = 0; stands < endSeconds * rate; stands++) {
  frames.push(screen(lines.filter((one) => one !== "⠙")));
}

const share = (frame: number) => (frame / frames.length).toFixed(3);
const texts = Array.from({ length: rows }, (_, row) => {
  const drawn: string[] = [];
  for (let from = 0, to = 0; from < frames.length; from = to) {
    const text = frames[from]?.[row] ?? "";
    while (to < frames.length && (frames[to]?.[row] ?? "") === text) to++;
    const moving =
      from === 0 && to === frames.length
        ? ""
        : `<animate attributeName="visibility" dur="${frames.length / rate}s" repeatCount="indefinite" calcMode="discrete" values="hidden;visible;hidden" keyTimes="0;${share(from)};${share(to)}"/>`;
    if (text.trim() !== "") {
      const end = to === frames.length ? "" : ' visibility="hidden"';
      drawn.push(
        `<text x="12" y="${(row + 1) * rowHeight + 8}"${end}>${escapeHtml(text).replaceAll(" ", "\u00a0")}${moving}</text>`,
      );
    }
  }
  return drawn.join("\n");
});
const [width, height] = [Math.round(columns * letter) + 24, rows * rowHeight + 24];
writeFileSync(
  new URL("../../docs/local.svg", import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img"><title>npm run local, ${faster} times as fast</title>
<rect width="${width}" height="${height}" rx="8" fill="#15181c"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12" fill="#ececec">
${texts.filter((one) => one !== "").join("\n")}
</g>
</svg>
`,
);
