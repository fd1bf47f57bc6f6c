/** Shows the progress of advice and its remaining time. */
import { duration, type ProgressStream, writeExactly } from "../../../cli/terminal/progress-board.ts";
import type { LogFile } from "./files.ts";

/**
 * Steps of the work with their shares of the time (CPU seconds for a gigabyte of text, `npm run bench -- advise`): reading, then
 * the steps of `analyse` in this order.
 */
const READING_SHARE = 0.36;
/** The steps after reading, with their shares of the time. */
export const analysisSteps = [
  { name: "looking up addresses", share: 0.01 },
  { name: "removing duplicates", share: 0.19 },
  { name: "following flows", share: 0.17 },
  { name: "counting flows", share: 0.27 },
] as const;
export type AnalysisStep = (typeof analysisSteps)[number]["name"];

/** Seconds between lines where lines stay visible. */
const LINE_SECONDS = 10;
/** Share of the work below which no remaining time is estimated. */
const LEAST_SHARE = 0.02;
const DEFAULT_COLUMNS = 80;

/** Writes one line per step, and several while a large file is read; on a terminal each replaces the one before. */
export class AdviceProgress {
  readonly #stream: ProgressStream;
  readonly #files: readonly LogFile[];
  readonly #total: number;
  readonly #seconds: () => number;
  #said = { file: -1, seconds: 0 };

  /** @param seconds A clock */
  constructor(stream: ProgressStream, files: readonly LogFile[], seconds: () => number) {
    this.#stream = stream;
    this.#files = files;
    this.#total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const since = seconds();
    this.#seconds = () => seconds() - since;
  }

  /** Reports a file being read, and the bytes of all files read so far. */
  file(file: LogFile, doneBytes: number): void {
    const at = this.#files.indexOf(file);
    const now = this.#seconds();
    if (this.#stream.isTTY !== true && at === this.#said.file && now - this.#said.seconds < LINE_SECONDS) {
      return;
    }
    this.#said = { file: at, seconds: now };
    const share = this.#total === 0 ? 1 : doneBytes / this.#total;
    const size = `${(file.bytes / 1e6).toFixed(1)} MB`;
    const read = `${Math.floor(100 * share)} % read`;
    this.#show(`file ${at + 1} of ${this.#files.length} (${size}), ${read}`, READING_SHARE * share);
  }

  step(name: AnalysisStep): void {
    const at = analysisSteps.findIndex((step) => step.name === name);
    const before = analysisSteps.slice(0, at).reduce((sum, { share }) => sum + share, READING_SHARE);
    this.#show(name, before);
  }

  stop(): void {
    if (this.#stream.isTTY === true) {
      writeExactly(this.#stream, "\r\u001b[2K");
    }
  }

  /** @param share Of all the work */
  #show(text: string, share: number): void {
    const passed = this.#seconds();
    const left = share < LEAST_SHARE ? "" : `, about ${duration(Math.ceil(passed / share - passed))} left`;
    const line = `${text}${left} ...`;
    writeExactly(
      this.#stream,
      this.#stream.isTTY === true
        ? `\r\u001b[2K${line.slice(0, (this.#stream.columns || DEFAULT_COLUMNS) - 1)}`
        : `${line}\n`,
    );
  }
}
