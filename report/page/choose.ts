/** Builds the page of `npm run choose`: the report's inputs, words and rules over every cloud's candidates. */
import { pricedClouds } from "../../bench/topologies/clouds.ts";
import { answerOf } from "../choice/answer.ts";
import { defaultNeeds, type Needs } from "../choice/needs.ts";
import { priceNotesOf } from "../choice/price-notes.ts";
import { candidatesEverywhere } from "../choice/ways.ts";
import { type PriceBook, type PricedCloud, priceSnapshots } from "../cost/prices.ts";
import { priceDefaults } from "../cost/pricing.ts";
import { box, list } from "../document/document.ts";
import { timeOf } from "../text/format.ts";
import { live, liveBlocks } from "./answer.ts";
import { needsForm } from "./inputs.ts";
import { pageOf } from "./page.ts";

export interface ChooseOptions {
  /** When the page is made, as ISO 8601. */
  readonly madeAt: string;
  /** @default those of a report without options */
  readonly needs?: Needs;
  /** @default the snapshot that ships with this package */
  readonly books?: Readonly<Record<PricedCloud, PriceBook>>;
  /** Clouds to choose from, with prices in one currency. @default all */
  readonly clouds?: readonly PricedCloud[];
}

/** One HTML file that makes no requests. */
export function toChoosePage({
  madeAt,
  needs = defaultNeeds,
  books = priceSnapshots,
  clouds = pricedClouds,
}: ChooseOptions): string {
  const data = clouds.map((cloud) => candidatesEverywhere(cloud, books));
  const answers = data.map((one) => answerOf(one, needs));
  const moving = liveBlocks(answers, data);
  const regions = clouds.map((cloud) => priceDefaults[cloud].region).join(", ");
  const title = "Before anything is deployed";
  const document = {
    title,
    heading: "Which way out of a private subnet?",
    origin: `${title}. Made ${timeOf(madeAt)} by egress-bench.`,
    opening: [{ kind: "html" as const, html: needsForm(needs, data, regions) }],
    sections: [
      {
        id: "answer",
        heading: "What to pick",
        blocks: [box("sides", live(moving, "answer")), ...live(moving, "ways")],
      },
      {
        id: "cost",
        heading: "Cost",
        blocks: [
          box("sides", live(moving, "bill")),
          ...list(priceNotesOf(answers, books, [], { madeAt, needs })),
        ],
      },
      { id: "sizing", heading: "How many do I need?", blocks: live(moving, "sizing"), folded: true },
    ],
  };
  return pageOf(document, { columns: 0, data: { made: needs, answers: data } });
}
