/** The choice between ways out. Rules: docs/choosing.md. */

/** A way out, judged. */
export interface Choosable {
  /** Unique among those that are chosen from. */
  readonly id: string;
  /** `unproved`: nothing says that it carries the traffic, and nothing that it does not. */
  readonly status: "fits" | "unproved" | "excluded" | "yardstick";
  /** A month. Null: a price is not known. */
  readonly totalCost: number | null;
  readonly singlePoint: boolean;
  /** Measured capacity. Null: not measured. */
  readonly bitsPerSecond: number | null;
  readonly latencyUs: number | null;
}

/** The pick among a cloud's ways out, and why the others were not picked. */
export interface Choice<Way extends Choosable> {
  /** Null: none is known to carry the traffic, at a known price. */
  readonly pick: Way | null;
  /** The next best that carries it. */
  readonly runnerUp: Way | null;
  /** Not known to carry the traffic, and cheaper than the pick; cheapest first. */
  readonly worthMeasuring: readonly Way[];
}

/** Differences below this a month, in the price list's currency, are not worth a change. */
export const LEAST_SAVING = 1;

/**
 * The cheapest that fits. Of equal price the one that is no single machine, then the faster, then the quicker to answer:
 * so that none that fits is as good in everything and better in something.
 *
 * @param keep Id of what is there already. It carries the traffic now, measured or not, and stays where another one saves less
 * than 1.
 */
export function choose<Way extends Choosable>(ways: readonly Way[], keep?: string): Choice<Way> {
  const price = ({ id, totalCost }: Way) => (totalCost ?? 0) - (id === keep ? LEAST_SAVING : 0);
  const priced = ways.filter(({ totalCost }) => totalCost !== null);
  const cheapestFirst = (a: Way, b: Way) => price(a) - price(b) || better(a, b);
  const fitting = priced
    .filter(({ id, status }) => status === "fits" || (status === "unproved" && id === keep))
    .toSorted(cheapestFirst);
  const [pick = null, runnerUp = null] = fitting;
  const worthMeasuring = priced
    .filter(({ id, status }) => status === "unproved" && id !== keep)
    .filter((way) => pick === null || price(way) + LEAST_SAVING < (pick.totalCost ?? 0))
    .toSorted(cheapestFirst);
  return { pick, runnerUp, worthMeasuring };
}

function better(a: Choosable, b: Choosable): number {
  return (
    Number(a.singlePoint) - Number(b.singlePoint) ||
    (b.bitsPerSecond ?? 0) - (a.bitsPerSecond ?? 0) ||
    (a.latencyUs ?? Number.MAX_VALUE) - (b.latencyUs ?? Number.MAX_VALUE) ||
    (a.id < b.id ? -1 : 1)
  );
}
