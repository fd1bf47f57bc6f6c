/** The report's command for the same traffic, with its own answer: the command line cannot carry all that a log shows. */
import { said } from "../../../bench/said.ts";
import { type Answer, type AnswerData, answerOf } from "../../../report/choice/answer.ts";
import {
  defaultNeeds,
  demandOf,
  type Needs,
  type NumberField,
  numberFields,
  parseNumber,
} from "../../../report/choice/needs.ts";
import { headlineOf, joined } from "../../../report/choice/words.ts";
import type { PriceBook } from "../../../report/index.ts";
import type { Recommendation } from "./recommend.ts";
import { count } from "./words.ts";

/** `npm run report` with this traffic. */
export interface ReportCommand {
  /** How its answer agrees with the advice. */
  readonly sentence: string;
  /** The options after `npm run report --`. */
  readonly options: string;
}

interface Inputs {
  readonly data: AnswerData;
  readonly needs: Needs;
  readonly recommendation: Recommendation;
  readonly book: PriceBook;
  readonly natSize: string | undefined;
  /** Whether results of this cloud were given; the report needs some. */
  readonly measured: boolean;
}

/** The command, and whether it answers the same: both answers are computed. */
export function reportCommandOf(inputs: Inputs): ReportCommand {
  const { data, needs, recommendation, book, natSize, measured } = inputs;
  const numbers = numberFields.filter(({ key }) => needs[key] !== defaultNeeds[key]);
  const options = said(
    ...numbers.map((field) => `--${field.name} ${textOf(field, needs)}`),
    `--region ${needs.region}`,
    needs.now !== null && `--now ${needs.now}`,
    (book.origin === "live" || book.origin === "cache") && "--prices live",
    natSize !== undefined && `--nat-size ${natSize}`,
    book.term !== undefined && `--nat-term ${book.term}`,
  ).join(" ");
  const files = said(measured && "`--results`", book.origin === "file" && "`--prices`");
  const add = files.length === 0 ? "" : ` Add the files of ${files.join(" and ")}.`;
  const entered = asEntered(needs);
  const answer = answerOf(data, entered);
  const unknown = joined(unknownTo(needs, entered));
  const cannot = unknown === "" ? "" : ` Its options cannot say ${unknown}`;
  const sentence = !measured
    ? `The report needs results of this cloud: measure first.${cannot === "" ? "" : `${cannot}, so it may answer otherwise.`}`
    : agrees(answer, recommendation)
      ? "The report of the same results answers the same, without what endpoints would take."
      : `The report of the same results answers otherwise: ${headlineOf(answer)}.${cannot === "" ? "" : `${cannot}.`}`;
  return { options, sentence: `${sentence}${add}` };
}

/** An option's value: counts exactly, since limits of ports are exact; without an exponent, which the report does not read. */
function textOf({ key, scale, most }: NumberField, needs: Needs): string {
  const value = Math.min(most, (needs[key] ?? 0) / scale);
  const digits = Number.isInteger(value) ? {} : { maximumSignificantDigits: 9 };
  return value.toLocaleString("en-US", { useGrouping: false, ...digits });
}

/** The needs as the report reads them from the options. */
function asEntered({ seen: _, ...needs }: Needs): Needs {
  const numbers = numberFields
    .filter(({ key }) => needs[key] !== defaultNeeds[key])
    .map((field) => [field.key, parseNumber(field, textOf(field, needs))]);
  return { ...needs, ...Object.fromEntries(numbers) };
}

function agrees({ pick }: Answer, { pickId, thenCost }: Recommendation): boolean {
  const cost = pick?.totalCost ?? null;
  return (
    (pick?.id ?? null) === pickId &&
    (cost === null || thenCost === null
      ? cost === thenCost
      : Math.abs(cost - thenCost) <= 0.005 + cost * 1e-8)
  );
}

/** Facts of the log that change what a way out must carry or costs, and have no option. */
function unknownTo(needs: Needs, entered: Needs): string[] {
  const [known, read] = [demandOf(needs), demandOf(entered)];
  const { internetShare = 1, crossingShare = 0, crossingShareOfOne } = needs.seen ?? {};
  const differs = (...keys: readonly (keyof typeof known)[]) =>
    keys.some((key) => Math.abs((known[key] ?? -1) - (read[key] ?? -1)) > 1e-8 * (known[key] ?? 1));
  const outOfBounds = numberFields.filter(({ key, scale, most }) => (needs[key] ?? 0) / scale > most);
  return said(
    differs("busyBitsPerSecond") && "the busiest hour",
    differs("peakOneWayBitsPerSecond") && "each direction's peak",
    differs("flows", "flowsOfOneClient", "clients") && "the connections in total and of one machine",
    internetShare !== 1 && "how much is charged as internet egress",
    (crossingShare !== 0 || crossingShareOfOne !== undefined) && "how much crosses zones",
    ...outOfBounds.map(({ name, most }) => `more than ${count(most)} for --${name}`),
  );
}
