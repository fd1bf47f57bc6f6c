/**
 * `npm run advise -- --metrics`: exported metrics and bills, against plain arithmetic over what each test makes. Shapes are those
 * of the clouds' documentation; the values are made up.
 *
 * get-metric-data: https://docs.aws.amazon.com/cli/latest/reference/cloudwatch/get-metric-data.html
 * get-metric-statistics: https://docs.aws.amazon.com/cli/latest/reference/cloudwatch/get-metric-statistics.html
 * az monitor metrics list: https://learn.microsoft.com/cli/azure/monitor/metrics
 * Cost and Usage Report: https://docs.aws.amazon.com/cur/latest/userguide/Lineitem-columns.html
 * Azure's export: https://learn.microsoft.com/azure/cost-management-billing/dataset-schema/cost-usage-details-ea
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Advice } from "../../../advise/advice.ts";
import { adviseCommand } from "../../../cli/advise/command.ts";
import { openDatabase } from "../../../cli/advise/database.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "egress-bench-metrics-test-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const START = Date.UTC(2026, 10, 2);
const at = (minute: number) => new Date(START + minute * 60_000).toISOString();

async function run(files: Readonly<Record<string, string | Buffer>>, ...args: string[]) {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(directory, name), content);
  }
  const said = { stdout: "", stderr: "" };
  const status = await adviseCommand(["--metrics", ...Object.keys(files), "--json", ...args], {
    stdout: { write: (text) => (said.stdout += text) },
    stderr: { write: (text) => (said.stderr += text) },
    directory,
    stackFiles: directory,
    signal: new AbortController().signal,
    now: new Date("2026-11-22T00:00:00Z"),
  });
  return {
    ...said,
    status,
    advice: (status === 2 || said.stdout === "" ? null : JSON.parse(said.stdout)) as Advice,
  };
}

/** What `get-metric-data` prints: newest first, labels of gateway and metric. */
function metricData(series: Readonly<Record<string, readonly number[]>>): string {
  return JSON.stringify({
    MetricDataResults: Object.entries(series).map(([Label, values], index) => ({
      Id: `m${index}`,
      Label,
      Timestamps: values.map((_, minute) => at(minute).replace(".000Z", "+00:00")).reverse(),
      Values: values.toReversed(),
      StatusCode: "Complete",
    })),
    Messages: [],
  });
}

const minutes = (count: number, value: (minute: number) => number) =>
  Array.from({ length: count }, (_, m) => value(m));
const a = "nat-0a1b2c3d4e5f60718";
const b = "nat-0ffffffff00000000";

