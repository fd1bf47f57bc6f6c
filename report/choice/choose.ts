/** The choice between ways out. Rules: docs/choosing.md. */

/** An assessed way out. */
export interface Choosable {
  /** Unique among the choices. */
  readonly id: string;
  /** `unproved`: nothing shows whether it carries the traffic. */
  readonly status: "fits" | "unproved" | "excluded" | "yardstick";
  /** Per month. Null: a price is not known. */
  readonly totalCost: number | null;
  readonly singlePoint: boolean;
  /** Measured capacity. Null: not measured. */
  readonly bitsPerSecond: number | null;
  readonly latencyUs: number | null;
}

/** The pick among a cloud's ways out, and why the others were not picked. */
export interface Choice<Way extends Choosable> {
  /** Null: no way out with a known price is known to carry the traffic. */
  readonly pick: Way | null;
  /** The next best way that carries the traffic. */
  readonly runnerUp: Way | null;
  /** Cheaper ways that are not known to carry the traffic, cheapest first. */
  readonly worthMeasuring: readonly Way[];
}

/** Smallest monthly saving that justifies a change, in the price list's currency. */
export const LEAST_SAVING = 1;

/**
 * The cheapest that fits. At equal price: one that is not a single machine, then the faster, then the one with the lower latency.
 * So the pick is Pareto-optimal.
 *
 * @param keep Id of the present way. It carries the traffic now, measured or not, and stays unless another one saves at least 1.
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
