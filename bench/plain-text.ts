/**
 * Text from hosts, tools and files, made safe to show: a terminal, a page and a spreadsheet all see plain characters.
 */

/** Stands in place of a character that is not shown. */
const REPLACEMENT = "\ufffd";

/** Sequences that steer a terminal: CSI (colours, cursor) and OSC (titles, links). */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** Control characters but tab and newline, lone surrogates, and marks that turn the reading direction. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** Whether a text has nothing to replace; nearly every text of a run. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/**
 * Text without terminal sequences; other control characters, lone surrogates and marks of direction become U+FFFD.
 * Line ends become `\n`.
 */
export function plainText(text: string): string {
  return PLAIN.test(text)
    ? text
    : text.replace(TERMINAL_SEQUENCES, "").replaceAll("\r\n", "\n").replace(UNSEEN, REPLACEMENT);
}

/**
 * The value of a JSON text that another machine or person wrote, each string and key as {@link plainText} has it.
 *
 * @throws {SyntaxError} as `JSON.parse` does
 */
export function parsePlainJson(text: string): unknown {
  // A byte-order mark, which some editors write, is no JSON.
  return JSON.parse(text.replace(/^\ufeff/, ""), (_, value: unknown) =>
    typeof value === "string" ? plainText(value) : withPlainKeys(value),
  );
}

function withPlainKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value;
  }
  const keys = Object.keys(value);
  return keys.every((key) => plainText(key) === key)
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [plainText(key), one]));
}
