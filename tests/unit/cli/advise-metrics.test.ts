/**
 * `npm run advise` with exported metrics, compared with plain arithmetic over each test's data. The forms follow
 * the clouds' documentation; the values are made up.
 *
 * get-metric-data: https://docs.aws.amazon.com/cli/latest/reference/cloudwatch/get-metric-data.html
 * get-metric-statistics: https://docs.aws.amazon.com/cli/latest/reference/cloudwatch/get-metric-statistics.html
 * az monitor metrics list: https://learn.microsoft.com/cli/azure/monitor/metrics
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { machineOf } from "../../../bench/machines/index.ts";
import { emptyRow } from "../../../packages/advise/src/usage/row.ts";
import { trafficsOf } from "../../../packages/advise/src/usage/table.ts";
import { at, gateways, minutes, runOver } from "../../helpers/advise-metrics.ts";
import { awsLog, minuteOfTraffic } from "../../helpers/flow-logs.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";
import { sentencesIn } from "../advise/hand-made.ts";

const path = directoryOfEachTest();
const run = (files: Parameters<typeof runOver>[1], ...args: string[]) => runOver(path(), files, ...args);

/** Output of `get-metric-data`: newest first, labels of gateway and metric. */
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

const [a, b] = gateways;

describe("CloudWatch's metrics", () => {
  const day = (gateway: string, other: readonly number[] = []) => ({
    // 1 MB out and 10 MB in each minute, and one minute of 4 GB in.
    [`${gateway} BytesOutToDestination`]: minutes(1440, () => 1e6),
    [`${gateway} BytesInFromDestination`]: minutes(1440, (m) => (m === 700 ? 4e9 : 10e6)),
    [`${gateway} ActiveConnectionCount`]: minutes(1440, (m) => (m === 30 ? 70_000 : 100)),
    [`${gateway} ErrorPortAllocation`]: other.length > 0 ? other : minutes(1440, () => 0),
  });

  it("of two gateways: volumes, the busiest minute, connections and a month, one gateway per zone", async () => {
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
    // Minutes are as fine as the peak, so its bounds are the figure itself.
    expect(sentencesIn(advice.recommendation).join(" ")).toContain(
      "It must carry the busiest minute, 1.07 Gbit/s both ways.",
    );
    // No port ran out: the ports per destination are not known, and no number is made up.
    expect(needs.connections).toBeNull();
    const gb = ((2 * (1440e6 + 1439 * 10e6 + 4e9)) / 1e9) * (730 / 24);
    expect(now.bill.knownCost).toBeCloseTo(2 * 730 * 0.05 + gb * 0.045, 1);
    expect(now.need.gateways).toBe(2);
    // Each machine is for one gateway's half.
    expect(traffic.byGateway.map(({ share }) => share)).toEqual([0.5, 0.5]);
    expect(needs.seen?.zoneShare).toBe(0.5);
    expect(advice.endpoints).toEqual([]);
    const page = readFileSync(path("out/advice.html"), "utf8");
    expect(page).toContain("Not known: metrics and bills name no destination");
    expect(page).not.toMatch(/log shows|The log|flow logs from/);
    expect(readFileSync(path("out/advice.md"), "utf8")).not.toContain(a);
  });

  it("takes a machine whose memory tracks all connections", async () => {
    const size = async (most: number) => {
      const { advice } = await run({
        "m.json": metricData({
          [`${a} BytesOutToDestination`]: minutes(60, () => 1e6),
          [`${a} BytesInFromDestination`]: minutes(60, () => 1e6),
          [`${a} ActiveConnectionCount`]: minutes(60, () => most),
        }),
      });
      return advice.options.find(({ id }) => id === "nat-instance")?.need.size;
    };
    // A t4g.nano has 0.5 GiB, and one connection takes 4 KiB of three quarters of it.
    expect([await size(98_304), await size(98_305), await size(196_609)]).toEqual([
      ...["t4g.nano", "t4g.micro", "t4g.small"],
    ]);
  });

  it("holds sizes to new connections and to packets", async () => {
    const of = async (more: Readonly<Record<string, number>>) => {
      const names = { BytesOutToDestination: 6e6, BytesInFromDestination: 6e6, ...more };
      const series = Object.entries(names).map(([name, each]) => [`${a} ${name}`, minutes(60, () => each)]);
      const { advice } = await run({ "m.json": metricData(Object.fromEntries(series)) });
      return Object.fromEntries(advice.options.map(({ id, need }) => [id, need]));
    };
    // 30,000 a second, twice of which take 12 vCPUs of 5,000.
    const connecting = await of({ ConnectionAttemptCount: 1.8e6 });
    expect(connecting["nat-instance"]?.size).toBe("c6g.4xlarge");
    // 12 million packets of 120 bytes a second: a gateway forwards 10 million.
    const packets = { PacketsOutToDestination: 360e6, PacketsInFromDestination: 360e6 };
    const small = await of({ BytesOutToDestination: 43.2e9, BytesInFromDestination: 43.2e9, ...packets });
    expect(small["nat-gateway"]).toMatchObject({ gateways: 2, addresses: 2 });
    // Twice 12 million packets take 192 vCPUs of 125,000.
    expect(machineOf(small["nat-instance"]?.size ?? "")?.vcpus).toBeGreaterThanOrEqual(192);
  });

  it("warns if connections found no port, and adds an address", async () => {
    const errors = minutes(1440, (m) => (m === 30 ? 12 : 0));
    const { advice } = await run({ "m.json": metricData(day(a, errors)) }, "--region", "us-east-1");
    expect(advice.warnings.join(" ")).toMatch(/12 times a connection got no port.*all 70,000 connections/);
    expect(advice.options.find(({ id }) => id === "nat-gateway")?.need.addresses).toBe(2);
  });

  it("uses the highest ten seconds as the peak that five minutes may hide, and says so", async () => {
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
    const said = sentencesIn(advice.recommendation).join(" ");
    expect(said).toContain(
      "It must carry the busiest ten seconds, 2.00 Gbit/s both ways (at least 400 Mbit/s, because points are no finer).",
    );
    const page = readFileSync(path("out/advice.md"), "utf8");
    expect(page).toContain("The busiest 5 minutes, at 2026-11-02 00:10 UTC");
    expect(page).toContain("| Both, busiest ten seconds | 2.00 Gbit/s | 400 Mbit/s | 2.00 Gbit/s |");
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

  it.each([
    ["with the statistic", "Statistic,Sum,Sum\n", 0],
    ["without it, with a warning", "", 1],
  ])("of the console's CSV, %s", async (_, more, warnings) => {
    const heading = `Full label,${a} BytesOutToDestination,${a} BytesInFromDestination\n${more}`;
    const rows = Array.from({ length: 50 }, (_, m) => `2026/11/02 00:${10 + m}:00,${1e6 + m},2e6`);
    const { advice } = await run({ "c.csv": `${heading}${rows.join("\n")}\n` });
    expect(advice.traffic).toMatchObject({
      ...{ from: "2026-11-02T00:10:00.000Z", hours: 5 / 6, nats: [{ name: a }] },
      total: { outBytes: 50e6 + 1225, inBytes: 100e6 },
    });
    expect(advice.warnings.filter((one) => one.includes("does not name its statistic"))).toHaveLength(
      warnings,
    );
  });

  it("warns if the two directions are of different times", async () => {
    const series = (name: string, first: number) => ({
      ...{ Id: "m1", Label: `${a} ${name}`, StatusCode: "Complete" },
      Timestamps: minutes(60, (m) => first + m).map(at),
      Values: minutes(60, () => 5),
    });
    const [out, back] = [series("BytesOutToDestination", 0), series("BytesInFromDestination", 30)];
    const { advice } = await run({ "1.json": JSON.stringify({ MetricDataResults: [out, back] }) });
    expect(advice.warnings.join(" ")).toMatch(/Only one direction is here/);
  });

  it("warns if one of two files' gateways has one direction alone", async () => {
    const of = (gateway: string, ...names: readonly string[]) =>
      metricData(Object.fromEntries(names.map((name) => [`${gateway} ${name}`, minutes(60, () => 5)])));
    const whole = of(a, "BytesOutToDestination", "BytesInFromDestination");
    const said = async (other: string) => {
      const { advice } = await run({ "1.json": whole, "2.json": other });
      return advice.warnings.some((one) => one.startsWith("Only one direction is here"));
    };
    expect([
      await said(of(b, "BytesOutToDestination")),
      await said(of(b, "BytesInFromDestination")),
      await said(of(b, "BytesOutToDestination", "BytesInFromDestination")),
    ]).toEqual([true, true, false]);
  });

  it("counts two gateways in one file that only their labels distinguish", async () => {
    const named = (name: string, bytes: number) => ({
      ...{ Id: `m${bytes}`, Label: `${name} BytesOutToDestination`, StatusCode: "Complete" },
      Timestamps: minutes(60, (m) => m).map(at),
      Values: minutes(60, () => bytes),
    });
    const text = JSON.stringify({ MetricDataResults: [named("prod-a", 5), named("prod-b", 7)] });
    const { advice } = await run({ "1.json": text });
    expect(advice.traffic.total.outBytes).toBe(60 * (5 + 7));
    expect(advice.traffic.nats).toHaveLength(2);
  });

  it("five months of minutes, which are more than a call has arguments", () => {
    const row = { ...emptyRow, gateway: a, statistic: "out", quantity: 1e6 } as const;
    const rows = Array.from({ length: 150 * 1440 }, (_, m) => ({
      ...row,
      from: 60_000 * m,
      to: 60_000 * (m + 1),
    }));
    const file = { cloud: "aws", source: "metrics", series: [rows], skipped: [] } as const;
    const traffics = trafficsOf([file], { files: 1, bytes: 0, unusable: [] });
    expect(traffics).toMatchObject([{ hours: 150 * 24, total: { outBytes: 150 * 1440 * 1e6 } }]);
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
    expect(advice.warnings.join(" ")).toMatch(/9 connections failed.*perhaps for lack of ports/);
    expect(advice.needs.connections).toBeNull();
  });

  it("without direction: counts as received, and says what is missing from the bills", async () => {
    const { advice } = await run({ "b.json": list(metric("ByteCount", [{ total: [5, null, 7] }])) });
    expect(advice.traffic.total).toMatchObject({ outBytes: 0, inBytes: 12 });
    expect(advice.traffic.hours).toBe(3 / 60);
    expect(advice.warnings.join(" ")).toMatch(/internet egress is in no cost: every way out pays the same/);
  });
});

describe("what is refused", () => {
  const sent = (...points: number[]) => metricData({ BytesOutToDestination: points });
  const statistic = (...points: object[]) =>
    JSON.stringify({ Label: "BytesOutToDestination", Datapoints: points });
  const noVolumes = metricData({ ActiveConnectionCount: [1, 2] });
  const maximum = statistic({ Timestamp: "2026-11-02T00:00:00Z", Maximum: 1 });
  const endless = sent(1, 7).replace(/\b7\b(?!.*\b7\b)/s, "1e999");
  const noCalendar = statistic({ Timestamp: 1e300, Sum: 1 }, { Timestamp: 1, Sum: 1 });
  const noGateway = "MeterCategory,MeterName,Quantity,Date\nBandwidth,x,1,2026-11-02\n";
  const value = /MetricDataResults\[0\]\.Values\[\d\]: /;
  it.each<readonly [string, string, RegExp]>([
    ["another JSON", '{"interval":1}', /expected what aws cloudwatch get-metric-data/],
    ["no volumes", noVolumes, /no volumes: expected BytesOutToDestination/],
    ["one point", sent(1), /one point, whose period/],
    ["a wrong statistic", maximum, /--statistics Sum/],
    ...["Kilobytes", "Megabytes", "Bytes/Second", "Gigabits"].map(
      (Unit) =>
        [
          `a unit of ${Unit}`,
          statistic({ Timestamp: 1.8e9, Sum: 1, Unit }),
          /is in another unit \("/,
        ] as const,
    ),
    ...["BytesOutToDestination per second", "BytesOutToDestination/s", "BytesOutToDestination (MB)"].map(
      (label) => [`a label ${label}`, metricData({ [label]: [1, 2] }), /is in another unit \("/] as const,
    ),
    [
      "an average of Azure alone",
      JSON.stringify({
        interval: "PT1M",
        value: [
          {
            name: { value: "ByteCount" },
            timeseries: [{ data: [{ timeStamp: "2026-11-02T00:00:00Z", average: 5 }] }],
          },
        ],
      }),
      /ByteCount has an average alone; ask with --aggregation Total/,
    ],
    ["half an answer", sent(1, 2).replace("Complete", "PartialData"), /is PartialData/],
    ["fewer bytes than none", sent(1, -1), value],
    ["more bytes than there can be", sent(1, 1e30), value],
    ["bytes without end", endless, /MetricDataResults\[0\]/],
    ["a time of no calendar", noCalendar, /Datapoints\[0\]\.Timestamp: expected a time from 2000 to 2100/],
    ["an interval of a million days", '{"interval":"P1000000D","value":[]}', /interval: expected PT1M/],
    ["a table that is no bill", "a,b\n1,2\n", /expected a Cost and Usage Report/],
    ["a bill without a gateway", noGateway, /no line of a NAT gateway/],
  ])("%s, with exit 1", async (_, content, message) => {
    const { status, stderr } = await run({ "f.json": content });
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
  });

  it("metrics together with a bill, and flow logs with either", async () => {
    const both = await run({
      "m.json": metricData({ BytesOutToDestination: [1, 2] }),
      "b.csv": "MeterCategory,MeterName,Quantity,Date\nNAT Gateway,Standard Data Processed,1,2026-11-02\n",
    });
    expect(both).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/two clouds, or metrics and a bill/),
    });
    const { status, stderr } = await run({
      "a.log": awsLog([minuteOfTraffic]),
      "m.json": metricData({ BytesOutToDestination: [1, 2] }),
    });
    expect(stderr).toMatch(/of one kind; a.log is a flow log, m.json metrics or a bill: give them apart/);
    expect(status).toBe(2);
  });
});
