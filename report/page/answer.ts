/**
 * The parts of a report that depend on the needs: answer, sizing, cost. They are the same on paper, without script, and after
 * a change of an input.
 */
import { groupBy } from "../../bench/group-by.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { costChart } from "../charts/cost.ts";
import type { Answer, AnswerData } from "../choice/answer.ts";
import { answerParts, breakEvenSentences } from "../choice/words.ts";
import { borrowedText, HOURS_PER_MONTH } from "../cost/bill.ts";
import { type Block, box, chartBlock, fold, list, table, text } from "../document/document.ts";
import { costTable, otherWaysTable, regionsTable, sizingTable, waysTable } from "../tables/answer-tables.ts";
import { count } from "../text/format.ts";

/** Blocks that depend on the inputs, by the id of their element on the page; made on demand. */
export type LiveBlocks = Readonly<Record<string, () => readonly Block[]>>;

/** Ways out that are always visible; further ones are folded, and made when the fold opens. */
const MOST_IN_SIGHT = 24;
const OTHERS = "The other ways out";

export function liveBlocks(answers: readonly Answer[], data: readonly AnswerData[]): LiveBlocks {
  const several = answers.length > 1;
  const parts = answers.flatMap((answer, at): [string, LiveBlocks[string]][] => {
    const { cloud } = answer;
    const own = data[at];
    return [
      [`answer-${cloud}`, () => answerBlocks(answer)],
      [`ways-${cloud}`, () => waysBlocks(answer, several)],
      [`others-${cloud}`, () => table(waysTable(answer, MOST_IN_SIGHT), ofCloud(OTHERS, answer, several))],
      [`sizing-${cloud}`, () => sizingBlocks(answer, several)],
      [`bill-${cloud}`, () => billBlocks(answer, several)],
      [`regions-${cloud}`, () => (own === undefined ? [] : regionsBlocks(answer, own))],
    ];
  });
  // The page has places for these only with compared regions, or with this many ways out.
  const without = data.flatMap(({ cloud, compared, ways }) => [
    ...(compared.length === 0 ? [`regions-${cloud}`] : []),
    ...(ways.length <= MOST_IN_SIGHT ? [`others-${cloud}`] : []),
  ]);
  return Object.fromEntries(parts.filter(([id]) => !without.includes(id)));
}

/** Places for one part, one per cloud; less important ways out are folded. */
export function live(blocks: LiveBlocks, part: "answer" | "ways" | "sizing" | "bill" | "regions"): Block[] {
  return Object.entries(blocks).flatMap(([id, own]): Block[] => {
    const kind = id.slice(0, id.indexOf("-"));
    if (kind === part) {
      return [{ kind: "live", id, blocks: own() }];
    }
    return kind === "others" && part === "ways" ? [fold(OTHERS, [{ kind: "live", id, blocks: own() }])] : [];
  });
}

function cloudHeading({ cloud }: Answer, several: boolean): Block[] {
  return several ? [{ kind: "heading", text: cloudRecords[cloud].title }] : [];
}

function ofCloud(caption: string, { cloud }: Answer, several: boolean): string {
  return several ? `${caption}: ${cloudRecords[cloud].title}` : caption;
}

function answerBlocks(answer: Answer): Block[] {
  const {
    headline: { pick, rest },
    why,
    changes,
  } = answerParts(answer);
  return [
    box("answer", [
      { kind: "text", look: "answer", text: pick, rest },
      box("sides", [...side("Why", why), ...side("What would change it", changes)]),
    ]),
  ];
}

/** Sentences under a heading, beside others where there is room; nothing without a sentence. */
export function side(heading: string, sentences: readonly string[]): Block[] {
  return sentences.length === 0
    ? []
    : [box("side", [{ kind: "heading", text: heading }, ...list(sentences)])];
}

function waysBlocks(answer: Answer, several: boolean): Block[] {
  const { gbIn, gbOut } = answer.needs;
  const caption = `Ways out at ${count(gbIn)} GB in and ${count(gbOut)} GB out a month`;
  return table(waysTable(answer, 0, MOST_IN_SIGHT), ofCloud(caption, answer, several));
}

function sizingBlocks(answer: Answer, several: boolean): Block[] {
  const { connections, machines } = answer.needs;
  const asked =
    connections === null
      ? "The number of connections at once to one destination is not given, so this assumes that the ports of the addresses are enough."
      : `For ${count(connections)} connections at once to one destination, from ${count(machines)} ${machines === 1 ? "machine" : "machines"}.`;
  const caption = ofCloud("Ports, addresses and gateways", answer, several);
  return [
    ...cloudHeading(answer, several),
    text(asked),
    ...table(sizingTable(answer), caption),
    ...table(
      otherWaysTable(answer),
      ofCloud("What egress-bench does not build, and never picks", answer, several),
    ),
  ];
}

function billBlocks(answer: Answer, several: boolean): Block[] {
  const { needs, assessed } = answer;
  const legend = assessed.map(({ id, way }) => ({ index: way.look, label: id }));
  const caption = `A month of ${HOURS_PER_MONTH} hours at ${count(needs.gbIn)} GB in and ${count(needs.gbOut)} GB out`;
  return [
    ...cloudHeading(answer, several),
    chartBlock(() => costChart(answer), legend),
    fold("Each charge of the month", table(costTable(answer), ofCloud(caption, answer, several))),
    ...list([...breakEvenSentences(distinct(answer)), ...standInNotes(answer)]),
  ];
}

/** The answer with only the first break-even at each traffic, if there are many. */
function distinct(answer: Answer): Answer {
  const { breakEvens } = answer;
  return breakEvens.length <= MOST_IN_SIGHT
    ? answer
    : {
        ...answer,
        breakEvens: [...groupBy(breakEvens, ({ gb }) => gb).values()].flatMap((same) => same.slice(0, 1)),
      };
}

/** Price note for an answer without measured ways: a report's own price notes cover only its columns. */
function standInNotes({ assessed }: Answer): string[] {
  const [first] = assessed;
  const charges = assessed.flatMap(({ bill }) => bill.charges);
  const text = first === undefined ? null : borrowedText(charges, first.region);
  return text === null || assessed.some(({ way }) => way.column !== null) ? [] : [text];
}

function regionsBlocks(answer: Answer, data: AnswerData): Block[] {
  return table(
    regionsTable(data, answer),
    `Cost a month by region: ${cloudRecords[answer.cloud].title}`,
    "plain",
  );
}
