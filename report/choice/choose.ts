/** The choice between ways out. Rules: docs/choosing.md. */

/** An assessed way out. */
export interface Choosable {
  /** Unique among the choices. */
  readonly id: string;
  /** `fits`: its margin is enough for its grade of evidence. `test`: it is not. `excluded`: a fact is against it. */
  readonly status: "fits" | "test" | "excluded" | "yardstick";
  /** Per month. Null: a price is not known. */
  readonly totalCost: number | null;
  readonly singlePoint: boolean;
  /** Measured capacity. Null: not measured. */
  readonly bitsPerSecond: number | null;
  readonly latencyUs: number | null;
}

/** The pick among a cloud's ways out, and why the others were not picked. */
export interface Choice<Way extends Choosable> {
  /** Null: no way out with a known price has enough evidence. */
  readonly pick: Way | null;
  /** The next best way. */
  readonly runnerUp: Way | null;
  /** Cheaper ways whose evidence is too weak for the need, cheapest first. */
  readonly worthMeasuring: readonly Way[];
}

/** Smallest monthly saving that justifies a change, in the price list's currency. */
export const LEAST_SAVING = 1;

/**
 * The cheapest that fits. At equal price: one that is not a single machine, then the faster, then the one with the lower latency,
 * then the first. So the pick is Pareto-optimal.
 *
 * @param keep Id of the present way. It carries the traffic now, measured or not, and stays unless another one saves at least 1.
 */
export function choose<Way extends Choosable>(ways: readonly Way[], keep?: string): Choice<Way> {
  const price = ({ id, totalCost }: Way) => (totalCost ?? 0) - (id === keep ? LEAST_SAVING : 0);
  const priced = ways
    .filter(({ totalCost }) => totalCost !== null)
    .toSorted((a, b) => price(a) - price(b) || better(a, b));
  const [pick = null, runnerUp = null] = priced.filter(
    ({ id, status }) => status === "fits" || (status === "test" && id === keep),
  );
  const worthMeasuring = priced
    .filter(({ id, status }) => status === "test" && id !== keep)
    .filter((way) => pick === null || price(way) + LEAST_SAVING < (pick.totalCost ?? 0));
  return { pick, runnerUp, worthMeasuring };
}

function better(a: Choosable, b: Choosable): number {
  return (
    Number(a.singlePoint) - Number(b.singlePoint) ||
    (b.bitsPerSecond ?? 0) - (a.bitsPerSecond ?? 0) ||
    (a.latencyUs ?? Number.MAX_VALUE) - (b.latencyUs ?? Number.MAX_VALUE)
  );
}
