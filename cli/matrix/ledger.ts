/** Money that a matrix has spent: by the hours that its stacks were deployed, whatever was planned. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { makeDirectory } from "../run/result-files.ts";
import { UsageError } from "../usage-error.ts";

const entrySchema = z.object({
  cell: z.string(),
  at: z.iso.datetime(),
  /** `up`: deployment begins; `measured`: traffic was sent; `down`: nothing of it stands. */
  event: z.enum(["up", "measured", "down"]),
  hourlyUsd: z.number().nonnegative(),
  trafficUsd: z.number().nonnegative(),
});

/** One line of a ledger. */
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

/** All of it. */
export function spentUsd(entries: readonly LedgerEntry[], nowMs: number): number {
  return [...spentByCell(entries, nowMs).values()].reduce((sum, usd) => sum + usd, 0);
}

/** A ledger in a file, a line an entry. A line that a crash cut short is left out. */
export class Ledger {
  readonly #file: string;
  readonly #entries: LedgerEntry[];

  /** @param file Made with its first entry. @throws {UsageError} for an entry that money cannot be counted by */
  constructor(file: string) {
    this.#file = file;
    this.#entries = existsSync(file) ? readLedger(readFileSync(file, "utf8"), file) : [];
  }

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  note(entry: Omit<LedgerEntry, "at">): void {
    const whole = { ...entry, at: new Date().toISOString() };
    this.#entries.push(whole);
    makeDirectory(dirname(this.#file));
    // Behind a line that was cut short, one of its own.
    appendFileSync(this.#file, `\n${JSON.stringify(whole)}`);
  }
}

/** The entries of a ledger's text. @throws {UsageError} for a whole line that is no entry: the budget would not know of it */
export function readLedger(text: string, file: string): LedgerEntry[] {
  return text.split("\n").flatMap((line, at) => {
    const value = parsed(line);
    if (value === undefined) {
      return [];
    }
    const { data, error } = entrySchema.safeParse(value);
    if (data === undefined) {
      const [issue] = error.issues;
      throw new UsageError(
        `${file}, line ${at + 1}: expected an entry of money spent; got ${line.slice(0, 80)} (${issue?.path.join(".")}: ${issue?.message}); correct or remove the line`,
      );
    }
    return [data];
  });
}

/** Undefined: a line that a crash cut short, or an empty one. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Stacks that a ledger has as deployed. */
export function openCells(entries: readonly LedgerEntry[]): string[] {
  const last = new Map(
    entries.filter(({ event }) => event !== "measured").map(({ cell, event }) => [cell, event]),
  );
  return [...last].flatMap(([cell, event]) => (event === "up" ? [cell] : []));
}
