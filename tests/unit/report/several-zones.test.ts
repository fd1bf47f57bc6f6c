/** Costs of clients in several zones: one way out for all, or one in each zone. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { zoneSentences } from "../../../report/choice/price-notes.ts";
import { priceSnapshots } from "../../../report/index.ts";

type Columns = Parameters<typeof zoneSentences>[0];
const column = (topology: string, cloud: "aws" | "azure", natSize = "t4g.micro") =>
  ({
    column: { label: topology },
    priced: { topology, cloud, region: cloud === "aws" ? "us-east-1" : "eastus", natSize },
  }) as unknown as Columns[number];
const said = (columns: Columns, gb = 1000) => zoneSentences(columns, { gbIn: gb, gbOut: 0 }, priceSnapshots);

it("on AWS is the crossing of zones against machines, disks and addresses", () => {
  // 730 x (0.0084 + 0.005) + 0.64 = 10.42; two thirds of 1,000 GB at 0.02.
  expect(said([column("nat-instance", "aws")])).toEqual([
    "nat-instance, clients in 3 zones: one for all of them costs 23.76 USD a month before its data and egress, 13.33 USD of it for crossing zones; one in each zone costs 31.27 USD and crosses none, which is cheaper above 1,563 GB a month.",
  ]);
  expect(said([column("nat-gateway", "aws")])[0]).toMatch(/above 5,475 GB a month\.$/);
});

it("equals the quote in docs/choosing.md", () => {
  const [sentence = ""] = said([column("nat-instance", "aws")]);
  const quoted = readFileSync(new URL("../../../docs/choosing.md", import.meta.url), "utf8").replaceAll(
    /\n> ?/g,
    " ",
  );
  expect(quoted).toContain(sentence);
});

it("is absent if zones cost nothing, or nothing translates", () => {
  expect(said([column("nat-instance", "azure", "Standard_B2ats_v2"), column("direct", "aws")])).toEqual([]);
});

it("appears once for columns of one name", () => {
  expect(said([column("nat-instance", "aws"), column("nat-instance", "aws")])).toHaveLength(1);
});
