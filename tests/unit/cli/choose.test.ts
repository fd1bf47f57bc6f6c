/** `npm run choose`: one page, with the same answers as a report for the same needs. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Answer, answerOf } from "../../../report/choice/answer.ts";
import { candidateData } from "../../../report/choice/ways.ts";
import { headline } from "../../../report/choice/words.ts";
import { defaultNeeds, priceSnapshots, whyOf } from "../../../report/index.ts";
import { dataOf, moved } from "../../../report/page/live.ts";
import { escapeHtml } from "../../../report/text/escape.ts";
import { ran } from "../../helpers/ran.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const at = directoryOfEachTest();

const run = (...args: string[]) => ran("choose", args, at());

function page() {
  const html = readFileSync(at("out/choose.html"), "utf8");
  const [, json = ""] = /id="data">(.*?)<\/script>/s.exec(html) ?? [];
  return { html, data: dataOf(json) };
}

function headlineHtml(answer: Answer) {
  const { pick, rest } = headline(answer);
  return escapeHtml(pick) + (rest === "" ? "" : `<span>${escapeHtml(rest)}</span>`);
}

describe("npm run choose", () => {
  it("writes one page, of every region that ships, small enough to send", async () => {
    expect(await run()).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringContaining("out/choose.html"),
    });
    expect(readdirSync(at("out"))).toEqual(["choose.html"]);
    const { html, data } = page();
    expect(html.length).toBeLessThan(600_000);
    const regions = data.answers.flatMap((one) => one.regions);
    for (const region of [
      "us-east-1",
      "eu-central-1",
      "ap-southeast-2",
      "eastus",
      "japaneast",
      "westeurope",
      "uaenorth",
    ]) {
      expect(regions).toContain(region);
      expect(html).toContain(`<option value="${region}">`);
    }
  });

  it("states its assumption without naming an input, which paper lacks, or an option, which the page lacks", async () => {
    await run();
    const words = page().html.replace(/<script[\s\S]*?<\/script>/g, "");
    expect(words).toMatch(/The same up to a peak of [\d.]+ [MG]bit\/s; above it: pick [^<]*\.</);
    expect(words).toContain("The number of connections at once to one destination is not given");
    expect(words).not.toMatch(/--peak-gbit|\bbelow\.|Say how many/);
  });

  it("answers as a report would, for each cloud and region: same pick, same bill, same words", async () => {
    await run();
    const { html, data } = page();
    const inputs = {
      "gb-in": "5000",
      "gb-out": "900",
      "peak-gbit": "0.4",
      machines: "3",
      zones: "2",
      "fixed-address": true,
    };
    for (const [cloud, region] of [
      ["aws", "us-east-1"],
      ["aws", "eu-west-1"],
      ["azure", "eastus"],
      ["azure", "uaenorth"],
    ] as const) {
      const own = candidateData(cloud, region, { books: priceSnapshots, natSize: undefined });
      const needs = {
        ...defaultNeeds,
        gbIn: 5000,
        gbOut: 900,
        peakBitsPerSecond: 0.4e9,
        machines: 3,
        zones: 2,
        region,
      };
      const expected = answerOf(own, needs);
      const { parts, problem } = moved(data, { ...inputs, region });
      expect(problem).toBe("");
      expect(parts[`answer-${cloud}`]).toContain(headlineHtml(expected));
      expect(parts[`answer-${cloud}`]).toContain(escapeHtml(whyOf(expected)));
    }
    const first = answerOf(
      candidateData("aws", "us-east-1", { books: priceSnapshots, natSize: undefined }),
      defaultNeeds,
    );
    expect(html).toContain(headlineHtml(first));
  });

  it("has the prices of each region, names those that it borrows, and takes a reader's own", async () => {
    await run();
    const billIn = (region: string) =>
      moved(page().data, { "gb-in": "1", "gb-out": "1", machines: "1", zones: "1", region }).parts[
        "bill-aws"
      ] ?? "";
    const borrowed =
      /In me-central-1 these prices are not known and those of us-east-1 are used: egress-gb\./;
    expect(borrowed.test(billIn("me-central-1"))).toBe(true);
    const ireland = billIn("eu-west-1");
    expect(ireland.includes("not known")).toBe(false);
    // 730 x 0.048 + 2 x 0.048 + 3.65
    expect(/38\.79\sUSD/.test(ireland)).toBe(true);
    const price = priceSnapshots.aws.prices.find(({ meter }) => meter === "nat-gateway-hour");
    const own = {
      ...priceSnapshots.aws,
      asOf: "2026-11-01",
      prices: [{ ...price, region: "eu-west-1", tiers: [{ from: 0, price: 9 }] }],
    };
    writeFileSync(at("mine.json"), JSON.stringify(own));
    expect((await run("--prices", "mine.json")).status).toBe(0);
    const mine = moved(page().data, {
      "gb-in": "1",
      "gb-out": "1",
      machines: "1",
      zones: "1",
      region: "eu-west-1",
    });
    expect(/6,570\.00/.test(mine.parts["bill-aws"] ?? "")).toBe(true);
    expect(page().html.includes("your own list of")).toBe(true);
  });

  it("ends with 1 where nothing can be written, and ends with 2 for what it does not know", async () => {
    writeFileSync(at("out"), "a file");
    expect((await run()).status).toBe(1);
    expect((await run("--prices", "none.json")).status).toBe(2);
    expect((await run("more")).status).toBe(2);
  });
});
