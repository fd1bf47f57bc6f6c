/** Reads the strings and numbers of JSON from a stream: a flow log's file is one document too large for memory, and may be cut anywhere. */
import { FormatError } from "../src/fields.ts";

/** Longest string. Messages and tuples have about 100 characters, resource ids a few hundred. */
const MAX_STRING = 1_000_000;

export class JsonStrings {
  #tail = "";
  #key = "";
  #depth = 0;
  #began = false;

  /**
   * The strings in a piece of text that are values, in order, each with the last key before it, and the numbers and nulls of keys.
   *
   * @throws {FormatError}
   */
  *read(piece: string): Generator<readonly [key: string, value: string]> {
    const text = this.#tail + piece;
    const pattern = /"((?:[^"\\]|\\.)*)"(\s*)(:?)/gsy;
    let at = 0;
    for (;;) {
      const open = text.indexOf('"', at);
      // A number may go on in the next piece, up to a bracket or a string.
      const end = open < 0 ? Math.max(at, text.lastIndexOf("}") + 1, text.lastIndexOf("]") + 1) : open;
      const between = text.slice(at, end);
      this.#count(between);
      const [, scalar] = /^\s*(-?\d[\d.eE+-]*|null)/.exec(between) ?? [];
      if (scalar !== undefined) yield [this.#key, scalar];
      pattern.lastIndex = open;
      const match = open < 0 ? null : pattern.exec(text);
      // Whether a string is a key shows what follows it.
      if (match === null || pattern.lastIndex === text.length) {
        this.#tail = text.slice(end);
        if (this.#tail.length > MAX_STRING) throw new FormatError("a string in the JSON has no end");
        return;
      }
      at = pattern.lastIndex;
      const [, value = "", , colon] = match;
      if (colon === ":") {
        this.#key = value;
      } else {
        yield [this.#key, value];
      }
    }
  }

  /** Whether the file ended inside its document, i.e. was cut. */
  get cut(): boolean {
    return this.#tail.trim() !== "" || this.#depth > 0 || !this.#began;
  }

  #count(between: string): void {
    for (const character of between) {
      const step = "[{".includes(character) ? 1 : "]}".includes(character) ? -1 : 0;
      this.#depth += step;
      this.#began ||= step > 0;
    }
  }
}
