/**
 * The parts of the page that follow the reader's needs: answer, how many of what, cost. The same on paper, without script
 * and while an input moves.
 *
 * @module
 */
import { cloudTitles } from "../../bench/topologies/clouds.ts";
import { costChart } from "../charts/cost.ts";
import type { Answer, AnswerData } from "../choice/answer.ts";
import { type Needs, numberFields, showNumber, switchFields } from "../choice/needs.ts";
import { headlineOf, measureSentences, turnSentences, whyOf } from "../choice/words.ts";
import { costTable, regionsTable, sizingTable, waysTable } from "../tables/answer-tables.ts";
import { escapeHtml } from "../text/escape.ts";
import { count } from "../text/format.ts";
import { figure, list, table } from "./parts.ts";

/** HTML by the id of the element that holds it. */
export type LiveParts = Readonly<Record<string, string>>;

/** Each part of each cloud's answer. */
export function liveParts(answers: readonly Answer[], data: readonly AnswerData[]): LiveParts {
  return Object.fromEntries(
    answers.flatMap((answer, at) => [
      [`answer-${answer.cloud}`, answerHtml(answer, answers.length > 1)],
      [`ways-${answer.cloud}`, waysHtml(answer, answers.length > 1)],
      [`sizing-${answer.cloud}`, sizingHtml(answer, answers.length > 1)],
      [`bill-${answer.cloud}`, billHtml(answer, answers.length > 1)],
      // The page has a place for it only where regions are compared.
      ...(data[at]?.compared.length ? [[`regions-${answer.cloud}`, regionsHtml(answer, data[at])]] : []),
    ]),
  );
}

function cloudHeading({ cloud }: Answer, several: boolean): string {
  return several ? `<h3>${cloudTitles[cloud]}</h3>` : "";
}

function answerHtml(answer: Answer, several: boolean): string {
  const measure = measureSentences(answer);
  return (
    cloudHeading(answer, several) +
    `<p class="sentence">${escapeHtml(headlineOf(answer))}</p><p>${escapeHtml(whyOf(answer))}</p>` +
    list(turnSentences(answer)) +
    (measure.length === 0 ? "" : `<p>What to measure:</p>${list(measure)}`)
  );
}

function waysHtml(answer: Answer, several: boolean): string {
  const { gbIn, gbOut } = answer.needs;
  const caption = `Ways out at ${count(gbIn)} GB in and ${count(gbOut)} GB out a month`;
  return table(waysTable(answer), several ? `${caption}: ${cloudTitles[answer.cloud]}` : caption, "cards");
}

function sizingHtml(answer: Answer, several: boolean): string {
  const { connections, machines } = answer.needs;
  const asked =
    connections === null
      ? "Say how many connections there are at once to the busiest destination, and this says how many addresses they need."
      : `For ${count(connections)} connections at once to one destination, from ${count(machines)} ${machines === 1 ? "machine" : "machines"}.`;
  const caption = `Ports, addresses and gateways${several ? `: ${cloudTitles[answer.cloud]}` : ""}`;
  return `${cloudHeading(answer, several)}<p>${asked}</p>${table(sizingTable(answer), caption, "cards")}`;
}

function billHtml(answer: Answer, several: boolean): string {
  const { needs, assessed } = answer;
  const chart = costChart(answer);
  const legend = assessed.map(({ id, way }) => ({ index: way.look, label: id }));
  const caption = `A month of 730 hours at ${count(needs.gbIn)} GB in and ${count(needs.gbOut)} GB out${several ? `: ${cloudTitles[answer.cloud]}` : ""}`;
  return (
    cloudHeading(answer, several) +
    (chart === null ? "" : figure(chart, legend)) +
    table(costTable(answer), caption, "cards") +
    list(standInNotes(answer))
  );
}

/** Price note of an answer without measured ways: a report's price notes name those of its columns. */
function standInNotes({ assessed }: Answer): string[] {
  const charges = assessed.flatMap(({ bill, region }) =>
    bill.charges.map((charge) => ({ ...charge, region })),
  );
  const borrowed = charges.filter(({ pricedIn }) => pricedIn !== null);
  const [first] = borrowed;
  const meters = [...new Set(borrowed.map(({ meter }) => meter))].sort();
  return first === undefined || assessed.some(({ way }) => way.column !== null)
    ? []
    : [
        `In ${first.region} these prices are not known and those of ${first.pricedIn} are used: ${meters.join(", ")}.`,
      ];
}

function regionsHtml(answer: Answer, data: AnswerData): string {
  return table(regionsTable(data, answer), `Cost a month by region: ${cloudTitles[answer.cloud]}`);
}

/**
 * The inputs. Hidden until the script shows them, as they do nothing without it.
 *
 * @param noRegion Whose prices there are where no region is chosen.
 */
export function needsForm(needs: Needs, data: readonly AnswerData[], noRegion = "as measured"): string {
  const numbers = numberFields.map(
    (field) =>
      `<label for="need-${field.name}">${escapeHtml(field.label)}<span class="unit">${escapeHtml(field.unit)}</span>` +
      `<input id="need-${field.name}" aria-describedby="needs-problem" name="${field.name}" inputmode="decimal" autocomplete="off" value="${escapeHtml(showNumber(field, needs))}"></label>`,
  );
  const switches = switchFields.map(
    ({ name, key, label }) =>
      `<label class="switch" for="need-${name}"><input type="checkbox" id="need-${name}" name="${name}" autocomplete="off"${needs[key] ? " checked" : ""}>${escapeHtml(label)}</label>`,
  );
  const option = (region: string) =>
    `<option value="${escapeHtml(region)}"${region === (needs.region ?? "") ? " selected" : ""}>${escapeHtml(region || noRegion)}</option>`;
  const options = [
    option(""),
    ...data.map(
      ({ cloud, regions }) =>
        `<optgroup label="${cloudTitles[cloud]}">${regions.map(option).join("")}</optgroup>`,
    ),
  ];
  return (
    `<form id="needs" hidden><fieldset><legend>What you need</legend><div class="needs">${numbers.join("")}` +
    `<label for="need-region">Prices of region<span class="unit"></span><select id="need-region" name="region" autocomplete="off">${options.join("")}</select></label>${switches.join("")}</div></fieldset>` +
    `<p class="note"><output id="needs-problem"></output> The page's address keeps what you set. Rules: docs/choosing.md.</p></form>`
  );
}
