/**
 * Only the currency of the price list is printed: over random lists, needs and commands. Checked independently of the program's words
 * by a plain search for "USD", "$" and fields' names in every file and on the terminal.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PricedCloud, priceSnapshots } from "../../../report/index.ts";
import { briefResults } from "../../fixtures/results/brief.ts";
import { awsLog, azureLog } from "../../helpers/flow-logs.ts";
import { ran } from "../../helpers/ran.ts";
import { samples } from "../../helpers/samples.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const at = directoryOfEachTest((made) => mkdirSync(join(made, "results")));

const results = briefResults("tcp-egress", "tcp-ingress");

const run = (command: "report" | "advise" | "choose", args: readonly string[]) => ran(command, args, at());

function writeBook(name: string, cloud: PricedCloud, change: object) {
  const { prices } = priceSnapshots[cloud];
  const book = { cloud, origin: "file", asOf: "2026-11-01", note: "Ours.", prices, ...change };
  writeFileSync(at(name), JSON.stringify(book));
}

const logs = {
  aws: awsLog([
    { source: "10.0.0.1", destination: "52.216.0.9", bytes: 4e9, start: 1_790_000_000, end: 1_790_000_060 },
    { source: "10.0.0.1", destination: "192.0.2.1", bytes: 6e9, start: 1_790_003_540, end: 1_790_003_600 },
  ]),
  azure: azureLog({
    "00224871C205": ["1790000000000,10.0.0.1,192.0.2.1,40000,443,6,O,E,NX,1000,6000000000,1000,100"],
  }),
};
const bill = (currency: string) => [
  "Date,MeterCategory,MeterName,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrency,ResourceId,ResourceLocation",
  `11/01/2026,NAT Gateway,Standard Gateway,24,1 Hour,1.08,${currency},/natGateways/a,westeurope`,
  `11/01/2026,NAT Gateway,Standard Data Processed,100,1 GB,4.5,${currency},/natGateways/a,westeurope`,
];

/** Texts of all files of a directory. */
const outputs = () =>
  readdirSync(at("out"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));

