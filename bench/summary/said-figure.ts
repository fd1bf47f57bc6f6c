import type { Estimate } from "../figures/estimate.ts";
import type { FigureId } from "../figures/index.ts";

/** A figure as the summary writes it. */
export interface SaidFigure {
  /** The value that stands for all repetitions; null: not measured. */
  readonly value: number | null;
  readonly estimate: Estimate | null;
  /** For the leading figure: the ratio to the base topology and the figure's precision. Empty for others. */
  readonly behind: string;
}

/** Formats the figures of one result. */
export type Say = (id: FigureId) => SaidFigure;