describe("CloudWatch's metrics", () => {
  const day = (gateway: string, other: readonly number[] = []) => ({
    // 1 MB out and 10 MB in each minute, and one minute of 4 GB in.
    [`${gateway} BytesOutToDestination`]: minutes(1440, () => 1e6),
    [`${gateway} BytesInFromDestination`]: minutes(1440, (m) => (m === 700 ? 4e9 : 10e6)),
    [`${gateway} ActiveConnectionCount`]: minutes(1440, (m) => (m === 30 ? 70_000 : 100)),
    [`${gateway} ErrorPortAllocation`]: other.length > 0 ? other : minutes(1440, () => 0),
  });

  it("of two gateways: volumes, the busiest minute, connections and a month, one gateway a zone", async () => {
    const { status, advice } = await run(
      { "m.json": metricData({ ...day(a), ...day(b) }) },
      "--region",
      "us-east-1",
    );
    expect(status).toBe(0);
    const { traffic, month, now, needs } = advice;
    expect(traffic).toMatchObject({
      source: "metrics",
      total: { outBytes: 2 * 1440 * 1e6, inBytes: 2 * (1439 * 10e6 + 4e9) },
      hours: 24,
      nats: [{ name: a }, { name: b }],
      flows: null,
      counters: { connections: 140_000, portErrors: 0, directions: "both" },
    });
    expect(month.all.gbOut).toBeCloseTo((2.88 * 730) / 24, 6);
    expect(traffic.peak!.both.estimate).toBeCloseTo((2 * 4.001e9 * 8) / 60, 0);
    expect(traffic.peak!.both.most).toBeCloseTo((2 * 4.001e9 * 8) / 60, 0);
    // No port ran out: how many a destination needs is not known, and no number is made up.
    expect(needs.connections).toBeNull();
    const gb = ((2 * (1440e6 + 1439 * 10e6 + 4e9)) / 1e9) * (730 / 24);
    expect(now.bill.knownUsd).toBeCloseTo(2 * 730 * 0.05 + gb * 0.045, 1);
    expect(now.need.gateways).toBe(2);
    expect(advice.endpoints).toEqual([]);
    expect(advice.notes.join(" ")).toMatch(/no destination. They cannot tell which traffic a free endpoint/);
    const page = readFileSync(join(directory, "out/advice.html"), "utf8");
    expect(page).toContain("Not known: metrics and bills name no destination");
    expect(page).not.toMatch(/log shows|The log|flow logs from/);
    expect(readFileSync(join(directory, "out/advice.md"), "utf8")).not.toContain(a);
  });

  it("warns where connections found no port, and takes an address more", async () => {
    const errors = minutes(1440, (m) => (m === 30 ? 12 : 0));
    const { advice } = await run({ "m.json": metricData(day(a, errors)) }, "--region", "us-east-1");
    expect(advice.warnings.join(" ")).toMatch(/12 times a connection got no port.*all 70,000 connections/);
    expect(advice.options.find(({ id }) => id === "nat-gateway")?.need.addresses).toBe(2);
  });

  it("takes the highest ten seconds as what five minutes may hide, and says so", async () => {
    const of = (Label: string, key: string, value: (n: number) => number) =>
      JSON.stringify({
        Label,
        Datapoints: [3, 0, 2, 1].map((n) => ({ Timestamp: at(5 * n), [key]: value(n), Unit: "Bytes" })),
      });
    const { advice } = await run({
      "out.json": of("BytesOutToDestination", "Sum", () => 3e9),
      "in.json": of("BytesInFromDestination", "Sum", (n) => (n === 2 ? 12e9 : 6e9)),
      "peak.json": of("PeakBytesPerSecond", "Maximum", (n) => (n === 1 ? 250e6 : 60e6)),
    });
    const { peak, total, hours, intervalSeconds } = advice.traffic;
    expect(total).toMatchObject({ outBytes: 12e9, inBytes: 30e9 });
    expect({ hours, intervalSeconds }).toEqual({ hours: 1 / 3, intervalSeconds: 300 });
    expect(peak!.both).toEqual({ least: (15e9 * 8) / 300, estimate: 2e9, most: 2e9 });
    expect(advice.regionFrom).toBe("assumed");
  });

  it("counts overlapping exports once, and unnamed ones that differ as two gateways", async () => {
    const of = (from: number, to: number, bytes: number) =>
      JSON.stringify({
        MetricDataResults: [
          {
            ...{ Id: "bytesOutToDestination", Label: "sent", StatusCode: "Complete" },
            Timestamps: minutes(to - from, (m) => m).map((m) => at(from + m)),
            Values: minutes(to - from, () => bytes),
          },
        ],
      });
    const { advice } = await run({ "1.json": of(0, 60, 5), "2.json": of(30, 90, 5), "3.json": of(0, 90, 7) });
    expect(advice.traffic.total.outBytes).toBe(90 * 5 + 90 * 7);
    expect(advice.traffic.nats).toHaveLength(2);
    expect(advice.warnings.join(" ")).toMatch(/Only one direction is here/);
  });

  it("a day without points is unknown, not zero", async () => {
    const values = minutes(3 * 1440, () => 1e6);
    const document = JSON.parse(
      metricData({ BytesOutToDestination: values, BytesInFromDestination: values }),
    );
    for (const result of document.MetricDataResults) {
      const keep = (_: unknown, index: number) => index < 1440 || index >= 2880;
      result.Timestamps = result.Timestamps.filter(keep);
      result.Values = result.Values.filter(keep);
    }
    const { advice } = await run({ "m.json": JSON.stringify(document) });
    expect(advice.traffic.hours).toBe(48);
    expect(advice.warnings.join(" ")).toMatch(/no point for 24.0 of 72.0 hours/);
    expect(advice.month.all.gbOut).toBeCloseTo(1.44 * (730 / 24), 6);
  });
});

