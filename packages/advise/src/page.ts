/**
 * Renders advice as a page and as Markdown, in the report's style. The page makes no requests and has no script.
 */
import { cloudRecords } from "../../../bench/topologies/clouds.ts";
import { type Document, text } from "../../../report/document/document.ts";
import { toMarkdownText } from "../../../report/document/markdown.ts";
import { pageOf } from "../../../report/page/page.ts";
import type { Advice } from "./advice.ts";
import { sectionsOf } from "./sections.ts";
import { moment } from "./words.ts";

/** The whole page. */
export function toPage(advice: Advice): string {
  return pageOf(documentOf(advice), { columns: 0, data: null });
}

/** The advice as Markdown. */
export function toMarkdown(advice: Advice): string {
  return toMarkdownText(documentOf(advice));
}

function documentOf(advice: Advice): Document {
  const { cloud, region, traffic, madeAt, report, recommendation, warnings } = advice;
  const title = "Which way out, by your own traffic";
  const next = {
    id: "next",
    heading: "The report with this traffic",
    blocks: [text(report.sentence), { kind: "code" as const, text: `npm run report -- ${report.options}` }],
  };
  return {
    title,
    heading: title,
    origin: `${cloudRecords[cloud].title}, ${region}, ${traffic.source} from ${moment(traffic.from)} to ${moment(traffic.to)}. Made ${moment(madeAt)} by egress-bench.`,
    opening: [
      {
        kind: "box",
        look: "read-first",
        blocks: [text(recommendation.sentence, "answer"), ...warnings.map((one) => text(one, "warning"))],
      },
    ],
    sections: [...sectionsOf(advice), next],
  };
}