describe("a list in another currency", () => {
  it("is printed by its own name everywhere: page, Markdown, JSON, CSV, terminal", async () => {
    const inputs = fc.record({
      cloud: fc.constantFrom<PricedCloud>("aws", "azure"),
      command: fc.constantFrom("report", "advise", "bill", "choose"),
      currency: fc.constantFrom("EUR", "CHF", "INR"),
      gb: fc.integer({ min: 0, max: 100_000 }),
      zones: fc.integer({ min: 1, max: 3 }),
      partial: fc.boolean(),
      perUsd: fc.option(fc.double({ min: 0.5, max: 90, noNaN: true }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(inputs, async ({ cloud, command, currency, gb, zones, partial, perUsd }) => {
        rmSync(at("out"), { recursive: true, force: true });
        const { prices } = priceSnapshots[cloud];
        const some = partial ? prices.filter((_, at) => at % 2 === 0) : prices;
        writeBook("own.json", cloud, { currency, prices: some, ...(perUsd === undefined ? {} : { perUsd }) });
        writeFileSync(at("a.log"), logs[cloud]);
        writeFileSync(at("b.csv"), bill(currency).join("\n"));
        writeFileSync(at("results", "a.json"), JSON.stringify({ ...results, cloud }));
        const given = ["--prices", "own.json"];
        const needs = ["--gb-in", `${gb}`, "--gb-out", `${gb}`, "--zones", `${zones}`];
        const { status, stdout, stderr } =
          command === "report"
            ? await run("report", ["results/a.json", ...needs, ...given])
            : command === "choose"
              ? await run("choose", given)
              : command === "bill" && cloud === "azure"
                ? await run("advise", ["b.csv", ...given])
                : await run("advise", ["a.log", ...given]);
        expect(status).toBe(0);
        // The cloud that choose leaves out is named with its own currency.
        const texts = [stdout, command === "choose" ? "" : stderr, ...outputs()];
        // The page's own script contains one "$1", in an expression.
        const text = texts.join("\n").replaceAll("<code>$1</code>", "");
        expect(text.match(/.{0,30}(usd|\$ ?\d).{0,30}/gi) ?? []).toEqual([]);
        expect(text.includes(currency)).toBe(true);
      }),
      { numRuns: samples(3) },
    );
  }, 60_000);

  it("names its currency in the head of the CSV", async () => {
    writeBook("own.json", "azure", { currency: "EUR" });
    writeFileSync(at("results", "a.json"), JSON.stringify(results));
    await run("report", ["results/a.json", "--prices", "own.json"]);
    expect(readFileSync(at("out", "report.csv"), "utf8").split("\r\n")[0]).toContain(",cost_eur_month,");
  });

  it("has no price for missing meters, or the shipped one at its own rate", async () => {
    writeFileSync(at("a.log"), logs.aws);
    const hour = { meter: "nat-gateway-hour", region: "us-east-1", source: "ours", checked: null };
    const prices = [{ ...hour, tiers: [{ from: 0, price: 0.04 }] }];
    const advice = async (change: object) => {
      writeBook("own.json", "aws", { currency: "EUR", prices, ...change });
      await run("advise", ["a.log", "--region", "us-east-1", "--prices", "own.json"]);
      return JSON.parse(readFileSync(at("out", "advice.json"), "utf8"));
    };
    const alone = await advice({});
    expect(alone.now.bill.totalCost).toBeNull();
    expect(alone.now.bill.missing).toContain("nat-gateway-gb");
    expect(alone.pricesFrom).toContain("the only one in EUR: what it lacks has no price");
    const { now, pricesFrom } = await advice({ perUsd: 0.5 });
    const each = Object.fromEntries(
      now.bill.charges.map(({ meter, cost, units }: Record<string, number>) => [meter, cost! / units!]),
    );
    expect(each["nat-gateway-hour"]).toBeCloseTo(0.04, 9);
    expect(each["nat-gateway-gb"]).toBeCloseTo(0.0225, 9);
    expect(pricesFrom).toContain("the shipped snapshot times 0.5");
  });
});

describe("two currencies", () => {
  it("are refused in one report, and in one page of choose", async () => {
    writeBook("azure.json", "azure", { currency: "EUR" });
    writeBook("aws.json", "aws", { currency: "GBP" });
    for (const cloud of ["aws", "azure"]) {
      writeFileSync(at("results", `${cloud}.json`), JSON.stringify({ ...results, cloud, stack: cloud }));
    }
    const files = ["results/aws.json", "results/azure.json"];
    for (const prices of [
      ["--prices", "azure.json"],
      ["--prices", "azure.json", "--prices", "aws.json"],
    ]) {
      const { status, stderr } = await run("report", [...files, ...prices]);
      expect(status).toBe(2);
      expect(stderr).toMatch(/prices of \w+ are in \w{3}, and those of \w+ in \w{3}: expected one currency/);
    }
    expect(await run("choose", ["--prices", "azure.json", "--prices", "aws.json"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("expected one currency"),
    });
    const one = await run("choose", ["--prices", "azure.json"]);
    expect(one).toMatchObject({ status: 0, stderr: expect.stringContaining("aws is left out") });
    expect(readFileSync(at("out", "choose.html"), "utf8")).not.toContain('id="answer-aws"');
  });

  it("are refused beside hosts that have an owner's price", async () => {
    writeBook("azure.json", "azure", { currency: "EUR" });
    writeFileSync(at("results", "a.json"), JSON.stringify(results));
    const topologies = results.topologies.map((one) => ({
      ...one,
      ownPrice: { usdPerHour: 1, usdPerGbSent: 0 },
    }));
    const own = { ...results, stack: "mine", cloud: "hosts", topologies };
    writeFileSync(at("results", "h.json"), JSON.stringify(own));
    const { status, stderr } = await run("report", [
      ...["results/a.json", "results/h.json", "--prices", "azure.json"],
    ]);
    expect(stderr).toContain("prices of azure are in EUR, and those of the hosts of mine in USD");
    expect(status).toBe(2);
  });

  it("of one bill's lines are not summed", async () => {
    const [head = "", ...lines] = bill("EUR");
    writeFileSync(at("b.csv"), [head, ...lines, bill("USD")[1]].join("\n"));
    await run("advise", ["b.csv"]);
    const { traffic, notes } = JSON.parse(readFileSync(at("out", "advice.json"), "utf8"));
    expect(traffic.counters.charged).toBeNull();
    expect(notes.join(" ")).toContain("Not used: what the lines cost, as they are in EUR and USD");
  });

  it("of a bill and of the price list are each printed with their own name", async () => {
    writeFileSync(at("b.csv"), bill("EUR").join("\n"));
    const { stdout } = await run("advise", ["b.csv"]);
    expect(stdout).toMatch(
      /The bill charges 5\.58 EUR for these lines, from 2026-11-01 00:00 UTC to 2026-11-02 00:00 UTC\. All costs here are in USD: give a price list in EUR/,
    );
  });
});
