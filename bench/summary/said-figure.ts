/** A figure as the summary says it. */
import type { Estimate } from "../figures/estimate.ts";
import type { FigureId } from "../figures/index.ts";

/** A figure as the summary says it. */
export interface SaidFigure {
  /** The value that stands for all repetitions; null: not measured. */
  readonly value: number | null;
  readonly estimate: Estimate | null;
  /** Behind the leading figure: the ratio to the base topology, and how sure the figure is. Empty for others. */
  readonly behind: string;
}

/** Says the figures of one result. */
export type Say = (id: FigureId) => SaidFigure;