describe("Azure Monitor's metrics", () => {
  const metric = (
    name: string,
    series: readonly { key?: string; of?: string; total: readonly (number | null)[] }[],
  ) => ({
    id: `/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/natGateways/ng-1/providers/Microsoft.Insights/metrics/${name}`,
    name: { localizedValue: name, value: name },
    type: "Microsoft.Insights/metrics",
    timeseries: series.map(({ key, of, total }) => ({
      metadatavalues: key === undefined ? [] : [{ name: { value: key }, value: of }],
      data: total.map((value, n) => ({ timeStamp: at(n), ...(value === null ? {} : { total: value }) })),
    })),
  });
  const list = (...value: object[]) =>
    JSON.stringify({
      cost: 59,
      interval: "0:01:00",
      namespace: "Microsoft.Network/natGateways",
      resourceregion: "westeurope",
      value,
    });

  it("by direction: volumes, packets, connections, region and gateway", async () => {
    const hour = (value: number) => minutes(60, () => value);
    const { advice } = await run({
      "bytes.json": list(
        metric("ByteCount", [
          { key: "direction", of: "Out", total: hour(2e6) },
          { key: "direction", of: "In", total: hour(30e6) },
        ]),
        metric("PacketCount", [{ key: "Direction", of: "Out", total: hour(1000) }]),
      ),
      "connections.json": list(
        metric("SNATConnectionCount", [
          { key: "ConnectionState", of: "Attempted", total: hour(600) },
          { key: "ConnectionState", of: "Failed", total: minutes(60, (m) => (m === 5 ? 9 : 0)) },
        ]),
        metric("TotalConnectionCount", [{ total: hour(1234) }]),
        metric("DatapathAvailability", [{ total: hour(100) }]),
      ),
    });
    expect(advice).toMatchObject({ cloud: "azure", region: "westeurope", regionFrom: "log" });
    expect(advice.traffic).toMatchObject({
      total: { outBytes: 120e6, inBytes: 1800e6, outPackets: 60_000 },
      nats: [{ name: "ng-1" }],
      counters: {
        connections: 1234,
        newConnectionsPerSecond: 10,
        portErrors: 9,
        skipped: ["DatapathAvailability"],
      },
    });
    expect(advice.warnings.join(" ")).toMatch(/9 connections failed.*may be for want of ports/);
    expect(advice.needs.connections).toBeNull();
  });

  it("without direction: counts as received, and says what the bills lack", async () => {
    const { advice } = await run({ "b.json": list(metric("ByteCount", [{ total: [5, null, 7] }])) });
    expect(advice.traffic.total).toMatchObject({ outBytes: 0, inBytes: 12 });
    expect(advice.traffic.hours).toBe(3 / 60);
    expect(advice.warnings.join(" ")).toMatch(/without internet egress, which every way out pays alike/);
  });
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

  it("AWS's report, in two CSV files, one of them gzip: NAT lines alone, scaled from 48 to 730 hours", async () => {
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
    expect(traffic.counters!.charged!.amount).toBeCloseTo(2 * 48 * (0.048 + 0.096 + 0.045), 6);
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
    const file = join(directory, "made.csv");
    writeFileSync(file, csv(lines).replace(header, names.join(",")));
    await database.run(
      `copy (select * from read_csv('${file}')) to '${join(directory, "cur.parquet")}' (format parquet)`,
    );
    database.close();
    const { advice } = await run({ "cur.parquet": readFileSync(join(directory, "cur.parquet")) });
    expect(advice.traffic.total.outBytes + advice.traffic.total.inBytes).toBeCloseTo(
      2 * (47 * 2 + 90) * 1e9,
      0,
    );
    expect(advice).toMatchObject({ cloud: "aws", region: "eu-west-1" });
  });

  it("Azure's export: by the day, without directions", async () => {
    const row = (day: string, category: string, meter: string, quantity: number, unit: string) =>
      `${day},${category},${meter},${quantity},${unit},westeurope,/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/natGateways/ng-1,${quantity * 0.045},EUR`;
    const days = ["11/02/2026", "11/03/2026"].flatMap((day, index) => [
      row(day, "NAT Gateway", "Standard Gateway", 24, "1 Hour"),
      row(day, "NAT Gateway", "Standard Data Processed", 100 + 50 * index, "1 GB"),
      row(day, "NAT Gateway", "Standard Data Processed", 3, "100 GB"),
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
      "2 lines of NAT gateways in a unit or time that is not known",
    ]);
  });
});

describe("what is refused", () => {
  it.each([
    ["another JSON", "{}", /expected what aws cloudwatch get-metric-data/],
    [
      "no volumes",
      metricData({ ActiveConnectionCount: [1, 2] }),
      /no volumes: expected BytesOutToDestination/,
    ],
    ["one point", metricData({ BytesOutToDestination: [1] }), /one point, whose period/],
    [
      "a wrong statistic",
      '{"Label":"BytesOutToDestination","Datapoints":[{"Timestamp":"2026-11-02T00:00:00Z","Maximum":1}]}',
      /--statistics Sum/,
    ],
    [
      "half an answer",
      metricData({ BytesOutToDestination: [1, 2] }).replace("Complete", "PartialData"),
      /is PartialData/,
    ],
    ["a table that is no bill", "a,b\n1,2\n", /expected a Cost and Usage Report/],
    [
      "a bill without a gateway",
      "MeterCategory,MeterName,Quantity,Date\nBandwidth,x,1,2026-11-02\n",
      /no line of a NAT gateway/,
    ],
  ])("%s, with exit 1", async (_, content, message) => {
    const { status, stderr } = await run({ "f.json": content });
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
  });

  it("metrics and a bill at once, and flow logs beside either", async () => {
    const both = await run({
      "m.json": metricData({ BytesOutToDestination: [1, 2] }),
      "b.csv": "MeterCategory,MeterName,Quantity,Date\nNAT Gateway,Standard Data Processed,1,2026-11-02\n",
    });
    expect(both).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/two clouds, or metrics and a bill/),
    });
    const { status, stderr } = await run({ "x.json": "{}" }, "--flow-logs", "y");
    expect(stderr).toMatch(/--flow-logs or --metrics.*got both/);
    expect(status).toBe(2);
  });
});
