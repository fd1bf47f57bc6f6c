/** Collects the ways out for an answer, from results if there are any. */
import type { AnswerData } from "../report/choice/answer.ts";
import { answerDataOf, candidateData } from "../report/choice/ways.ts";
import { compare } from "../report/comparison/comparison.ts";
import { type PricedCloud, priceColumns, priceSnapshots } from "../report/index.ts";
import type { WaysInputs } from "./types.ts";

/** The ways out that a report of these results would choose from, at a region's prices. */
export function waysFor(cloud: PricedCloud, region: string, inputs: WaysInputs): AnswerData {
  const { results, book, natSize } = inputs;
  const books = { ...priceSnapshots, [cloud]: book };
  const own = results.filter((one) => one.cloud === cloud);
  const comparison = compare(own.map((one) => ({ source: `stack ${one.stack}`, results: one })));
  const sized = natSize === undefined ? {} : { natSize };
  const { columns } = priceColumns(comparison.columns, { region, ...sized }, books);
  const [data] = answerDataOf(comparison, columns, { books, regions: [], natSize });
  return data ?? candidateData(cloud, region, { books, natSize });
}
