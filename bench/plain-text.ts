/** Makes text from hosts, tools and files safe to show in a terminal, a page or a spreadsheet. */

/** Replaces a character that is not shown. */
const REPLACEMENT = "\ufffd";

/** Sequences that steer a terminal: CSI (colours, cursor) and OSC (titles, links). */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/**
 * Characters without a glyph, by Unicode's categories: controls except tab and newline, formats (direction, zero width),
 * line separators, lone surrogates, noncharacters and default-ignorable ones.
 */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;

/** Text with nothing to replace, as nearly all of a run's is. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/**
 * Text without terminal sequences; every other invisible character becomes U+FFFD.
 * Line ends become `\n`.
 */
export function plainText(text: string): string {
  return PLAIN.test(text)
    ? text
    : text.replace(TERMINAL_SEQUENCES, "").replaceAll("\r\n", "\n").replace(UNSEEN, REPLACEMENT);
}

/**
 * {@link plainText} without commands for a CI system: a space breaks up a leading `::` (after blanks) and `##[` or `##vso[`
 * anywhere. https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
 */
export function plainOutput(text: string): string {
  return plainText(text)
    .replace(/^([^\S\n]*:)(?=:)/gm, "$1 ")
    .replace(/#(?=#\w*\[)/g, "# ");
}

export function oneLine(text: string): string {
  return plainText(text).replace(/\s*\n\s*/g, " ");
}

/**
 * The value of a JSON text from another machine or person, with {@link plainText} applied to each string and key.
 *
 * @throws {SyntaxError} as `JSON.parse` does
 * @throws {RangeError} where it is nested too deeply
 */
export function parsePlainJson(text: string): unknown {
  // JSON allows no byte-order mark, which some editors write.
  const json = text.replace(/^\ufeff/, "");
  try {
    return plain(JSON.parse(json), new Map());
  } catch (error) {
    throw error instanceof RangeError ? new RangeError("lists and objects are nested too deeply") : error;
  }
}

/** Length up to which {@link plain} stores equal texts once, e.g. time stamps and names. */
const SHORT = 64;

/**
 * Makes the texts of a value plain, in place: a copy of a large document would need as much memory again.
 *
 * @param known Short texts so far, each stored once: time stamps took a sixth of a result's memory.
 */
function plain(value: unknown, known: Map<string, string>): unknown {
  if (typeof value === "string") {
    return value.length > SHORT ? plainText(value) : plainOnce(value, known);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      value[at] = plain(value[at], known);
    }
    return value;
  }
  const entries = value as Record<string, unknown>;
  const keys = Object.keys(entries);
  // Such a key would set the prototype.
  if (keys.includes("__proto__") || keys.some((key) => plainText(key) !== key)) {
    return Object.fromEntries(keys.map((key) => [plainText(key), plain(entries[key], known)]));
  }
  for (const key of keys) {
    entries[key] = plain(entries[key], known);
  }
  return entries;
}

function plainOnce(text: string, known: Map<string, string>): string {
  const found = known.get(text) ?? plainText(text);
  known.set(text, found);
  return found;
}
