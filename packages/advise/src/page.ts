/** Renders advice as a page and as Markdown, in the report's style. The page makes no requests and has no script. */
import { cloudRecords } from "../../../bench/topologies/clouds.ts";
import {
  type Block,
  box,
  type Document,
  type Section,
  table,
  text,
} from "../../../report/document/document.ts";
import { toMarkdownText } from "../../../report/document/markdown.ts";
import { textTable } from "../../../report/document/table.ts";
import { side } from "../../../report/page/answer.ts";
import { pageOf } from "../../../report/page/page.ts";
import type { Advice } from "./advice.ts";
import { type AllAdvice, placeName, thenCostOf } from "./all.ts";
import { sectionsOf } from "./sections.ts";
import { costText, moment, periodOf } from "./words.ts";

export function toPage(advice: Advice | AllAdvice): string {
  return pageOf(documentOf(advice), { columns: 0, data: null });
}

export function toMarkdown(advice: Advice | AllAdvice): string {
  return toMarkdownText(documentOf(advice));
}

function documentOf(advice: Advice | AllAdvice): Document {
  const title = "Which way out, by your own traffic";
  const sources = new Set(("places" in advice ? advice.places : [advice]).map(sourceOf));
  const origin = `${[...sources].join("; ")}. Made ${moment(advice.madeAt)} by egress-bench.`;
  const common = { title, heading: title, origin };
  if (!("places" in advice)) {
    return {
      ...common,
      opening: openingOf(saidFirst(advice), advice.warnings, answersOf(advice)),
      sections: ownSections(advice),
    };
  }
  const { places, sentence, warnings, currency, nowCost, thenCost } = advice;
  const rows = places.map((one) => [
    placeName(one),
    costText(one.recommendation.nowCost, currency),
    costText(thenCostOf(one), currency),
    saidFirst(one).join(" "),
  ]);
  const totals = ["All", costText(nowCost, currency), costText(thenCost, currency), ""];
  const sections = places.flatMap((one, at) =>
    [{ id: "answers", heading: "Answer", blocks: answersOf(one) }, ...ownSections(one)].map((section) => ({
      ...section,
      id: `${section.id}-${at + 1}`,
      heading: `${section.heading}: ${placeName(one)}`,
    })),
  );
  return {
    ...common,
    opening: openingOf([sentence], warnings),
    sections: [
      {
        id: "places",
        heading: "Places",
        blocks: table(
          textTable(["Place", "Now a month", "Then a month", "Advice"], [...rows, totals]),
          "Cost by place",
        ),
      },
      ...sections,
    ],
  };
}

const saidFirst = ({ recommendation: { sentence, also } }: Advice) => [sentence, ...also];

function openingOf(
  sentences: readonly string[],
  warnings: readonly string[],
  answers: readonly Block[] = [],
): Document["opening"] {
  const said = [
    ...sentences.map((one) => text(one, "answer")),
    ...answers,
    ...warnings.map((one) => text(one, "warning")),
  ];
  return [box("read-first", said)];
}

/** What who pays asks, side by side where there is room. */
function answersOf({ recommendation: { answers } }: Advice): Block[] {
  const sides = answers.flatMap(({ question, sentences }) => side(question, sentences));
  return [box("sides", sides)];
}

function sourceOf({ cloud, region, traffic }: Advice): string {
  const source = traffic.source === "typed" ? "typed figures" : `${traffic.source} ${periodOf(traffic)}`;
  return `${cloudRecords[cloud].title}, ${region}, ${source}`;
}

function ownSections(advice: Advice): Section[] {
  const { report } = advice;
  const next = {
    id: "next",
    heading: "The report with this traffic",
    blocks: [text(report.sentence), { kind: "code" as const, text: `npm run report -- ${report.options}` }],
  };
  return [...sectionsOf(advice), next];
}
