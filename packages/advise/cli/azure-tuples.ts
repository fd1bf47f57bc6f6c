/**
 * Extracts the tuples of Azure's flow log JSON from a stream: a file is one object with an hour's records, too large for memory,
 * and may be cut anywhere.
 */

/** A flow's tuple and the interface that saw it. */
export interface Tuple {
  readonly mac: string;
  readonly tuple: string;
}

/** Longest string that is kept whole. Tuples have about 80 characters, resource ids a few hundred. */
const MAX_STRING = 4096;

/** The network watchers that Azure makes contain their region's name. */
const watcherRegion = /\/networkWatchers\/NetworkWatcher_([a-z][a-z0-9]{1,39})\//i;

/** Reads pieces of one file. */
export class TupleReader {
  #key = "";
  #last: string | null = null;
  #mac = "-";
  #region: string | null = null;
  #pending = "";
  #inString = false;
  #inTuples = false;
  /** Whether the last piece ended in a backslash that escapes what comes next. */
  #escaped = false;
  #depth = 0;
  #began = false;

  /** The tuples in a piece of text, in order. */
  *read(text: string): Generator<Tuple> {
    let from = 0;
    let at = this.#escaped ? 1 : 0;
    this.#escaped = false;
    while (at < text.length) {
      if (this.#inString) {
        const end = endOfString(text, at);
        if (end < 0) {
          this.#escaped = isEscaped(text, text.length);
          this.#keep(text.slice(from));
          return;
        }
        this.#keep(text.slice(from, end));
        this.#inString = false;
        at = end + 1;
        yield* this.#ended();
        continue;
      }
      const character = text[at] ?? "";
      if (character === '"') {
        this.#inString = true;
        this.#pending = "";
        from = at + 1;
      } else {
        this.#structure(character);
      }
      at += 1;
    }
  }

  /** Whether the file ended inside its document, i.e. was cut. */
  get cut(): boolean {
    return this.#inString || this.#depth > 0 || !this.#began;
  }

  /** The region in the last flow log's id. Null: no id has one. */
  get region(): string | null {
    return this.#region;
  }

  #keep(part: string): void {
    if (this.#pending.length < MAX_STRING) {
      this.#pending += part;
    }
  }

  #structure(character: string): void {
    if (character === ":") {
      this.#key = this.#last ?? "";
    } else if (character === "[" || character === "{") {
      this.#began = true;
      this.#depth += 1;
      this.#inTuples = character === "[" && this.#key === "flowTuples";
    } else if (character === "]" || character === "}") {
      this.#depth -= 1;
      this.#inTuples = false;
    }
  }

  *#ended(): Generator<Tuple> {
    this.#last = this.#pending;
    if (this.#inTuples) {
      yield { mac: this.#mac, tuple: this.#pending };
    } else if (this.#key === "macAddress") {
      this.#mac = this.#pending;
      this.#key = "";
    } else if (this.#key === "flowLogResourceID") {
      this.#region = watcherRegion.exec(this.#pending)?.[1]?.toLowerCase() ?? this.#region;
      this.#key = "";
    }
  }
}

/** End of the open string; -1: not in this text. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end > from && isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") {
    slashes += 1;
  }
  return slashes % 2 === 1;
}
