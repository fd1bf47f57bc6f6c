/** The report's command for the same traffic, and what of it the command line cannot carry. */
import { said } from "../../../bench/said.ts";
import {
  defaultNeeds,
  demandOf,
  type Needs,
  type NumberField,
  numberFields,
  parseNumber,
} from "../../../report/choice/needs.ts";
import { joined } from "../../../report/choice/words.ts";
import type { PriceBook } from "../../../report/index.ts";
import { count } from "./words.ts";

/** `npm run report` with this traffic. */
export interface ReportCommand {
  /** Its meaning, and why its answer may differ from the advice. */
  readonly sentence: string;
  /** The options after `npm run report --`. */
  readonly options: string;
}

/**
 * The command for some needs.
 *
 * @param known Whether results of this cloud were given, which the report needs; whether the directions of traffic are known
 */
export function reportCommandOf(
  needs: Needs,
  book: PriceBook,
  natSize: string | undefined,
  { measured, directions }: { readonly measured: boolean; readonly directions: boolean },
): ReportCommand {
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
  const unknown = joined(unknownTo(needs, asEntered(needs)));
  const sentences = said(
    measured
      ? "The report of the same results, for the same traffic, without what endpoints would take."
      : "The report needs results of this cloud: measure first.",
    unknown !== "" && `Its options cannot say ${unknown}, so it may answer otherwise.`,
    !directions &&
      "What was sent is not known: --gb-in has both directions, and --gb-out 0 leaves internet egress out, as here.",
    files.length > 0 && `Add the files of ${files.join(" and ")}.`,
  );
  return { options, sentence: sentences.join(" ") };
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

/** Facts of the log that change what a way out must carry or costs, and have no option. */
function unknownTo(needs: Needs, entered: Needs): string[] {
  const [known, read] = [demandOf(needs), demandOf(entered)];
  const { internetShare = 1, crossingShare = 0, crossingShareOfOne, zoneShare } = needs.seen ?? {};
  const differs = (...keys: readonly (keyof typeof known)[]) =>
    keys.some((key) => Math.abs((known[key] ?? -1) - (read[key] ?? -1)) > 1e-8 * (known[key] ?? 1));
  const outOfBounds = numberFields.filter(({ key, scale, most }) => (needs[key] ?? 0) / scale > most);
  return said(
    differs("busyBitsPerSecond") && "the busiest hour",
    differs("peakOneWayBitsPerSecond") && "each direction's peak",
    differs("flows", "flowsOfOneClient", "clients") && "the connections in total and of one machine",
    differs("packetsPerSecond") && "how large packets are",
    internetShare !== 1 && "how much is charged as internet egress",
    (crossingShare !== 0 || crossingShareOfOne !== undefined) && "how much crosses zones",
    zoneShare !== undefined && "how much of it one zone has",
    ...outOfBounds.map(({ name, most }) => `more than ${count(most)} for --${name}`),
  );
}
