/** Money that a matrix has spent: by the hours that its stacks were deployed, whatever was planned. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../run/result-files.ts";

/** One line of a ledger. */
export interface LedgerEntry {
  readonly cell: string;
  /** ISO 8601. */
  readonly at: string;
  /** `up`: deployment begins; `measured`: all traffic was sent; `down`: nothing of it stands. */
  readonly event: "up" | "measured" | "down";
  readonly hourlyUsd: number;
  readonly trafficUsd: number;
}

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

  /** @param file Made with its first entry. */
  constructor(file: string) {
    this.#file = file;
    this.#entries = existsSync(file) ? readLedger(readFileSync(file, "utf8")) : [];
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

/** The entries of a ledger's text. */
export function readLedger(text: string): LedgerEntry[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as LedgerEntry];
    } catch {
      return [];
    }
  });
}
