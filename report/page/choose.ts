/**
 * The answer before anything is deployed: the report's inputs, words and rules over every cloud's candidates.
 *
 * @module
 */
import { answerOf } from "../choice/answer.ts";
import { defaultNeeds, type Needs } from "../choice/needs.ts";
import { candidatesEverywhere } from "../choice/ways.ts";
import { priceNotesOf } from "../cost/price-notes.ts";
import { type PriceBook, type PricedCloud, priceSnapshots } from "../cost/prices.ts";
import { priceDefaults } from "../cost/pricing.ts";
import { liveParts, needsForm } from "./answer.ts";
import { pageOf } from "./page.ts";
import { list } from "./parts.ts";

/** Inputs of the page. */
export interface ChooseOptions {
  /** When the page is made, as ISO 8601. */
  readonly madeAt: string;
  /** @default those of a report without options */
  readonly needs?: Needs;
  /** @default the snapshot that ships with this package */
  readonly books?: Readonly<Record<PricedCloud, PriceBook>>;
}

const clouds = ["aws", "azure"] as const;

/** One HTML file that asks nothing of the network. */
export function toChoosePage({
  madeAt,
  needs = defaultNeeds,
  books = priceSnapshots,
}: ChooseOptions): string {
  const data = clouds.map((cloud) => candidatesEverywhere(cloud, books));
  const answers = data.map((one) => answerOf(one, needs));
  const live = liveParts(answers, data);
  const part = (kind: string) =>
    clouds.map((cloud) => `<div id="${kind}-${cloud}">${live[`${kind}-${cloud}`]}</div>`).join("");
  const regions = clouds.map((cloud) => priceDefaults[cloud].region).join(", ");
  return pageOf({
    title: "Before anything is deployed",
    madeAt,
    columns: 0,
    before: "",
    parts: [
      {
        id: "answer",
        heading: "What to pick",
        content: part("answer") + needsForm(needs, data, regions) + part("ways"),
      },
      { id: "sizing", heading: "How many do I need?", content: part("sizing") },
      {
        id: "cost",
        heading: "Cost",
        content: part("bill") + list(priceNotesOf(answers, books, [], { madeAt, needs })),
      },
    ],
    data: { made: needs, answers: data },
  });
}
