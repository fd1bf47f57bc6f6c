/**
 * `npm run advise` with a bill, compared with plain arithmetic over each test's lines. The columns follow the
 * clouds' documentation.
 *
 * Cost and Usage Report: https://docs.aws.amazon.com/cur/latest/userguide/Lineitem-columns.html
 * Azure's export: https://learn.microsoft.com/azure/cost-management-billing/dataset-schema/cost-usage-details-ea
 */
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../cli/database.ts";
import { isRegion } from "../../../cli/known-names.ts";
import { billLines } from "../../../packages/advise/src/usage/bills.ts";
import { at, gateways, minutes, runOver } from "../../helpers/advise-metrics.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const path = directoryOfEachTest();
const run = (files: Parameters<typeof runOver>[1], ...args: string[]) => runOver(path(), files, ...args);

const [a, b] = gateways;

it.each([
  ["westeurope", "westeurope"],
  ["EU West", "westeurope"],
  ["West Europe", "westeurope"],
  ["US West 3", "westus3"],
  ["AP Southeast", "southeastasia"],
  ["DE West Central", "germanywestcentral"],
  ["usgovvirginia", "usgovvirginia"], // without prices, and a place of its own
  ["Unassigned", null],
])("Azure's region %s is %s", (name, region) => {
  const read = billLines(["MeterCategory", "MeterName", "Quantity", "Date", "ResourceLocation"], isRegion);
  expect(read!([["NAT Gateway", "Standard Gateway", "24", "2026-10-01", name]])).toMatchObject([
    { row: { region } },
  ]);
});

