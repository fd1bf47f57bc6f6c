/** Files in all conditions: formats, compression, damage, hostile content. Read by the real engine. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../cli/database.ts";
import {
  AWS_HEADER,
  awsLine,
  awsLog,
  azureLog,
  trafficIn,
  trafficOf,
  trafficsIn,
  withFiles,
} from "../../helpers/flow-logs.ts";

const T = 1_790_000_000;
const out = { source: "10.0.0.1", destination: "192.0.2.1", bytes: 1000, start: T, end: T + 30 };
const back = {
  source: "192.0.2.1",
  destination: "10.0.0.1",
  sourcePort: 443,
  destinationPort: 40_000,
  bytes: 5000,
  start: T,
  end: T + 30,
};
const log = awsLog([out, back]);
const whole = { outBytes: 1000, inBytes: 5000 };

describe("formats", () => {
  it.each([
    ["plain text", { "a.log": log }],
    ["gzip under any name", { "a.bin": gzipSync(log) }],
    ["several gzip members", { "a.gz": Buffer.concat([gzipSync(awsLog([out])), gzipSync(awsLog([back]))]) }],
    ["lines that end in CR LF", { "a.log": log.replaceAll("\n", "\r\n") }],
    ["no header, the default format", { "a.log": `${awsLine(out)}\n${awsLine(back)}\n` }],
    [
      "an export of CloudWatch Logs",
      { "a.log": `2026-09-21T14:13:20.000Z ${awsLine(out)}\n2026-09-21T14:13:21.000Z ${awsLine(back)}\n` },
    ],
    ["directories", { "2026/a.log": awsLog([out]), "2026/11/b.log.gz": gzipSync(awsLog([back])) }],
    ["no line break at the end", { "a.log": log.trimEnd() }],
    // https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
    [
      "aws logs filter-log-events",
      {
        "a.json": JSON.stringify(
          {
            events: [out, back].map((one) => ({
              logStreamName: "eni-1-all",
              message: awsLine(one),
              eventId: "1",
            })),
          },
          null,
          4,
        ),
      },
    ],
    // https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-firehose.html
    [
      "what Firehose delivers",
      { "a.gz": gzipSync([out, back].map((one) => JSON.stringify({ message: awsLine(one) })).join("")) },
    ],
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
    [
      "a subscription of CloudWatch Logs",
      {
        "a.json": JSON.stringify({
          ...{
            messageType: "DATA_MESSAGE",
            owner: "1",
            logEvents: [out, back].map((one) => ({ message: awsLine(one) })),
          },
        }),
      },
    ],
    [
      "a query of Logs Insights for messages",
      {
        "a.csv.log": `@timestamp,@message\r\n${[out, back].map((one) => `2026-09-21 14:13:20.000,"${awsLine(one)}"\r\n`).join("")}`,
      },
    ],
    [
      "a query of Logs Insights for fields",
      {
        "a.log": `@timestamp,interfaceId,srcAddr,dstAddr,srcPort,dstPort,protocol,packets,bytes,start,end,action,logStatus\n${[out, back].map((one) => `2026-09-21 14:13:20.000,${awsLine(one).split(" ").slice(2).join(",")}\n`).join("")}`,
      },
    ],
    [
      "a query of Athena",
      {
        "a.log": [AWS_HEADER.replaceAll("-", "_"), awsLine(out), awsLine(back)]
          .map(
            (line) =>
              `${line
                .split(" ")
                .map((cell) => `"${cell}"`)
                .join(",")}\n`,
          )
          .join(""),
      },
    ],
  ])("%s", async (_, files) => {
    const traffic = await trafficOf(files);
    expect(traffic.total).toMatchObject(whole);
    expect(traffic.logs.bad).toEqual([]);
  });

  it("Parquet, with the names that AWS gives its columns", async () => {
    await withFiles({}, async (directory) => {
      const database = await openDatabase();
      const rows = [out, back].map(
        (one) =>
          `(2, '123', 'eni-1', '${one.source}', '${one.destination}', ${"sourcePort" in one ? one.sourcePort : 40000}, ${"destinationPort" in one ? one.destinationPort : 443}, 6, 1, ${one.bytes}, ${one.start}, ${one.end}, 'ACCEPT', 'OK')`,
      );
      const names = AWS_HEADER.replaceAll("-", "_")
        .replaceAll(" ", ", ")
        .replace("start", '"start"')
        .replace("end", '"end"');
      await database.run(
        `copy (select * from (values ${rows.join(", ")}) as t(${names})) to '${directory}/a.parquet' (format parquet)`,
      );
      database.close();
      const traffic = await trafficIn(["a.parquet"], directory);
      expect(traffic.total).toMatchObject(whole);
      expect(traffic.flows).toMatchObject({ opened: 1 });
    });
  });

  it("fields named by hand, as in a flow log's settings", async () => {
    const traffic = await trafficOf(
      { "a.log": `192.0.2.1 10.0.0.1 5000 ${T} ${T + 30}\n10.0.0.1 192.0.2.1 1000 ${T} ${T + 30}\n` },
      {
        format: ["srcaddr", "dstaddr", "bytes", "start", "end"]
          .map((name) => ["$", "{", name, "}"].join(""))
          .join(" "),
      },
    );
    expect(traffic.total).toMatchObject(whole);
    expect(traffic.duplicateRecords).toBeNull();
  });

  it("counts the lines of messages that are no record", async () => {
    const events = [awsLine(out), "START RequestId", awsLine(back)].map((message) => ({ message }));
    const traffic = await trafficOf({ "a.json": JSON.stringify({ events }) });
    expect(traffic.total).toMatchObject(whole);
    expect(traffic.logs.bad).toMatchObject([
      { reason: "wrong number of fields", count: 1, examples: ["START RequestId"] },
    ]);
  });

  it("files of different formats together", async () => {
    const custom = `start end bytes srcaddr dstaddr\n${T} ${T + 30} 5000 192.0.2.1 10.0.0.1\n`;
    expect((await trafficOf({ "a.log": awsLog([out]), "b.log": custom })).total).toMatchObject(whole);
  });

  it("a header in the middle, as in concatenated files", async () => {
    const traffic = await trafficOf({ "a.log": awsLog([out]) + awsLog([back]) });
    expect(traffic.total).toMatchObject(whole);
    expect(traffic.logs).toMatchObject({ lines: 3, bad: [] });
  });
});

describe("unusable content", () => {
  const unusable: [string, string | Buffer, RegExp][] = [
    ["no header and no default format", "1 2 3\n", /no header.*--format/],
    ["no bytes in the header", "srcaddr dstaddr start end\n", /lacks bytes/],
    ["a field twice", "srcaddr dstaddr bytes start end bytes\n", /bytes twice/],
    ["zero bytes", "", /empty/],
    ["something binary", Buffer.from([0, 1, 2, 3, 10]), /expected text, gzip, Parquet/],
    [
      "invalid gzip",
      Buffer.from([0x1f, 0x8b, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]),
      /begins like a gzip file, but is not one/,
    ],
    ["truncated Parquet", Buffer.from("PAR1 and no footer"), /Parquet|parquet|magic/i],
  ];

  it("files, each reported, and the others are read", async () => {
    const bad = unusable.map(([name, content]) => [name, content] as const);
    const traffic = await trafficOf({ ...Object.fromEntries(bad), "good.log": log });
    const said = new Map(traffic.logs.unusable.map(({ file, reason }) => [file, reason]));
    expect([...said.keys()].sort()).toEqual(bad.map(([name]) => name).sort());
    for (const [name, , message] of unusable) {
      expect(said.get(name), name).toMatch(message);
    }
    expect(traffic.total).toMatchObject(whole);
  });

  it("no file at all, or no usable one", async () => {
    await expect(trafficOf({})).rejects.toThrow(/has none/);
    await expect(trafficOf({ "a.log": "" })).rejects.toThrow(
      /no file could be used:\n {2}a.log: the file is empty/,
    );
  });

  it("files of two clouds", async () => {
    await expect(trafficOf({ "a.log": log, "b.json": azureLog({ A: [] }) })).rejects.toThrow(
      /of AWS and of Azure/,
    );
  });

  it("lines, counted by reason and shown", async () => {
    const broken = [
      ["wrong number of fields", "2 123 eni-1"],
      ["wrong number of fields", `${awsLine(out)} more`],
      ["log-status is none of OK, NODATA, SKIPDATA", awsLine(out).replace(/OK$/, "FINE")],
      ["no address", awsLine({ ...out, destination: "-" })],
      ["bytes, packets or times are not whole numbers", awsLine(out).replace(" 1000 ", " many ")],
      ["port or protocol out of range", awsLine({ ...out, destinationPort: 70_000 })],
      ["ends before it starts", awsLine({ ...out, end: T - 1 })],
      ["longer than an hour", awsLine({ ...out, end: T + 86_400 })],
      ["more bytes than a record can hold", awsLine({ ...out, bytes: 1e15 })],
      ["time outside 2000 to 2100", awsLine({ ...out, start: 1, end: 2 })],
      ["empty line", "  "],
    ] as const;
    const traffic = await trafficOf({ "a.log": `${log}${broken.map(([, line]) => line).join("\n")}\n` });
    expect(traffic.total).toMatchObject(whole);
    const counts = Object.fromEntries(traffic.logs.bad.map(({ reason, count }) => [reason, count]));
    const expected = Map.groupBy(broken, ([reason]) => reason);
    expect(counts).toEqual(
      Object.fromEntries([...expected].map(([reason, lines]) => [reason, lines.length])),
    );
    expect(traffic.logs.bad.find(({ reason }) => reason === "ends before it starts")?.examples).toEqual([
      awsLine({ ...out, end: T - 1 }),
    ]);
  });

  it("lines that are no text, or endless", async () => {
    const noise = Buffer.concat([
      Buffer.from([0xff, 0xfe, 10]),
      Buffer.alloc(70_000, 120),
      Buffer.from("\n"),
    ]);
    const traffic = await trafficOf({
      "a.log": Buffer.concat([Buffer.from(awsLog([out])), noise, Buffer.from(`${awsLine(back)}\n`)]),
    });
    expect(traffic.total).toMatchObject(whole);
    expect(traffic.logs.bad).toMatchObject([{ count: 1 }, { count: 1 }]);
    expect(traffic.logs.bad.map(({ reason }) => reason).sort()).toEqual(["longer than 64 KB", "not UTF-8"]);
  });
});

describe("duplicates count once", () => {
  it("files", async () => {
    expect((await trafficOf({ "a.log": log, "copy/b.log": log })).total).toMatchObject(whole);
  });

  it("records, in files of other content", async () => {
    const traffic = await trafficOf({
      "a.log": log,
      "b.log.gz": gzipSync(awsLog([back, { ...out, start: T + 60, end: T + 90 }])),
    });
    expect(traffic.total).toMatchObject({ outBytes: 2000, inBytes: 5000 });
    expect(traffic.duplicateRecords).toBe(1);
  });

  it("records of files with and without the region in their names", async () => {
    const traffic = await trafficOf({
      "1_vpcflowlogs_eu-west-1_fl-1_20261101T0000Z_a.log.gz": gzipSync(log),
      "part.log": awsLog([back]),
    });
    expect(traffic).toMatchObject({ region: "eu-west-1", duplicateRecords: 1, total: whole });
  });

  it("Azure's tuples", async () => {
    const tuple = `${T * 1000},10.0.0.1,192.0.2.1,2000,443,6,O,E,NX,1,1000,2,3000`;
    const traffic = await trafficOf({
      "a.json": azureLog({ A: [tuple, tuple] }),
      "b.json": azureLog({ A: [tuple], B: [] }),
    });
    expect(traffic.total).toMatchObject({ outBytes: 1000, inBytes: 3000 });
    expect(traffic.duplicateRecords).toBe(2);
  });
});

describe("traffic without a NAT", () => {
  it("inside, link-local, multicast, rejected, IPv6 and connections from outside", async () => {
    const records = [
      { ...out, destination: "10.1.0.1", bytes: 1 },
      { ...out, destination: "169.254.169.254", bytes: 2 },
      { ...out, destination: "224.0.0.1", bytes: 4 },
      { ...out, action: "REJECT", bytes: 8 },
      { ...out, source: "fd00::1", destination: "2001:4860::1", bytes: 16 },
      { ...back, sourcePort: 50_000, destinationPort: 22, bytes: 32 },
      { ...out, destination: "none", bytes: 64 },
    ];
    const traffic = await trafficOf({ "a.log": awsLog(records) });
    expect(traffic.total).toMatchObject({ outBytes: 0, inBytes: 0 });
    expect(traffic.other).toEqual({
      insideBytes: 1,
      localBytes: 2 + 4,
      rejectedRecords: 1,
      ipv6Bytes: 16,
      inboundBytes: 32,
      invalidAddressRecords: 1,
      publicBytes: 0,
      bypassed: [],
      unseenBytes: 0,
    });
  });

  it("NAT64 counts as a NAT: the gateway turns 64:ff9b::/96 into IPv4", async () => {
    const records = [{ ...out, source: "2600:1f00::1", destination: "64:ff9b::192.0.2.1" }];
    expect((await trafficOf({ "a.log": awsLog(records) })).total.outBytes).toBe(1000);
  });
});

describe("NAT interfaces", () => {
  const inside = [
    { ...out, eni: "eni-nat", destination: "10.0.0.220" },
    { ...back, eni: "eni-nat", source: "10.0.0.220" },
    { ...out, eni: "eni-nat", source: "10.0.0.220" },
    { ...back, eni: "eni-nat", destination: "10.0.0.220" },
  ];

  it("is found by volumes in the default format, and traffic counts once", async () => {
    const traffic = await trafficOf({ "a.log": awsLog([out, back, ...inside]) });
    expect(traffic.nats).toEqual([{ name: "eni-nat", reason: "volumes" }]);
    expect(traffic.total).toMatchObject(whole);
  });

  it("is what --nat names, or none", async () => {
    const files = { "a.log": awsLog([out, back, ...inside]) };
    expect((await trafficOf(files, { nats: ["none"] })).total).toMatchObject({
      outBytes: 2000,
      inBytes: 10_000,
    });
    expect((await trafficOf(files, { nats: ["eni-1"] })).total).toMatchObject(whole);
    await expect(trafficOf(files, { nats: ["eni-9"] })).rejects.toThrow(
      /--nat: the log has no interface "eni-9"/,
    );
  });

  it("is found by direction in Azure's", async () => {
    const at = T * 1000;
    const traffic = await trafficOf({
      "a.json": azureLog({
        CLIENT: [`${at},10.0.1.4,192.0.2.1,2000,443,6,O,E,NX,1,1000,2,5000`],
        NAT: [
          `${at},10.0.1.4,192.0.2.1,2000,443,6,I,E,NX,1,1000,2,5000`,
          `${at},10.0.0.4,192.0.2.1,7000,443,6,O,E,NX,1,1000,2,5000`,
        ],
      }),
    });
    expect(traffic.nats).toEqual([{ name: "NAT", reason: "direction" }]);
    expect(traffic.total).toMatchObject(whole);
  });
});

describe("Azure's NAT gateways", () => {
  // https://learn.microsoft.com/azure/azure-monitor/reference/tables/natgatewayflowlogsv1
  const record = {
    SourceIP: "10.0.0.4",
    DestinationIP: "192.0.2.1",
    NatGatewayIP: "203.0.113.7",
    PacketsSent: 1,
  };
  const id = "/SUBSCRIPTIONS/S-1/RESOURCEGROUPS/G/PROVIDERS/MICROSOFT.NETWORK/NATGATEWAYS/NG-1";
  const both = { ...record, BytesSent: 1000, PacketsReceived: 2, BytesReceived: 5000 };
  const time = "2026-09-21T14:13:20Z";
  it.each([
    [
      "in a storage account",
      `${JSON.stringify({ time, resourceId: id, location: "West Europe", category: "NatGatewayFlowlogsV1", properties: both })}\n`,
    ],
    [
      "in an event hub, with a region",
      JSON.stringify({ records: [{ time, resourceId: id, location: "westeurope", properties: both }] }),
    ],
    [
      "as JSON of a query",
      JSON.stringify([{ TimeGenerated: time, _ResourceId: id, ...both, BytesReceived: "5000" }]),
    ],
    [
      "as CSV of the portal",
      `"TimeGenerated [UTC]",${Object.keys(both).join(",")},_ResourceId\n"9/21/2026, 2:13:20.000 PM",${Object.values(both).join(",")},${id}\n`,
    ],
  ])("%s", async (_, content) => {
    const traffic = await trafficOf({ "a.json": content });
    expect(traffic).toMatchObject({
      ...{ cloud: "azure", account: "s-1", from: "2026-09-21T14:12:20.000Z", to: "2026-09-21T14:13:20.000Z" },
      ...{ nats: [{ name: "nat-gateway ng-1", reason: "resource" }], total: whole, flows: null },
      region: content.includes("location") ? "westeurope" : null,
    });
  });

  it.each(["json", "csv"])(
    "%s: two million bytes of records need no more memory than the engine has",
    async (kind) => {
      const row = { TimeGenerated: time, _ResourceId: id, ...both };
      const [line, head] =
        kind === "json"
          ? [JSON.stringify(row), ""]
          : [Object.values(row).join(","), `${Object.keys(row).join(",")}\n`];
      const { total } = await trafficOf({ "a.log": head + `${line}\n`.repeat(10_000) });
      expect(total).toMatchObject({ outBytes: 10_000_000, inBytes: 50_000_000 });
    },
  );
});

describe("places", () => {
  const place = (account: string, region: string, vpc: string, bytes: number) =>
    `${account} ${region} ${vpc} eni-${account}-${region}-${vpc} 10.0.0.1 192.0.2.1 ${bytes} ${T} ${T + 30}\n`;
  const header = "account-id region vpc-id interface-id srcaddr dstaddr bytes start end\n";

  it("are apart: two regions, accounts and networks have traffic each", async () => {
    const log = [
      place("1", "us-east-1", "vpc-1", 1),
      place("1", "us-east-1", "vpc-2", 2),
      place("1", "sa-east-1", "vpc-3", 4),
      place("2", "sa-east-1", "vpc-4", 8),
    ];
    const traffics = await withFiles({ "a.log": header + log.join("") }, (directory) =>
      trafficsIn(["."], directory),
    );
    expect(
      traffics.map(({ account, region, network, total }) => [account, region, network, total.outBytes]),
    ).toEqual([
      ["1", "sa-east-1", "vpc-3", 4],
      ["1", "us-east-1", "vpc-1", 1],
      ["1", "us-east-1", "vpc-2", 2],
      ["2", "sa-east-1", "vpc-4", 8],
    ]);
  });

  it("that are not named belong to the only one that is", async () => {
    const traffic = await trafficOf({
      "a.log": header + place("1", "us-east-1", "vpc-1", 1),
      "b.log": header + place("-", "-", "-", 2),
    });
    expect(traffic).toMatchObject({ account: "1", network: "vpc-1", total: { outBytes: 3 } });
  });

  it("of Azure are subscription and network", async () => {
    const of = (network: string) =>
      azureLog({ [network]: [`${T * 1000},10.0.0.1,192.0.2.1,2000,443,6,O,E,NX,1,1000,2,5000`] }).replace(
        '"category"',
        `"flowLogResourceID":"/subscriptions/S/resourceGroups/NetworkWatcherRG/providers/Microsoft.Network/networkWatchers/NetworkWatcher_westeurope/flowLogs/f","targetResourceID":"/subscriptions/S/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/${network}","category"`,
      );
    const traffics = await withFiles({ "a.json": of("hub"), "b.json": of("spoke") }, (directory) =>
      trafficsIn(["."], directory),
    );
    expect(traffics).toMatchObject([
      { account: "s", region: "westeurope", network: "g/hub", total: whole },
      { account: "s", region: "westeurope", network: "g/spoke", total: whole },
    ]);
  });
});

describe("Azure's JSON", () => {
  it("is read with spaces, escapes and keys in values", async () => {
    const tuple = `${T * 1000},10.0.0.1,192.0.2.1,2000,443,6,O,E,NX,1,1000,2,5000`;
    const text = JSON.stringify(JSON.parse(azureLog({ 'A"\\': [tuple] })), null, 4).replace(
      '"r"',
      '"flowTuples\\": [\\"x\\""',
    );
    const traffic = await trafficOf({ "a.json": `\uFEFF${text}` });
    expect(traffic.total).toMatchObject(whole);
    expect(traffic.logs.bad).toEqual([]);
  });

  it("counts invalid tuples by reason", async () => {
    const traffic = await trafficOf({
      "a.json": azureLog({
        A: [
          "a,b",
          `${T}000,10.0.0.1,192.0.2.1,1,2,6,O,Z,NX,0,0,0,0`,
          `${T}000,10.0.0.1,192.0.2.1,1,2,6,O,E,NX,0,0,0,0`,
        ],
      }),
    });
    expect(traffic.logs.bad).toMatchObject(
      [{ count: 1, examples: ["a,b"] }, { reason: "flow state is none of B, C, E, D" }].sort(),
    );
  });
});

/** Numbers in notations that the engine would read as whole ones. */
describe("numbers that are not whole", () => {
  const notWhole = "bytes, packets or times are not whole numbers";
  const written = ["many", "12.5", "1e3", "1_000", "+1000", "0x10", "01000", "1000."];

  it("lines of AWS are counted by reason", async () => {
    const line = awsLine(out);
    const broken = [
      ...written.map((bytes) => line.replace(" 1000 ", ` ${bytes} `)),
      line.replace(` ${out.start} `, ` ${out.start}.5 `),
      line.replace(" 6 1 ", " 6 1e0 "),
    ];
    const port = line.replace(" 443 ", " 4.43e2 ");
    const traffic = await trafficOf({ "a.log": `${awsLog([out])}${[...broken, port].join("\n")}\n` });
    expect(traffic.total).toMatchObject({ outBytes: 1000 });
    expect(traffic.logs.bad).toMatchObject([
      { reason: notWhole, count: broken.length },
      { reason: "port or protocol out of range", count: 1 },
    ]);
  });

  it("tuples of Azure are counted by reason", async () => {
    const tuple = (bytes: string) =>
      `${out.start * 1000},10.0.0.1,192.0.2.1,2000,443,6,O,E,NX,1,${bytes},2,3000`;
    const traffic = await trafficOf({ "a.json": azureLog({ A: ["1000", ...written].map(tuple) }) });
    expect(traffic.total).toMatchObject({ outBytes: 1000, inBytes: 3000 });
    expect(traffic.logs.bad).toMatchObject([{ reason: notWhole, count: written.length }]);
  });
});
