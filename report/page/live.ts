/**
 * The page's script when an input moves; `npm run reference` bundles it into `live.generated.ts`.
 *
 * @module
 */
import { type AnswerData, answerOf } from "../choice/answer.ts";
import {
  fragmentOf,
  type Needs,
  needsOf,
  numberFields,
  parseNumber,
  showNumber,
  switchFields,
} from "../choice/needs.ts";
import { type LiveParts, liveParts } from "./answer.ts";

/** Data that the page carries. */
export interface PageData {
  readonly made: Needs;
  readonly answers: readonly AnswerData[];
}

/** Values of the inputs, by name. */
export type Inputs = Readonly<Record<string, string | boolean>>;

/** Parts of the page that follow its inputs. */
export interface Moved {
  readonly parts: LiveParts;
  /** For the page's address. */
  readonly fragment: string;
  /** Inputs that were not understood and keep their value; empty: none. */
  readonly problem: string;
}

/** The page for what stands in the inputs. */
export function moved({ made, answers }: PageData, inputs: Inputs): Moved {
  const problems: string[] = [];
  const numbers = numberFields.map((field) => {
    const value = parseNumber(field, String(inputs[field.name] ?? ""));
    if (value === undefined) {
      problems.push(`${field.label}: expected a number from ${field.least} to ${field.most}.`);
    }
    return [field.key, value === undefined ? made[field.key] : value];
  });
  const switches = switchFields.map(({ name, key }) => [key, inputs[name] === true]);
  const needs: Needs = {
    ...made,
    ...Object.fromEntries([...numbers, ...switches]),
    region: String(inputs.region ?? "") || null,
  };
  return {
    parts: liveParts(
      answers.map((data) => answerOf(data, needs)),
      answers,
    ),
    fragment: fragmentOf(needs, made),
    problem: problems.join(" "),
  };
}

/** The inputs' values for an address of the page. */
export function inputsOf({ made }: PageData, fragment: string): Inputs {
  const needs = needsOf(fragment, made);
  return {
    ...Object.fromEntries(numberFields.map((field) => [field.name, showNumber(field, needs)])),
    ...Object.fromEntries(switchFields.map(({ name, key }) => [name, needs[key]])),
    region: needs.region ?? "",
  };
}