describe("bills", () => {
  const id = (nat: string) => `arn:aws:ec2:eu-west-1:123456789012:natgateway/${nat}`;
  const line = (
    hour: number,
    usage: string,
    amount: number,
    cost: number,
    resource: string,
    kind = "Usage",
  ) => [at(60 * hour), at(60 * hour + 60), kind, usage, amount, cost, "USD", resource, "eu-west-1"].join(",");
  const header =
    "lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/LineItemType,lineItem/UsageType,lineItem/UsageAmount,lineItem/UnblendedCost,lineItem/CurrencyCode,lineItem/ResourceId,product/region";
  const lines = [a, b].flatMap((nat) =>
    minutes(48, (m) => m).flatMap((hour) => [
      line(hour, "EU-NatGateway-Hours", 1, 0.048, id(nat)),
      line(hour, "EU-NatGateway-Bytes", hour === 7 ? 90 : 2, 0.096, id(nat)),
      line(hour, "EU-DataTransfer-Out-Bytes", 0.5, 0.045, id(nat)),
      line(hour, "EU-NatGateway-Bytes", 2, -0.01, id(nat), "EdpDiscount"),
      line(hour, "EU-DataTransfer-Out-Bytes", 40, 3.6, "i-0123"),
      line(hour, "BoxUsage:t4g.micro", 1, 0.0092, "i-0123"),
    ]),
  );
  const csv = (rows: readonly string[]) => `${[header, ...rows].join("\n")}\n`;

  it("AWS's report, in two CSV files, one of them gzip: only NAT lines, scaled from 48 to 730 hours", async () => {
    const { advice, status } = await run({
      "1.csv": csv(lines.slice(0, 300)),
      "2.csv.gz": gzipSync(csv(lines.slice(300))),
    });
    expect(status).toBe(0);
    const { traffic, month } = advice;
    expect(advice.region).toBe("eu-west-1");
    expect(traffic.total.outBytes).toBeCloseTo(2 * 48 * 0.5e9, 0);
    expect(traffic.total.outBytes + traffic.total.inBytes).toBeCloseTo(2 * (47 * 2 + 90) * 1e9, 0);
    expect(traffic).toMatchObject({ source: "bill", hours: 48, counters: { directions: "both" } });
    expect(traffic.nats.map(({ name }) => name)).toEqual([a, b]);
    expect(month.all.gbIn + month.all.gbOut).toBeCloseTo((2 * (47 * 2 + 90) * 730) / 48, 6);
    expect(traffic.counters!.charged!.amount).toBeCloseTo(2 * 48 * (0.048 + 0.096 + 0.045 - 0.01), 6);
    expect(traffic.peak!.both).toMatchObject({ estimate: (180e9 * 8) / 3600, most: null });
    expect(advice.warnings.join(" ")).toMatch(/A bill has no peak/);
  });

  it("the same as Parquet, with the names of CUR 2.0", async () => {
    const database = await openDatabase();
    const names = header.split(",").map((name) =>
      name
        .replace("lineItem/", "line_item_")
        .replace("product/region", "product_region_code")
        .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
        .toLowerCase(),
    );
    const file = path("made.csv");
    writeFileSync(file, csv(lines).replace(header, names.join(",")));
    await database.run(
      `copy (select * from read_csv('${file}')) to '${path("cur.parquet")}' (format parquet)`,
    );
    database.close();
    const { advice } = await run({ "cur.parquet": readFileSync(path("cur.parquet")) });
    expect(advice.traffic.total.outBytes + advice.traffic.total.inBytes).toBeCloseTo(
      2 * (47 * 2 + 90) * 1e9,
      0,
    );
    expect(advice).toMatchObject({ cloud: "aws", region: "eu-west-1" });
  });

  it.each(["Infinity", "1e308", "NaN", "-1e308", "-1", "2e9", "much", "", "infinite start", "no end"])(
    "a line of %s GB is left out and counted, and the others count",
    async (amount) => {
      const bad =
        amount === "infinite start"
          ? line(7, "NatGateway-Bytes", 5, 1, id(a)).replace(at(420), "infinity")
          : amount === "no end"
            ? line(7, "NatGateway-Bytes", 5, 1, id(a)).replace(at(480), at(420))
            : line(7, "NatGateway-Bytes", 5, 1, id(a)).replace(",5,1,", `,${amount},1,`);
      const { advice, status } = await run({ "1.csv": csv([line(6, "NatGateway-Bytes", 5, 1, id(a)), bad]) });
      expect(status).toBe(0);
      expect(advice.traffic.total).toMatchObject({ outBytes: 0, inBytes: 5e9 });
      expect(advice.traffic.counters!.skipped).toEqual([
        "1 line of NAT gateways in a unit or time that is not known, or with an impossible amount, 1.00 USD",
      ]);
    },
  );

  it.each([
    ["more gateways than an account has", line(7, "NatGateway-Hours", 1e6, 1, id(a))],
    ["a cost that is not finite", line(7, "NatGateway-Bytes", 5, Number.POSITIVE_INFINITY, id(a))],
  ])("a line of %s is left out", async (_, bad) => {
    const { advice } = await run({ "1.csv": csv([line(6, "NatGateway-Bytes", 5, 1, id(a)), bad]) });
    expect(advice.traffic.counters!.skipped).toHaveLength(1);
    expect(advice.traffic.nats).toHaveLength(1);
  });

  it("a gateway's name with a bidirectional control character is shown with a replacement", async () => {
    const { advice } = await run({ "1.csv": csv([line(6, "NatGateway-Bytes", 5, 1, "arn:x/a\u202e=1+1")]) });
    expect(advice.traffic.nats.map(({ name }) => name)).toEqual(["a\ufffd=1+1"]);
  });

  it("Azure's export: by the day, without directions", async () => {
    const row = (day: string, category: string, meter: string, quantity: number, unit: string) =>
      `${day},${category},${meter},${quantity},${unit},westeurope,/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/natGateways/ng-1,${quantity * 0.045},EUR`;
    const days = ["11/02/2026", "11/03/2026"].flatMap((day, index) => [
      row(day, "NAT Gateway", "Standard Gateway", 24, "1 Hour"),
      row(day, "NAT Gateway", "Standard Data Processed", 100 + 50 * index, "1 GB"),
      row(day, "NAT Gateway", "Standard Data Processed", 3, "10K"),
      row(day, "NAT Gateway", "Standard Gateway", 3, "1 GB"),
      row(day, "Bandwidth", "Standard Data Transfer Out", 70, "1 GB"),
    ]);
    const { advice } = await run({
      "export.csv": `\uFEFFDate,MeterCategory,MeterName,Quantity,UnitOfMeasure,ResourceLocation,ResourceId,CostInBillingCurrency,BillingCurrency\n${days.join("\n")}\n`,
    });
    const { traffic } = advice;
    expect(traffic).toMatchObject({
      cloud: "azure",
      hours: 48,
      total: { outBytes: 0, inBytes: 250e9 },
      nats: [{ name: "ng-1" }],
      counters: { directions: "none", charged: { currency: "EUR" } },
    });
    expect(traffic.peak!.both.estimate).toBeCloseTo((150e9 * 8) / 86_400, 0);
    expect(traffic.counters!.skipped).toEqual([
      "4 lines of NAT gateways in a unit or time that is not known, or with an impossible amount, 0.54 EUR",
    ]);
  });

  it.each([
    ["1 Hour", "1 GB"],
    ["10 Hours", "10 GB"],
    ["100 Hours", "100 GB"],
    ["1/Hour", "1/GB"],
    ["10 hours", "10GB"],
  ])("Azure's quantity is the usage, whatever block its price is for: %s, %s", async (hours, gb) => {
    // Two gateways; 10 hours cost 0.45, and 48 hours are 4.8 such units.
    const days = [2, 3].flatMap((day) =>
      [`Standard Gateway,48,${hours}`, `Standard Data Processed,100,${gb}`].map(
        (what) => `11/0${day}/2026,NAT Gateway,${what},westeurope`,
      ),
    );
    const { advice } = await run({
      "export.csv": `Date,MeterCategory,MeterName,Quantity,UnitOfMeasure,ResourceLocation\n${days.join("\n")}\n`,
    });
    expect(advice.traffic).toMatchObject({ hours: 48, total: { outBytes: 0, inBytes: 200e9 } });
    expect(advice.traffic.nats).toHaveLength(2);
    expect(advice.traffic.counters!.skipped).toEqual([]);
  });

  it.each(["10/01/2026", "10/15/2026"])("Azure's export by the month has one gateway: %s", async (date) => {
    const id = "/subscriptions/s1/resourceGroups/rg/providers/Microsoft.Network/natGateways/nat1";
    const lines = ["Standard Gateway,744,1 Hour", "Standard Data Processed,10000,1 GB"].map(
      (what) => `${date},NAT Gateway,${what},eastus,${id}`,
    );
    const { advice } = await run({
      "b.csv": `Date,MeterCategory,MeterName,Quantity,UnitOfMeasure,ResourceLocation,ResourceId\n${lines.join("\n")}\n`,
    });
    expect(advice.traffic).toMatchObject({ hours: 744, nats: [{ name: "nat1" }] });
    // 730 hours of gateway and address for 0.05 USD, and 730/744 of 10,000 GB for 0.045 USD.
    expect(advice.now.bill.totalCost).toBeCloseTo(730 * 0.05 + ((10_000 * 730) / 744) * 0.045, 2);
  });

  it("Azure's export with the service in the subcategory", async () => {
    const days = [2, 3].map(
      (day) => `11/0${day}/2026,Virtual Network,NAT Gateway,Standard Data Processed,100,1 GB,westeurope`,
    );
    const { advice } = await run({
      "export.csv": `Date,MeterCategory,MeterSubCategory,MeterName,Quantity,UnitOfMeasure,ResourceLocation\n${days.join("\n")}\n`,
    });
    expect(advice.traffic).toMatchObject({ hours: 48, total: { outBytes: 0, inBytes: 200e9 } });
  });

  it("Azure's export gives the same as CSV, gzip and Parquet", async () => {
    const table = [
      "date,meterCategory,meterName,quantity,unitOfMeasure,resourceLocation,ResourceId,costInBillingCurrency,billingCurrency",
      ...[1, 2, 3].flatMap((day) =>
        ["Standard Gateway,24,1 Hour", `Standard Data Processed,${50 * day},1 GB`].map(
          (what) =>
            `11/0${day}/2026,NAT Gateway,${what},japaneast,/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/natGateways/ng-1,1.5,USD`,
        ),
      ),
    ].join("\n");
    const file = path("made.csv");
    writeFileSync(file, `${table}\n`);
    const database = await openDatabase();
    await database.run(
      `copy (select * from read_csv('${file}', dateformat = '%m/%d/%Y')) to '${path("made.parquet")}' (format parquet)`,
    );
    database.close();
    const forms = {
      "part.csv": table,
      "part.csv.gz": gzipSync(table),
      "part.parquet": readFileSync(path("made.parquet")),
    };
    for (const [name, text] of Object.entries(forms)) {
      const { advice, status } = await run({ [name]: text });
      expect(status, name).toBe(0);
      expect(advice, name).toMatchObject({ cloud: "azure", region: "japaneast" });
      expect(advice.traffic, name).toMatchObject({ hours: 72, total: { outBytes: 0, inBytes: 300e9 } });
      expect(advice.traffic.counters?.charged, name).toMatchObject({ amount: 9, currency: "USD" });
    }
  });
});
