/**
 * How far reading has got, and how long the rest takes.
 *
 * @module
 */
import type { LogFile } from "./files.ts";

/** Of all the time that advice takes, what reading takes: the engine's work on a gigabyte of text. */
const READING_SHARE = 0.5;

/** Writes a line a step; on a terminal over the one before. */
export class ReadProgress {
  readonly #stream: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly #files: readonly LogFile[];
  readonly #total: number;
  readonly #since = Date.now();

  constructor(stream: { write(text: string): unknown; readonly isTTY?: boolean }, files: readonly LogFile[]) {
    this.#stream = stream;
    this.#files = files;
    this.#total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** A file is about to be read. */
  file(file: LogFile, doneBytes: number): void {
    const at = this.#files.indexOf(file) + 1;
    const percent = this.#total === 0 ? 100 : Math.floor((100 * doneBytes) / this.#total);
    const size = `${(file.bytes / 1e6).toFixed(1)} MB`;
    this.#show(`file ${at} of ${this.#files.length} (${size}), ${percent} % read${this.#left(doneBytes)}`);
  }

  /** All is read; the engine works. */
  step(text: string): void {
    this.#show(text);
  }

  stop(): void {
    if (this.#stream.isTTY === true) {
      this.#stream.write("\r\u001b[2K");
    }
  }

  #left(doneBytes: number): string {
    const share = (READING_SHARE * doneBytes) / this.#total;
    if (!(share > 0.02)) {
      return "";
    }
    const passed = (Date.now() - this.#since) / 1000;
    return `, about ${Math.ceil(passed / share - passed)} s left`;
  }

  #show(text: string): void {
    this.#stream.write(this.#stream.isTTY === true ? `\r\u001b[2K${text} ...` : `${text} ...\n`);
  }
}
