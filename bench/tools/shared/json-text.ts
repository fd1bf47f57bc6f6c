/** Reads JSON as tools really print it. */
import { parsePlainJson, plainText } from "../../plain-text.ts";

/**
 * The first complete JSON object in `text`, else undefined. Terminal sequences and text around it are ignored. `nan` and `inf`,
 * which some tools print as numbers, become null.
 */
export function parseJsonObject(text: string): unknown {
  return (
    tryParse(text) ??
    tryParse(objectText(plainText(text)).replace(/([:[,]\s*)-?(?:nan|inf(?:inity)?)\b/gi, "$1null"))
  );
}

/** From the first `{` before a key (or an end) to the brace that closes it, or to the end of the text. */
function objectText(text: string): string {
  const start = text.search(/\{\s*["}]/);
  if (start < 0) {
    return "";
  }
  let depth = 0;
  // Strings are skipped whole, so that braces inside do not count.
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    depth += token === "{" ? 1 : token === "}" ? -1 : 0;
    if (depth === 0) {
      return text.slice(start, start + index + 1);
    }
  }
  return text.slice(start);
}

function tryParse(text: string): unknown {
  try {
    const value = parsePlainJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
