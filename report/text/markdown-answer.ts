/**
 * The report's Markdown: which way out to take, and what it costs.
 *
 * @module
 */
import type { Answer } from "../choice/answer.ts";
import { breakEvenSentence, headlineOf, measureSentences, turnSentences, whyOf } from "../choice/words.ts";
import type { Report } from "../report.ts";
import { costTable, regionsTable, sizingTable, waysTable } from "../tables/answer-tables.ts";
import { escapeMarkdown } from "./escape.ts";
import { count } from "./format.ts";
import { list, table } from "./markdown-parts.ts";

/** The answer first, then what would change it and what to measure. */
export function answerText(answer: Answer, several: boolean): string {
  const { gbIn, gbOut, connections } = answer.needs;
  const sizing =
    connections === null ? "" : `\n\n### Ports, addresses, gateways\n\n${table(sizingTable(answer))}`;
  const measure = measureSentences(answer);
  return [
    several ? `## ${answer.cloud}\n\n` : "",
    `**${escapeMarkdown(headlineOf(answer))}**\n\n${escapeMarkdown(whyOf(answer))}\n\n`,
    list([...turnSentences(answer), ...measure]),
    `\n\nWays out at ${count(gbIn)} GB in and ${count(gbOut)} GB out a month:\n\n`,
    table(waysTable(answer)),
    sizing,
  ].join("");
}

/** Costs of the ways out in several regions, one text per cloud. */
export function regionTexts({ answers, answerData }: Report): string[] {
  return answerData.flatMap((data, at) => {
    const own = answers[at];
    return own === undefined || data.compared.length === 0
      ? []
      : [`## Region by region: ${data.cloud}\n\n${table(regionsTable(data, own))}`];
  });
}

/** Monthly cost of each way out. */
export function costText(answer: Answer, several: boolean): string {
  const { gbIn, gbOut } = answer.needs;
  const cloud = several ? ` (${answer.cloud})` : "";
  return `## Cost a month${cloud}: ${count(gbIn)} GB in, ${count(gbOut)} GB out\n\n${table(costTable(answer))}\n${list(answer.breakEvens.map((one) => breakEvenSentence(one, answer.currency)))}`;
}
