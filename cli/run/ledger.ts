/** Records the money that a matrix has spent: by the hours that its stacks were really deployed. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { validate } from "../../bench/validate.ts";
import { makeDirectory } from "../terminal/result-files.ts";
import { UsageError } from "../usage-error.ts";

const entrySchema = z.object({
  cell: z.string(),
  at: z.iso.datetime(),
  /** `up`: deployment begins; `measured`: traffic was sent; `down`: everything is removed. */
  event: z.enum(["up", "measured", "down"]),
  hourlyUsd: z.number().nonnegative(),
  trafficUsd: z.number().nonnegative(),
});

export type LedgerEntry = Readonly<z.infer<typeof entrySchema>>;

/** Cost of the ledger's stacks so far, in USD by cell; a stack without a `down` entry is still deployed. */
export function spentByCell(entries: readonly LedgerEntry[], nowMs: number): Map<string, number> {
  const spent = new Map<string, number>();
  const since = new Map<string, LedgerEntry>();
  const add = (cell: string, usd: number) => spent.set(cell, (spent.get(cell) ?? 0) + usd);
  for (const entry of entries) {
    const start = since.get(entry.cell);
    if (entry.event === "up" && start === undefined) {
      since.set(entry.cell, entry);
    } else if (entry.event === "measured") {
      add(entry.cell, entry.trafficUsd);
    } else if (entry.event === "down" && start !== undefined) {
      add(entry.cell, standingUsd(start, Date.parse(entry.at)));
      since.delete(entry.cell);
    }
  }
  for (const [cell, start] of since) {
    add(cell, standingUsd(start, nowMs));
  }
  return spent;
}

function standingUsd({ at, hourlyUsd }: LedgerEntry, endMs: number): number {
  return (Math.max(0, endMs - Date.parse(at)) / 3_600_000) * hourlyUsd;
}

export function spentUsd(entries: readonly LedgerEntry[], nowMs: number): number {
  return [...spentByCell(entries, nowMs).values()].reduce((sum, usd) => sum + usd, 0);
}

/** A ledger file with one entry per line. A line that a crash cut short is ignored. */
export class Ledger {
  readonly #file: string | null;
  readonly #entries: LedgerEntry[];

  /** @param file Created with its first entry. Null: none. @throws {UsageError} for an entry that cannot be read */
  constructor(file: string | null) {
    this.#file = file;
    this.#entries = file !== null && existsSync(file) ? readLedger(readFileSync(file, "utf8"), file) : [];
  }

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  note(entry: Omit<LedgerEntry, "at">): void {
    const whole = { ...entry, at: new Date().toISOString() };
    this.#entries.push(whole);
    if (this.#file !== null) {
      makeDirectory(dirname(this.#file));
      // Starts a new line, since a crash may have cut the last one short.
      appendFileSync(this.#file, `\n${JSON.stringify(whole)}`);
    }
  }
}

/** The entries of a ledger's text. @throws {UsageError} for an invalid complete line, which the budget would miss */
export function readLedger(text: string, file: string): LedgerEntry[] {
  return text.split("\n").flatMap((line, at) => {
    const value = parsed(line);
    if (value === undefined) {
      return [];
    }
    return [
      validate(
        entrySchema,
        value,
        ([problem]) =>
          new UsageError(
            `${file}, line ${at + 1}: expected an entry of money spent; got ${line.slice(0, 80)} (${problem}); correct or remove the line`,
          ),
      ),
    ];
  });
}

/** Undefined: an empty line, or one that a crash cut short. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Stacks that are deployed according to a ledger. */
export function openCells(entries: readonly LedgerEntry[]): string[] {
  const last = new Map(
    entries.filter(({ event }) => event !== "measured").map(({ cell, event }) => [cell, event]),
  );
  return [...last].flatMap(([cell, event]) => (event === "up" ? [cell] : []));
}
