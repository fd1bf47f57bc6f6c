/** Shows the progress of several runs: on a terminal one line with a bar for each active run; elsewhere plain lines. */
import { styleText } from "node:util";
import { plainOutput, type Results, renderSummary, summarize } from "../../bench/index.ts";

/** Where progress goes: stderr, so that stdout stays for results. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  /** Writes a text with colours or control sequences. @default `write`, which may clean the text */
  writeExactly?(text: string): unknown;
}

/** Writes a text of the program's own, with its colours and control sequences. */
export function writeExactly(stream: ProgressStream, text: string): void {
  if (stream.writeExactly === undefined) {
    stream.write(text);
  } else {
    stream.writeExactly(text);
  }
}

interface Row {
  readonly name: string;
  step: { readonly text: string; readonly since: number; readonly expected: Expected | undefined } | null;
}

const BAR_CELLS = 12;
const DEFAULT_COLUMNS = 100;
const DEFAULT_ROWS = 24;

/** One line per run, redrawn on a terminal; plain lines elsewhere. */
export class ProgressBoard {
  readonly #stream: ProgressStream;
  readonly #now: () => number;
  readonly #rows: Row[] = [];
  /** Lengths of the redrawn lines below the permanent ones. */
  #drawn: readonly number[] = [];
  #ticker: NodeJS.Timeout | undefined;

  /** @param now Milliseconds of a clock. */
  constructor(stream: ProgressStream = process.stderr, now: () => number = Date.now) {
    this.#stream = stream;
    this.#now = now;
  }

  /** A reporter for the named run, in the order of the calls. */
  row(name: string): Reporter {
    const row: Row = { name, step: null };
    this.#rows.push(row);
    return {
      line: (text) => this.line(`${name}: ${text}`),
      step: (text, expected) => this.#begin(row, text, expected),
      stop: () => this.#set(row, null),
    };
  }

  /** A permanent line above the redrawn ones; further lines of a text are indented. */
  line(text: string): void {
    this.above(() => this.#stream.write(`${plainOutput(text).replace(/\n(?=\S)/g, "\n  ")}\n`));
  }

  /** Warnings that must not be overlooked. */
  warn([first = "", ...others]: readonly string[]): void {
    this.above(() => {
      writeExactly(this.#stream, `${paint(this.#stream, ["bold", "yellow"], plainOutput(first))}\n`);
      this.#stream.write(others.map((line) => `${line}\n`).join(""));
    });
  }

  /** Writes to the same terminal above the redrawn lines. */
  above(write: () => void): void {
    this.#erase();
    write();
    this.#draw();
  }

  #begin(row: Row, text: string, expected: Expected | undefined): void {
    if (!this.#stream.isTTY) {
      const left = expected === undefined ? "" : `, about ${duration(expected.seconds)}`;
      this.#stream.write(`${row.name}: ${text} ...${left}\n`);
      return;
    }
    this.#set(row, { text, since: this.#now(), expected });
  }

  #set(row: Row, step: Row["step"]): void {
    this.#erase();
    row.step = step;
    this.#draw();
    const busy = this.#rows.some((one) => one.step !== null);
    if (busy && this.#ticker === undefined) {
      this.#ticker = setInterval(() => {
        this.#erase();
        this.#draw();
      }, TICK_MS).unref();
    } else if (!busy) {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
    }
  }

  #erase(): void {
    if (this.#drawn.length > 0) {
      const columns = this.#columns();
      // A terminal that became narrower wraps lines.
      const rows = this.#drawn.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / columns)), 0);
      writeExactly(this.#stream, `\u001b[${rows}A\r\u001b[0J`);
      this.#drawn = [];
    }
  }

  #draw(): void {
    if (!this.#stream.isTTY) {
      return;
    }
    const lines = this.#rows.flatMap(({ name, step }) =>
      step === null
        ? []
        : [progressText(name, step.text, (this.#now() - step.since) / 1000, step.expected, this.#columns())],
    );
    // Lines that scrolled off the top cannot be erased.
    const shown = lines.slice(0, Math.max(1, (this.#stream.rows || DEFAULT_ROWS) - 1));
    if (shown.length > 0) {
      this.#stream.write(`${shown.join("\n")}\n`);
      this.#drawn = shown.map((line) => line.length);
    }
  }

  /** Width; a terminal that does not know it says 0. */
  #columns(): number {
    return this.#stream.columns || DEFAULT_COLUMNS;
  }
}

/**
 * One line of an active run, at most `columns` wide: the end of the text is cut.
 *
 * @param expected Without it, the duration is unknown, and the line has neither bar nor remaining time.
 */
export function progressText(
  name: string,
  text: string,
  elapsedSeconds: number,
  expected: Expected | undefined,
  columns: number,
): string {
  const state = expected === undefined ? duration(elapsedSeconds) : withBar(elapsedSeconds, expected);
  const head = `${name}: ${text}`;
  const room = Math.max(0, columns - state.length - 3);
  const shown = head.length <= room ? head : `${head.slice(0, Math.max(0, room - 1))}…`;
  return `${shown}  ${state}`.slice(0, Math.max(0, columns - 1));
}

function withBar(elapsed: number, { seconds, afterSeconds }: Expected): string {
  // A step that exceeds its estimate stays at 99 %.
  const share = seconds <= 0 ? 0 : Math.min(elapsed / seconds, 0.99);
  const full = Math.floor(share * BAR_CELLS);
  const bar = `[${"#".repeat(full)}${".".repeat(BAR_CELLS - full)}]`;
  const left = Math.max(0, seconds - elapsed) + afterSeconds;
  return `${bar} ${duration(elapsed)} of ${duration(seconds)}, ${duration(left)} left`;
}

/** `45 s`, `12 min`, `1 h 05 min`. */
export function duration(seconds: number): string {
  if (seconds < 99.5) {
    return `${Math.round(seconds)} s`;
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 60
    ? `${minutes} min`
    : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Text in a style on a terminal; plain elsewhere and where `NO_COLOR` is set (https://no-color.org). */
export function paint(
  { isTTY }: Pick<ProgressStream, "isTTY">,
  style: Parameters<typeof styleText>[0],
  text: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return isTTY && !environment.NO_COLOR && environment.TERM !== "dumb"
    ? styleText(style, text, { validateStream: false })
    : text;
}

/** Interval in milliseconds at which the current step's time is updated. */
const TICK_MS = 250;

export interface Expected {
  readonly seconds: number;
  /** Expected seconds of all later steps. */
  readonly afterSeconds: number;
}

export interface Reporter {
  line(text: string): void;
  /** Starts a step, which runs until the next call. */
  step(text: string, expected?: Expected): void;
  /** Ends the current step silently. */
  stop(): void;
}

/** @param stream Destination; without a terminal the table may have any width. */
export function renderResults(results: Results, stream: ProgressStream): string {
  const text = renderSummary(summarize(results), stream.isTTY ? stream.columns : undefined);
  return plainOutput(text).replace(/failed: [\w-]+/g, (failure) => paint(stream, "red", failure));
}
