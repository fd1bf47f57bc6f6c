/** Updates the page when an input changes; `npm run reference` bundles it into `live.generated.ts`. */
import { type AnswerData, answerOf } from "../choice/answer.ts";
import {
  expectedOf,
  fragmentOf,
  type Needs,
  type NumberField,
  needsOfFragment,
  numberFields,
  parseNumber,
  showNumber,
  switchFields,
} from "../choice/needs.ts";
import { htmlOf } from "../document/html.ts";
import { liveBlocks } from "./answer.ts";

/** Data embedded in the page. */
export interface PageData {
  readonly made: Needs;
  readonly answers: readonly AnswerData[];
}

/** Fields that many ways out share: the page stores each value once. */
const SHARED = ["rules", "machine", "machines", "evidence"] as const;

interface PackedData extends Pick<PageData, "made"> {
  readonly shared: readonly unknown[];
  readonly answers: readonly { readonly ways: readonly Record<string, unknown>[] }[];
}

/** The answers with other values in the fields that ways out share. */
function withShared(
  answers: readonly { readonly ways: readonly object[] }[],
  change: (value: unknown) => unknown,
) {
  return answers.map((answer) => ({
    ...answer,
    ways: answer.ways.map((way) => ({
      ...way,
      ...Object.fromEntries(SHARED.map((key) => [key, change(Reflect.get(way, key))])),
    })),
  }));
}

/** The data as JSON. */
export function packData({ made, answers }: PageData): string {
  const places = new Map<string, number>();
  const placeOf = (value: unknown) => {
    const text = JSON.stringify(value);
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  };
  const packed = withShared(answers, placeOf);
  return `{"made":${JSON.stringify(made)},"answers":${JSON.stringify(packed)},"shared":[${[...places.keys()].join(",")}]}`;
}

/** Restores data from the text of {@link packData}. */
export function dataOf(text: string): PageData {
  const { made, answers, shared } = JSON.parse(text) as PackedData;
  const unpacked = withShared(answers, (place) => shared[place as number]);
  return { made, answers: unpacked as unknown as PageData["answers"] };
}

/** Values of the inputs, by name. */
export type Inputs = Readonly<Record<string, string | boolean>>;

/** Parts of the page that depend on its inputs. */
export interface Moved {
  /** HTML by the id of its element. Empty for invalid inputs: the page keeps its answer. */
  readonly parts: Readonly<Record<string, string>>;
  /** Fragment for the page's address. Null: unchanged. */
  readonly fragment: string | null;
  /** A message about invalid inputs; empty if all are valid. */
  readonly problem: string;
  /** Names of the invalid inputs. */
  readonly wrong: readonly string[];
}

/**
 * The page's parts for the given inputs.
 *
 * @param isShown Whether the element of an id is visible: folded parts are not made. @default all
 */
export function moved(
  { made, answers }: PageData,
  inputs: Inputs,
  isShown: (id: string) => boolean = () => true,
): Moved {
  const wrong: NumberField[] = [];
  const numbers = numberFields.map((field) => {
    const value = parseNumber(field, String(inputs[field.name] ?? ""));
    if (value === undefined) {
      wrong.push(field);
    }
    return [field.key, value === undefined ? made[field.key] : value];
  });
  if (wrong.length > 0) {
    const expected = wrong.map((field) => `${field.label}: ${expectedOf(field)}.`);
    const problem = `${expected.join(" ")} The answer shown is for the last valid input.`;
    return { parts: {}, fragment: null, problem, wrong: wrong.map(({ name }) => name) };
  }
  const switches = switchFields.map(({ name, key }) => [key, inputs[name] === true]);
  const needs: Needs = {
    ...made,
    ...Object.fromEntries([...numbers, ...switches]),
    region: String(inputs.region ?? "") || null,
  };
  const moving = liveBlocks(
    answers.map((data) => answerOf(data, needs)),
    answers,
  );
  return {
    parts: Object.fromEntries(
      Object.entries(moving).flatMap(([id, blocks]) => (isShown(id) ? [[id, htmlOf(blocks())]] : [])),
    ),
    fragment: fragmentOf(needs, made),
    problem: "",
    wrong: [],
  };
}

/** The inputs' values for a fragment of the page's address. */
export function inputsOf({ made }: PageData, fragment: string): Inputs {
  const needs = needsOfFragment(fragment, made);
  return {
    ...Object.fromEntries(numberFields.map((field) => [field.name, showNumber(field, needs)])),
    ...Object.fromEntries(switchFields.map(({ name, key }) => [name, needs[key]])),
    region: needs.region ?? "",
  };
}
