/** Updates the page when an input changes, bundled by `texts/texts.ts`. */
import { type AnswerData, answerOf } from "../choice/answer.ts";
import {
  expectedOf,
  fragmentOf,
  type Needs,
  type NumberField,
  needsOfFragment,
  numberFields,
  parseNumber,
  presentWays,
  showNumber,
  switchFields,
  unknownInFragment,
} from "../choice/needs.ts";
import { htmlOf } from "../document/html.ts";
import { liveBlocks } from "./answer.ts";

export interface PageData {
  readonly made: Needs;
  readonly answers: readonly AnswerData[];
}

/** The data as JSON that stores equal objects and lists once: inside others, `[7]` stands for the eighth of the list. */
export function packData(data: PageData): string {
  const places = new Map<string, number>();
  const pack = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) {
      return value;
    }
    const entries = Object.entries(value).map(([key, inner]) => [key, pack(inner)] as const);
    const text = JSON.stringify(
      Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries),
    );
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return [place];
  };
  pack(data);
  return `[${[...places.keys()].join(",")}]`;
}

/** Restores data from the text of {@link packData}. The whole comes last, after all that it refers to. */
export function dataOf(text: string): PageData {
  const values: object[] = [];
  const restored = (inner: unknown) => (Array.isArray(inner) ? values[inner[0]] : inner);
  for (const packed of JSON.parse(text) as object[]) {
    values.push(
      Array.isArray(packed)
        ? packed.map(restored)
        : Object.fromEntries(Object.entries(packed).map(([key, inner]) => [key, restored(inner)])),
    );
  }
  return values.at(-1) as PageData;
}

export type Inputs = Readonly<Record<string, string | boolean>>;

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
    now: presentWays.find((name) => name === inputs.now) ?? null,
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
    now: needs.now ?? "",
  };
}

/** A sentence on the parts of the page's address without effect; empty: none. The inputs' values follow its `#`, not a `?`. */
export function problemOf({ answers }: PageData, hash: string, query: string): string {
  const regions = answers.flatMap((data) => data.regions);
  const isNeed = (part: string) => unknownInFragment(part, regions).length === 0;
  const parts = query.replace(/^\?/, "").split("&");
  const unread = [
    ...unknownInFragment(hash, regions),
    ...parts
      .filter((part) => part !== "" && isNeed(part))
      .map((part) => `?${part}, which belongs behind a #`),
  ];
  return unread.length === 0 ? "" : `The address has parts that do not count: ${unread.join("; ")}.`;
}
