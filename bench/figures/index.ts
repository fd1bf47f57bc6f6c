/** The entry point of the figures: summary, tables, CSV, page, gate, repetitions and sums over pairs all use it. */
import type { Measurement } from "../results/measurement.ts";
import { completeFigure, type Figure, type FigureEntry, type Question } from "./figure.ts";
import { entries } from "./registry.ts";

export { type Figure, type Question, questions } from "./figure.ts";

export type FigureId = keyof typeof entries;

/** Every figure by id, in the order of tables. */
export const figures = Object.fromEntries(
  Object.entries<FigureEntry>(entries).map(([id, entry]) => [id, completeFigure(entry)]),
) as Readonly<Record<FigureId, Figure>>;

/** Ids of all figures, in the order of tables. */
const figureIds = Object.keys(figures) as FigureId[];

/** Ids of the figures that tables, CSV, page and gate compare. */
export const comparedIds: readonly FigureId[] = figureIds.filter((id) => figures[id].use === "compared");

/** Figures that the results keep of every repetition. */
export const keptFigures: readonly Figure[] = Object.values(figures).filter(({ use }) => use !== "counted");

/** Figures that decide the number of repetitions; the first measured one does. */
export const decidingFigures: readonly Figure[] = Object.values(figures).filter(
  ({ decidesRepetitions }) => decidesRepetitions !== null,
);

/** The figure that leads a measurement's summary; null: it has none. */
export function leadingFigure(measurement: Measurement): FigureId | null {
  const able = figureIds.filter((id) => figures[id].answers.length > 0 && figures[id].applies(measurement));
  return able.find((id) => figures[id].read(measurement) != null) ?? able[0] ?? null;
}

/** Figures that a summary shows beside the leading one. */
export function besideOf(leading: FigureId): FigureId[] {
  const { answers } = figures[leading];
  return figureIds.filter((id) => {
    const { beside, inSummary, answers: own } = figures[id];
    return (
      id !== leading &&
      inSummary !== null &&
      [...beside, ...own].some((question) => answers.includes(question))
    );
  });
}

/** Whether a measurement answers a question. "There is no number" may be an answer. */
export function hasAnswer(measurement: Measurement, question: Question): boolean {
  // Where nobody else counted, as of ntttcp's UDP, what was sent is all that is known.
  const { countedBy, sentBitsPerSecond } = measurement;
  const isSentOnly = question === "throughput" && countedBy === "sender" && sentBitsPerSecond !== null;
  const isFound = Object.values(figures).some(
    ({ answers, alsoAnswers, applies }) =>
      [...answers, ...alsoAnswers].includes(question) && applies(measurement),
  );
  return isFound || isSentOnly;
}
