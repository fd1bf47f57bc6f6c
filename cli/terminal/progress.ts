/**
 * Tells a person how a run is getting on: a line a step done and, on a terminal, one that counts the seconds of
 * the step under way.
 *
 * @module
 */
export const TICK_MS = 250;

/** How long a step takes when all goes well. */
export interface Expected {
  readonly seconds: number;
  /** Of all that comes after the step. */
  readonly afterSeconds: number;
}

/** What a run tells a person. */
export interface Reporter {
  /** A line for good. */
  line(text: string): void;
  /** What goes on until the next call. */
  step(text: string, expected?: Expected): void;
  /** Ends the step under way without a word. */
  stop(): void;
}

export class Progress implements Reporter {
  readonly #stream: NodeJS.WriteStream;
  #ticker: NodeJS.Timeout | undefined;

  /** @param stream stderr, so that stdout stays for results. */
  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  /** A line for good. */
  line(text: string): void {
    this.#clear();
    this.#stream.write(`${text}\n`);
  }

  /** What goes on until the next call. Not a terminal: said once. */
  step(text: string): void {
    this.#clear();
    if (!this.#stream.isTTY) {
      this.#stream.write(`${text} ...\n`);
      return;
    }
    const since = Date.now();
    const show = () =>
      this.#stream.write(`\r\u001b[2K${text} ... ${Math.round((Date.now() - since) / 1000)} s`);
    show();
    this.#ticker = setInterval(show, TICK_MS).unref();
  }

  /** Ends the step under way without a word. */
  stop(): void {
    this.#clear();
  }

  #clear(): void {
    if (this.#ticker !== undefined) {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
      this.#stream.write("\r\u001b[2K");
    }
  }
}
