/**
 * `npm run advise` on bills and metrics that were once read wrongly. The right figures are plain arithmetic: 730 hours at
 * list prices of the region, plus 3.65 USD an address.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import type { AllAdvice } from "../../../packages/advise/src/all.ts";
import { runOver } from "../../helpers/advise-metrics.ts";
import { ran } from "../../helpers/ran.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";
import { sentencesIn } from "../advise/hand-made.ts";

const at = directoryOfEachTest();
const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/advise/${name}`, import.meta.url), "utf8");
const run = (name: string, ...args: string[]) => runOver(at(), { [basename(name)]: fixture(name) }, ...args);
/** Warning where a bill and list prices differ by more than 5 %. */
const apart = "What the bill charges and list prices differ by more than 5 %.";
const cents = (amount: number | null) => Math.round((amount ?? Number.NaN) * 100) / 100;

describe("a place's gateways at a place's prices", () => {
  it("two regions and accounts: each at its own prices, the totals last", async () => {
    const { stdout } = await run("two-regions.csv");
    const { places, nowCost, sentence, warnings } = JSON.parse(stdout) as AllAdvice;
    expect(places.map(({ region, now }) => [region, cents(now.bill.totalCost)])).toEqual([
      ["us-east-1", 200.75],
      ["sa-east-1", 139.43],
    ]);
    expect(cents(nowCost)).toBe(340.18);
    expect(sentence).toBe("2 places: 340.18 USD a month now, 17.12 USD with this advice; saves 323.06 USD.");
    expect(warnings.filter((one) => one.includes("A bill has no peak"))).toEqual([
      expect.stringMatching(/^A bill has no peak/), // of all places: once, without their names
    ]);
    expect(places.flatMap(({ recommendation }) => sentencesIn(recommendation)).join(" ")).not.toContain(
      "One for all",
    );
    const page = readFileSync(at("out/advice.html"), "utf8");
    expect(page).toContain("AWS sa-east-1, account 222222222222");
    expect(page.match(/by egress-bench\./g)).toHaveLength(1);
    expect(page).toContain("for 3.65 TB in both directions a month"); // not "0 bytes out"
    const ids = [...page.matchAll(/<section[^>]* id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(readFileSync(at("out/advice.md"), "utf8")).not.toContain("222222222222");
  });

  it.each([
    ["replaced.csv", 200.75, 1, "one gateway replaced another"],
    ["azure-case-of-id.csv", 173.38, 1, "Azure's ids ignore case"],
    ["region-in-arn.csv", 231.41, 1, "the region is in the ARN and in EUC1-"],
    ["localised-azure.csv", 173.38, 1, "column names have their English name in parentheses"],
    ["bill-one-month.csv", 2023.4, 1, "a month's bill"],
    ["focus-hour-of-60-gb.csv", 2007.5, 1, "FOCUS"],
    ["focus-hour-of-5-gb.csv", 200.75, 1, "FOCUS"],
  ])("%s: %d USD a month, %d gateway: %s", async (name, cost, gateways) => {
    const { advice, status } = await run(name);
    expect(status).toBe(0);
    expect(cents(advice.now.bill.totalCost)).toBe(cost);
    expect(advice.now.need.gateways).toBe(gateways);
    expect(advice.region).toBe({ "region-in-arn.csv": "eu-central-1" }[name] ?? advice.region);
  });

  it.each([
    ["removed, without ids", [48, 48, 48, 24, 24], 173.38, 1],
    ["removed on the last day, which may be incomplete", [48, 48, 48, 48, 24], 209.88, 2],
    ["added, without ids", [24, 24, 24, 48, 48], 209.88, 2],
    ["removed, with ids", [24, 24, 24], 173.38, 1],
  ])("a second gateway %s: hours a day %j", async (_, hours, cost, gateways) => {
    const row = (day: number, usage: string, amount: number, id: string) =>
      `Usage,2026-10-0${day + 1},2026-10-0${day + 2},NatGateway-${usage},${id},${amount},us-east-1`;
    const hasIds = hours.length === 3;
    const days = [0, 1, 2, 3, 4].flatMap((day) => [
      ...(hasIds ? [row(day, "Hours", 24, "nat-01")] : []),
      ...(hours[day] === undefined ? [] : [row(day, "Hours", hours[day], hasIds ? "nat-02" : "")]),
      row(day, "Bytes", 100, hasIds ? "nat-01" : ""),
    ]);
    const columns = [
      "LineItemType",
      "UsageStartDate",
      "UsageEndDate",
      "UsageType",
      "ResourceId",
      "UsageAmount",
    ];
    const head = [...columns.map((name) => `lineItem/${name}`), "product/region"].join(",");
    const { advice } = await runOver(at(), { "b.csv": `${[head, ...days].join("\n")}\n` });
    expect([cents(advice.now.bill.totalCost), advice.now.need.gateways]).toEqual([cost, gateways]);
    expect(advice.notes.join(" ").includes("Gateways: nat-01, nat-02; 1 of them now.")).toBe(hasIds);
  });

  it("an idle gateway is the first advice, with what it costs", async () => {
    const { advice, status } = await run("idle.csv");
    expect(status).toBe(0);
    expect(advice.recommendation.sentence).toMatch(
      /^Delete nat-00000000000000001, idle .*: 36\.50 USD a month to save\.$/,
    );
    expect(advice.recommendation.also).toEqual([expect.stringMatching(/no GB.* filtered to hours/)]);
    expect(advice.idle).toMatchObject({ names: ["nat-00000000000000001"] });
    expect(cents(advice.recommendation.thenCost)).toBe(0);
  });

  it("an idle gateway beside a busy one is deleted first, and the rest is sized for the busy one", async () => {
    const idle = fixture("idle.csv").trim().replaceAll("0000001", "0000009").split("\n")[1];
    const { advice } = await runOver(at(), {
      "b.csv": `${fixture("bill-one-month.csv").trim()}\n`,
      "i.csv": fixture("idle.csv")
        .replace(/\nUsage.*\n$/, `\n${idle}\n`)
        .replaceAll("111111111111", "123456789012"),
    });
    expect(advice.recommendation.sentence).toMatch(
      /^Delete nat-00000000000000009, .*: 36\.50 USD a month to save\.$/,
    );
    expect(advice.recommendation.also).toEqual([
      expect.stringMatching(/^AWS: take a NAT instance .*: saves 1,994\.29 USD/),
    ]);
    expect(advice.now.need.gateways).toBe(2);
    expect(advice.notes).toContain("Gateways: nat-00000000000000009 (idle), nat-0abc.");
    expect(advice.notes.join(" ")).not.toMatch(/Zones are not named|free 100 GB/);
    expect(advice.options.find(({ id }) => id === "nat-gateway")?.need.gateways).toBe(1);
  });
});

it.each([
  ["its bytes' line is cut", (text: string) => text.trimEnd().slice(0, -40)],
  ["its bytes' line has no name", (text: string) => text.replace(/(Bytes.*)arn:[^,]*nat-0abc/, "$1")],
])("no gateway is idle where %s", async (_, changed) => {
  const { advice } = await runOver(at(), { "b.csv": changed(fixture("bill-one-month.csv")) });
  expect([advice.idle, advice.now.need.gateways]).toEqual([null, 1]);
});

it("names a gateway that hardly carries anything, and what the busiest of several carries", async () => {
  const [head, hours = "", bytes = ""] = fixture("bill-one-month.csv").trim().split("\n");
  const second = [hours, bytes.replace(",45000,2025.00,", ",45,2.03,")];
  const rows = [head, hours, bytes, ...second.map((row) => row.replace("nat-0abc", "nat-0def"))];
  const { advice } = await runOver(at(), { "b.csv": `${rows.join("\n")}\n` });
  const said = sentencesIn(advice.recommendation).join(" ");
  expect(said).toContain("nat-0def carried 45.0 GB, less than 1 %: see whether it can go.");
  expect(said).toContain("The busiest gateway, nat-0abc, carried 99.9 % of all.");
  expect(said).toContain("sized for the busiest zone's rates, 99.9 % of all");
  expect(advice.warnings.join(" ")).toContain("For the peak, give metrics instead, in a call of their own.");
});

describe("time", () => {
  it.each([
    ["bill-one-month.csv", "2026-10-01", "2026-11-01"],
    ["bill-two-months.csv", "2026-09-01", "2026-11-01"],
    ["cloudwatch-weekly.json", "2026-11-02", "2026-11-16"],
  ])("%s is from %s to %s", async (name, from, to) => {
    const { advice } = await run(name);
    expect(advice.traffic).toMatchObject({
      from: `${from}T00:00:00.000Z`,
      to: `${to}T00:00:00.000Z`,
      gaps: [],
    });
  });

  it("two months of different traffic: the mean month, and the busiest month's rate", async () => {
    const { advice } = await run("bill-two-months.csv");
    const { gbIn, gbOut } = advice.month.all;
    expect(gbIn + gbOut).toBeCloseTo((46_000 * 730) / (720 + 744), 6);
    expect(advice.traffic.peak!.both.estimate).toBeCloseTo((45_000e9 * 8) / (744 * 3600), 0);
    const page = readFileSync(at("out/advice.md"), "utf8");
    expect(page).toContain("The busiest month, at 2026-10-01 00:00 UTC");
    expect(page).toContain("The longest line covers a month");
  });
});

describe("metrics", () => {
  it("series are told apart by their statistic", async () => {
    const { advice } = await run("sum-and-average.json");
    expect(advice.traffic.total.outBytes).toBe(144e9);
    expect(advice.traffic.nats).toHaveLength(1);
    expect(advice.traffic.counters!.skipped).toContain("BytesOutToDestination Average (its Sum is needed)");
  });

  it("an average alone is no volume", async () => {
    const { status, stderr } = await runOver(at(), {
      "a.json": fixture("sum-and-average.json").replaceAll(" Sum", " Average"),
    });
    expect(stderr).toMatch(/no volumes: .*BytesOutToDestination Average \(its Sum is needed\)/);
    expect(status).toBe(1);
  });

  it("points days apart are of one day each, with a warning, unless the period is said", async () => {
    const { advice } = await run("sparse-days.json");
    expect(advice.month.all.gbOut).toBeCloseTo((200 * 730) / 24, 6);
    expect(advice.warnings.join(" ")).toMatch(/does not name its points' period: 86,400 s are taken/);
    const said = await run("sparse-days.json", "--period", "3600");
    expect(said.advice.month.all.gbOut).toBeCloseTo(200 * 730, 6);
    expect(said.advice.warnings.join(" ")).not.toMatch(/period: /);
  });

  it("another resource's ByteCount is not a NAT gateway's", async () => {
    const { status, stderr } = await runOver(at(), {
      "lb.json": JSON.stringify({
        interval: "PT1M",
        value: [
          {
            id: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/loadBalancers/lb/providers/Microsoft.Insights/metrics/ByteCount",
            name: { value: "ByteCount" },
            timeseries: [{ data: [{ timeStamp: "2026-11-02T00:00:00Z", total: 5 }] }],
          },
        ],
      }),
    });
    expect(stderr).toContain("not used: ByteCount of loadBalancers");
    expect(status).toBe(1);
  });
});

describe("money", () => {
  it("a bill's charge stands beside list prices, and the difference has causes", async () => {
    const { advice } = await run("discounts.csv");
    expect(advice.warnings).toContain(apart);
    expect(advice.recommendation.answers[0]).toMatchObject({
      question: "You pay now",
      sentences: [
        "200.75 USD in a month of 730 hours at list prices: nat-gateway.",
        expect.stringMatching(
          /^The bill charges 126\.38 USD .*; list prices make 200\.88 USD .*: discounts -20\.00 USD, refunds -4\.50 USD, credits -50\.00 USD\.$/,
        ),
      ],
    });
  });

  it("the terminal has a warning of all places once", async () => {
    writeFileSync(at("b.csv"), fixture("two-regions.csv"));
    const { stdout } = await ran("advise", ["b.csv"], at());
    expect(stdout.match(/Warning: A bill has no peak/g)).toHaveLength(1);
    expect(stdout.match(/AWS [a-z0-9-]+, account \d+:/g)).toHaveLength(2);
  });

  it("who pays reads the saving first, and then five answers", async () => {
    writeFileSync(at("b.csv"), fixture("bill-one-month.csv"));
    const { stdout } = await ran("advise", ["b.csv"], at());
    const [headline, ...answers] = stdout.split("\n");
    expect(headline).toBe(
      "AWS: take a NAT instance (c6g.medium), 29.11 USD a month instead of 2,023.40: saves 1,994.29 USD. Risk: one machine; nothing gets out while it is down.",
    );
    const questions = answers.slice(0, 5).map((line) => line.slice(0, line.indexOf(": ")).trim());
    expect(questions).toEqual([
      "You pay now",
      "You would pay",
      "You risk",
      "Test first",
      "What would change it",
    ]);
    expect(stdout).not.toContain(apart);
    expect(stdout).toMatch(/You would pay: 29\.11 USD a month: .*, 1,994\.29 USD \(98 %\) less\./);
    expect(stdout).toMatch(
      /You risk: It is one machine: .* nat-instance-ha \(c6g\.medium\), 61\.87 USD a month\./,
    );
  });
});

it.each([
  ["aws", 0, ""],
  ["azure", 2, '--cloud: expected aws, whose the files are; got "azure"'],
  ["gcp", 2, "--cloud: expected aws or azure"],
])("--cloud %s beside a bill of AWS", async (cloud, status, said) => {
  const found = await run("bill-one-month.csv", "--cloud", cloud);
  expect(found.status).toBe(status);
  expect(found.stderr).toContain(said);
});

describe("what people have", () => {
  const ce =
    '"Usage type","EUC1-NatGateway-Hours($)","EUC1-NatGateway-Bytes($)","Total costs($)"\n"Usage type total","38.69","193.44","232.13"\n"2026-10-01","38.69","193.44","232.13"\n';

  it("Cost Explorer's CSV of costs: quantities at list prices, and says so", async () => {
    const { advice } = await runOver(at(), { "costs.csv": ce });
    expect(advice).toMatchObject({
      region: "eu-central-1",
      traffic: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z" },
    });
    expect(advice.now.bill.totalCost).toBeCloseTo(231.41, 1);
    expect(advice.warnings.join(" ")).toMatch(
      /costs alone: hours and GB are the cost divided by the list price/,
    );
    const said = sentencesIn(advice.recommendation).join(" ");
    expect(said).toContain("The bill charges 232.13 USD");
    expect(said).not.toContain("list prices make");
    expect(advice.warnings).not.toContain(apart);
  });

  it("Cost Explorer's JSON, with quantities", async () => {
    const UnblendedCost = { Amount: "1", Unit: "USD" };
    const group = (usage: string, Amount: string) => ({
      Keys: [usage],
      Metrics: { UsageQuantity: { Amount, Unit: "N/A" }, UnblendedCost },
    });
    const TimePeriod = { Start: "2026-10-01", End: "2026-11-01" };
    const nat = [group("NatGateway-Hours", "744"), group("NatGateway-Bytes", "3720")];
    const others = [group("BoxUsage:t3.micro", "744"), group("DataTransfer-Out-Bytes", "500")];
    const ResultsByTime = [{ TimePeriod, Groups: [...nat, ...others] }];
    const { advice } = await runOver(at(), { "ce.json": JSON.stringify({ ResultsByTime }) });
    expect(advice.region).toBe("us-east-1");
    expect(cents(advice.now.bill.totalCost)).toBe(200.75);
    // What the whole account sent to the internet is not the gateways'.
    expect(advice.traffic.counters?.directions).toBe("none");
  });

  it.each([
    ["account", ["444455556666", "777788889999"], false],
    ["account", ["444455556666", "777788889999"], true],
    ["region", ["us-east-1", "eu-west-1"], false],
  ] as const)("Cost Explorer's JSON by usage type and %s: a place each", async (part, names, isFirst) => {
    const group = (name: string, usage: string, Amount: string) => ({
      Keys: isFirst ? [name, usage] : [usage, name],
      Metrics: { UsageQuantity: { Amount, Unit: "N/A" }, UnblendedCost: { Amount: "1", Unit: "USD" } },
    });
    const Groups = [9000, 50].flatMap((gb, nth) => [
      group(names[nth]!, "NatGateway-Hours", "744"),
      group(names[nth]!, "NatGateway-Bytes", String(gb)),
    ]);
    const ResultsByTime = [{ TimePeriod: { Start: "2026-10-01", End: "2026-11-01" }, Groups }];
    const { stdout } = await runOver(at(), { "ce.json": JSON.stringify({ ResultsByTime }) });
    const { places } = JSON.parse(stdout) as AllAdvice;
    expect(
      places.map(({ traffic, options }) => [
        traffic[part],
        options.find(({ id }) => id === "nat-instance")?.need.size,
        traffic.nats.length,
      ]),
    ).toEqual([
      [names[0], "t4g.micro", 1],
      [names[1], "t4g.nano", 1],
    ]);
  });

  it("FOCUS of Azure: by the meter's name, credits apart", async () => {
    const id = "/subscriptions/S/resourceGroups/r/providers/Microsoft.Network/natGateways/NG";
    const row = (kind: string, meter: string, unit: string, quantity: number, cost: number) =>
      `${cost},USD,${kind},2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,${quantity},${unit},Microsoft,westeurope,${id},Virtual Network,NAT Gateway,${meter}`;
    const rows = [
      row("Usage", "Standard Gateway", "Hours", 24, 1.08),
      row("Usage", "Standard Data Processed", "GB", 100, 4.5),
      row("Credit", "Standard Data Processed", "GB", 0, -1),
    ];
    const { advice } = await runOver(at(), {
      "focus.csv": `BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ConsumedQuantity,ConsumedUnit,ProviderName,RegionId,ResourceId,ServiceName,x_SkuMeterCategory,x_SkuMeterName\n${rows.join("\n")}\n`,
    });
    expect(advice).toMatchObject({
      cloud: "azure",
      region: "westeurope",
      traffic: { total: { inBytes: 100e9 }, nats: [{ name: "ng" }] },
    });
    expect(advice.traffic.counters!.charged).toMatchObject({ causes: [{ cause: "credit", amount: -1 }] });
    expect(cents(advice.traffic.counters!.charged!.amount)).toBe(4.58);
  });

  it.each([
    ["TB", ",5,GB,", ",0.005,TB,"],
    ["1 GB", ",5,GB,", ",5,1 GB,"],
    ["bytes", ",5,GB,", ",5000000000,Bytes,"],
    ["GiB", ",5,GB,", `,${5e9 / 2 ** 30},GiB,`],
    [
      "the pricing quantity alone",
      "ConsumedQuantity,ConsumedUnit,",
      "PricingQuantity,PricingUnit,ConsumedQuantity,",
    ],
  ])("FOCUS in %s", async (_, from, to) => {
    const plain = fixture("focus-hour-of-5-gb.csv").replace(from, to);
    const text = plain.includes("Pricing") ? plain.replace(",5,GB,", ",0.5,10 GB,,") : plain;
    const { advice } = await runOver(at(), { "b.csv": text });
    expect(advice.traffic.total.inBytes).toBeCloseTo(5e9, 3);
  });

  it("a unit that is none of bytes is left out, with its money", async () => {
    const text = fixture("focus-hour-of-5-gb.csv");
    const other = text.split("\n")[1]?.replace(",5,GB,", ",5,Requests,");
    const { advice } = await runOver(at(), { "b.csv": `${text}${other}\n` });
    expect(advice.warnings.join(" ")).toMatch(/Not used: 1 line of NAT gateways in a unit .* 0\.23 USD/);
  });

  it.each([
    ["within a cell", (text: string) => text.trimEnd().slice(0, -60)],
    ["within quotes", (text: string) => `${text}3,2026-10-01T00:00:00Z,"NatGatew`],
    ["at a line of something else", (text: string) => `${text}3,2026-10-01T00:00:00Z,BoxUs`],
  ])("a bill that ends %s is used up to there, with a warning", async (_, cut) => {
    const text = fixture("bill-one-month.csv");
    const of = async (content: string) => (await runOver(at(), { "b.csv": content })).advice;
    const isSaid = ({ warnings }: Awaited<ReturnType<typeof of>>) =>
      warnings.some((one) => one.includes("ends in the middle of a line"));
    expect([isSaid(await of(text)), isSaid(await of(text.trimEnd())), isSaid(await of(cut(text)))]).toEqual([
      ...[false, false, true],
    ]);
  });

  it("Azure's actual and amortized cost of the same days count once", async () => {
    const actual = fixture("localised-azure.csv");
    const one = (await run("localised-azure.csv")).advice;
    const { advice } = await runOver(at(), { "actual.csv": actual, "amortized.csv": `${actual}\n` });
    expect(advice.traffic.total).toEqual(one.traffic.total);
    expect(advice.traffic.nats).toEqual(one.traffic.nats);
    expect(advice.traffic.counters!.charged).toEqual(one.traffic.counters!.charged);
    expect(advice.traffic.counters!.skipped).toEqual(["2 lines that another file has too"]);
  });

  const month = fixture("bill-one-month.csv").trim().split("\n");
  const days = (file: readonly string[]) =>
    [
      file[0],
      ...Array.from({ length: 31 }, (_, day) => {
        const [from, to] = [day, day + 1].map((one) => new Date(Date.UTC(2026, 9, 1 + one)).toISOString());
        return file.slice(1).map((line) =>
          line
            .replaceAll(/2026-10-01T00:00:00Z/g, from ?? "")
            .replaceAll(/2026-11-01T00:00:00Z/g, to ?? "")
            .replace(/,(744|45000),([\d.]+),/, (_all, amount, cost) => `,${amount / 31},${cost / 31},`),
        );
      }).flat(),
      "",
    ].join("\n");

  it.each([
    ["a month and its days", days(month), 2023.4],
    ["a month and days that are not all of it", days(month).split("\n").slice(0, 21).join("\n"), 2023.4],
  ])("%s in two bills count once", async (_, other, cost) => {
    const { advice } = await runOver(at(), { "a.csv": `${month.join("\n")}\n`, "b.csv": other });
    expect(cents(advice.now.bill.totalCost)).toBe(cost);
    expect(advice.traffic.nats).toHaveLength(1);
    expect(cents(advice.traffic.counters!.charged!.amount)).toBe(2058.48);
  });

  it("a gateway that is gone is neither idle nor paid for", async () => {
    const gone = month[1]!
      .replace("nat-0abc", "nat-0old")
      .replace("2026-11-01T00:00:00Z", "2026-10-05T04:00:00Z")
      .replace(",744,33.48,", ",100,4.50,");
    const { advice } = await runOver(at(), { "a.csv": `${[...month, gone].join("\n")}\n` });
    expect(advice.idle).toBeNull();
    expect(cents(advice.now.bill.totalCost)).toBe(2023.4);
  });

  it("a bill's own list prices part a contract's prices from other causes, above 5 % with a warning", async () => {
    // 744 h and 3,720 GB: 33.48 and 167.40 USD in public, a tenth less by contract.
    const [head = "", ...rows] = fixture("discounts.csv").trim().split("\n").slice(0, 3);
    const cost = (row: string) => Number(row.split(",")[7]);
    const listed = rows.map((row) =>
      row.replace(/,[\d.]+,us-east-1$/, `,${0.9 * cost(row)},us-east-1,${cost(row)}`),
    );
    const { advice } = await runOver(at(), {
      "b.csv": `${head},pricing/publicOnDemandCost\n${listed.join("\n")}\n`,
    });
    expect(advice.warnings).toContain(apart);
    expect(sentencesIn(advice.recommendation).join("\n")).toContain(
      "list prices make 200.88 USD of that time. The difference: prices of your contract -20.09 USD.",
    );
  });

  it.each<[string, string, (text: string) => string | Buffer, number, number]>([
    [
      "the unit that the usage is priced in",
      "bill-one-month.csv",
      (text) => text.replace(/,45000,(.*),GB$/m, ",45,$1,TB"),
      2023.4,
      2058.48,
    ],
    [
      "thousands in groups",
      "bill-one-month.csv",
      (text) => text.replace(",45000,2025.00,", ',"45,000","2,025.00",'),
      2023.4,
      2058.48,
    ],
    [
      "semicolons and decimal commas",
      "localised-azure.csv",
      (text) => text.replaceAll(",", ";").replaceAll(/(\d)\.(\d)/g, "$1,$2"),
      173.38,
      5.58,
    ],
    [
      "days before months, told by 13 lines of a month",
      "localised-azure.csv",
      (text) =>
        [0, 1, 2].reduce(
          (all, day) =>
            `${all}${text
              .split("\n")
              .slice(1)
              .join("\n")
              .replaceAll("10/01", `0${day + 4}/10`)}`,
          `${text.split("\n")[0]}\n`,
        ),
      173.38,
      16.74,
    ],
  ])("%s", async (_, name, change, cost, charged) => {
    const { advice } = await runOver(at(), { "b.csv": change(fixture(name)) });
    expect(cents(advice.now.bill.totalCost)).toBe(cost);
    expect(cents(advice.traffic.counters!.charged!.amount)).toBe(charged);
    expect(advice.traffic.from).toMatch(/^2026-10-0[14]T/);
    expect(advice.traffic.gaps).toEqual([]);
  });

  it("a line that cannot be read: its gateway is not idle, and much money is a warning", async () => {
    const text = fixture("bill-one-month.csv").replace(",45000,", ",45 TB,");
    const { advice } = await runOver(at(), { "b.csv": text });
    expect(advice.idle).toBeNull();
    expect(advice.recommendation.sentence).toMatch(/^No line of what the gateways carried could be read/);
    expect(advice.warnings.join(" ")).toMatch(/Not used: 1 line of NAT gateways .* 2025\.00 USD/);
    expect(advice.traffic.counters!.charged).toMatchObject({
      amount: expect.closeTo(2058.48, 2),
      causes: [{ cause: "unread", amount: 2025 }],
    });
  });

  it.each<[string, string | Buffer, RegExp]>([
    [
      "costs alone in another currency",
      ce.replaceAll("($)", "(€)"),
      /costs alone, in €: hours and GB cannot/,
    ],
    ["UTF-16", Buffer.from(`\uFEFF${ce}`, "utf16le"), /UTF-16: save it as UTF-8/],
    [
      "lines of two clouds",
      fixture("focus-hour-of-5-gb.csv").trim() +
        "\n" +
        "1,USD,Usage,2026-10-01T00:00:00Z,2026-10-01T01:00:00Z,1,Hours,Microsoft,eastus,/subscriptions/S/resourceGroups/r/providers/Microsoft.Network/natGateways/NG,Virtual Network,NAT Gateway\n",
      /lines of two clouds/,
    ],
  ])("%s: refused, with what to do", async (_, content, why) => {
    const { status, stderr } = await runOver(at(), { "b.csv": content });
    expect(stderr).toMatch(why);
    expect(status).toBe(1);
  });

  it.each([
    ["that was there for a week", "168", "7.56", "600", "27.00"],
    ["that began in the middle of the month", "372", "16.74", "5000", "225.00"],
  ])("list prices count the hours of a second gateway %s", async (_, hoursOf, cost, gb, costOfGb) => {
    const [head, hours = "", bytes = ""] = fixture("bill-one-month.csv").trim().split("\n");
    const second = [
      hours.replace(",744,33.48,", `,${hoursOf},${cost},`),
      bytes.replace(",45000,2025.00,", `,${gb},${costOfGb},`),
    ];
    const rows = [head, hours, bytes, ...second.map((row) => row.replace("nat-0abc", "nat-0def"))];
    const { advice } = await runOver(at(), { "b.csv": `${rows.join("\n")}\n` });
    const charged = (2058.48 + Number(cost) + Number(costOfGb)).toLocaleString("en-US");
    const said = sentencesIn(advice.recommendation).join(" ");
    expect(said).toContain(`The bill charges ${charged} USD`);
    expect(said).toContain(`list prices make ${charged} USD of that time.`);
    expect(said).not.toContain("The difference");
  });

  it("cells with quotes, commas and line breaks, as tags have", async () => {
    const text = fixture("bill-one-month.csv")
      .trim()
      .split("\n")
      .map(
        (line, at) => `"a ""tag"",\nof two lines",${at === 0 ? line : line.replaceAll(/([^,]+)/g, '"$1"')}`,
      );
    const { advice } = await runOver(at(), { "q.csv": `${text.join("\n")}\n` });
    expect(cents(advice.now.bill.totalCost)).toBe(2023.4);
  });
});
