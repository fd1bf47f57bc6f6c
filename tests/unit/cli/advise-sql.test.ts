/** `npm run advise -- --sql`: printed SQL, and aggregates read back. The SQL's results: tests/engine. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { awsLog, minuteOfTraffic } from "../../helpers/flow-logs.ts";
import { ran } from "../../helpers/ran.ts";
import { reduceByDuckDb } from "../../helpers/reduction.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const at = directoryOfEachTest();

const run = (...args: string[]) => ran("advise", args, at());
const write = (name: string, text: string) => writeFileSync(at(name), text);
const week = ["--from", "2026-10-30", "--to", "2026-11-02"];
const athena = (...more: string[]) => run("--sql", "athena", ...week, ...more);
const listing = [
  "2026-10-29 10:00:00    1000000 AWSLogs/1/vpcflowlogs/us-east-1/2026/10/29/a.log.gz",
  "2026-10-30 10:00:00 4000000000 AWSLogs/1/vpcflowlogs/us-east-1/2026/10/30/a.log.gz",
  "2026-11-02 10:00:00 2000000000 AWSLogs/1/vpcflowlogs/us-east-1/2026/11/02/b b.log.gz",
  "2026-11-03 10:00:00    9000000 AWSLogs/1/vpcflowlogs/us-east-1/2026/11/03/a.log.gz",
].join("\n");

describe("--sql", () => {
  it("shows scanned bytes and cost first, and reads these days' logs once", async () => {
    write("listing.txt", listing);
    const { status, stdout } = await athena("--table", "logs.flow", "--listing", "listing.txt");
    expect(status).toBe(0);
    expect(stdout).toContain("-- Bytes to scan: 6.000 GB in 2 objects, 0.03 USD at 5 USD a TB.");
    expect(
      stdout.match(/from logs\.flow where "date" between date '2026-10-30' and date '2026-11-02'/g),
    ).toHaveLength(1);
    expect(stdout.match(/logs\.flow where/g)).toHaveLength(1);
    expect(stdout.match(/;\n/g)).toHaveLength(7);
  });

  it.each([
    ["day", "\"day\" between '2026/10/30' and '2026/11/02'"],
    ["year-month-day", "\"month\" = '10' and \"day\" between '30' and '31'"],
    ["year-month-day", "\"month\" = '11' and \"day\" between '01' and '02'"],
    ["none", "from vpc_flow_logs where true"],
  ])("prunes partitions by %s", async (partition, sql) => {
    const { stdout } = await athena("--partition", partition);
    expect(stdout).toContain(sql);
  });

  it("counts all objects if the table has no partitions", async () => {
    write("listing.txt", listing);
    const { stdout } = await athena("--partition", "none", "--listing", "listing.txt");
    expect(stdout).toContain("6.010 GB in 4 objects");
  });

  it.each([
    ["under a dated prefix", "backup/2025/01/02/AWSLogs/1/vpcflowlogs/us-east-1/2026/10/30/a.log.gz"],
    [
      "by Hive's names",
      "AWSLogs/aws-account-id=1/aws-service=vpcflowlogs/aws-region=us-east-1/year=2026/month=10/day=30/hour=05/a.parquet",
    ],
    ["of a table of one's own", "compacted/2026/10/30/05/part-0.parquet"],
  ])("counts the flow logs of a bucket %s, and no other service's objects", async (_, key) => {
    const others = [
      "AWSLogs/1/CloudTrail/us-east-1/2026/10/30/trail.json.gz",
      "AWSLogs/1/elasticloadbalancing/us-east-1/2026/10/30/load.log.gz",
      "AWSLogs/1/vpcdnsquerylogs/vpc-1/2026/10/30/dns.log.gz",
      key.replace(/30(?=\/(hour|05|a))/, "29"),
    ];
    const lines = [key, ...others].map((one, at) => `2026-10-30 10:00:00 ${at === 0 ? 4e9 : 7e9} ${one}`);
    write("listing.txt", lines.join("\n"));
    const { stdout } = await athena("--listing", "listing.txt");
    expect(stdout).toContain("-- Bytes to scan: 4.000 GB in 1 object");
  });

  it("refuses a listing without flow logs", async () => {
    write("listing.txt", "2026-10-30 10:00:00 7 AWSLogs/1/CloudTrail/us-east-1/2026/10/30/trail.json.gz");
    const { status, stderr } = await athena("--listing", "listing.txt");
    expect(status).toBe(2);
    expect(stderr).toContain(
      "--listing: expected the output of aws s3 ls --recursive, with flow logs by day",
    );
  });

  it("writes Spark's rows to the given directory, and leaves out fields that the table lacks", async () => {
    const format = "interface_id srcaddr dstaddr srcport dstport protocol packets bytes start end";
    const more = ["s3://b/aggregates", "--format", format];
    const { stdout } = await run("--sql", "spark", ...week, ...more);
    expect(stdout).toContain("insert overwrite directory 's3://b/aggregates' using csv");
    expect(stdout).toContain("`date` between date");
    expect(stdout).not.toContain("`az_id`");
  });

  it.each([
    [["--sql", "trino"], /--sql: expected athena or spark; got "trino"/],
    [["--sql", "athena"], /--from: expected a day such as 2026-11-01; got none/],
    [["--sql", "athena", "--from", "2026-02-30", "--to", "2026-03-01"], /--from: .*"2026-02-30"/],
    [
      ["--sql", "athena", "--from", "2026-11-02", "--to", "2026-11-01"],
      /--to: expected a day not before --from/,
    ],
    [["--sql", "athena", ...week, "--table", "a; drop table b"], /--table: expected a name/],
    [["--sql", "athena", ...week, "--partition", "hour"], /--partition: expected date or day/],
    [["--sql", "athena", ...week, "a.log"], /--sql prints a reduction and reads no files/],
    [["--sql", "spark", ...week, "a' b"], /expected a directory such as s3/],
    [
      ["--sql", "athena", ...week, "--format", "srcaddr dstaddr bytes start end"],
      /--format: the table lacks interface-id/,
    ],
    [["--sql", "athena", ...week, "--listing", "none.txt"], /--listing: none.txt cannot be read/],
  ])("refuses %s", async (args, message) => {
    const { status, stderr, stdout } = await run(...args);
    expect(stderr).toMatch(message);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  it("quotes the names of NATs", async () => {
    const { stdout } = await athena("--nat", "eni-'x");
    expect(stdout).toContain("iface in ('eni-''x')");
  });
});

describe("aggregates", () => {
  it("gives the same advice as the logs, and names other files", async () => {
    const log = awsLog([minuteOfTraffic]);
    write("a.log", log);
    mkdirSync(at("csv"));
    write("csv/a.csv", await reduceByDuckDb(log));
    const direct = await run("a.log", "--out", "direct");
    const { status, stdout } = await run("csv/a.csv");
    expect(status).toBe(0);
    expect(stdout.replaceAll("out/", "direct/")).toBe(direct.stdout);
    write("csv/other.csv", "a,b\n1,2\n");
    const both = await run("csv");
    expect(both.status).toBe(1);
    expect(JSON.parse(readFileSync(at("out/advice.json"), "utf8"))).toMatchObject({
      traffic: {
        logs: {
          unusable: [
            { file: "csv/other.csv", reason: expect.stringMatching(/^expected a CSV file whose first line/) },
          ],
        },
      },
    });
  });

  it("reads Athena's quotes, and several files of one reduction", async () => {
    const csv = await reduceByDuckDb(awsLog([minuteOfTraffic]));
    const [head = "", ...rows] = csv.trimEnd().split("\n");
    const quoted = (row: string) =>
      row
        .split(",")
        .map((cell) => (cell === "" ? "" : `"${cell}"`))
        .join(",");
    const half = Math.floor(rows.length / 2);
    write("1.csv", [head, ...rows.slice(0, half)].map(quoted).join("\n"));
    write("2.csv", [head, ...rows.slice(half)].map(quoted).join("\n"));
    const { status, stdout } = await run(".", "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ traffic: { total: { outBytes: 4e9 }, logs: { lines: 1 } } });
  });

  it("names the place of a missing, damaged, cut or duplicate part file", async () => {
    const csv = await reduceByDuckDb(awsLog([minuteOfTraffic]));
    const [head = "", ...rows] = csv.trimEnd().split("\n");
    const part = (number: number) => `aggregates/part-0000${number}-5f3c-c000.csv`;
    const cuts = [0, 5, 9, rows.length];
    const text = (number: number) =>
      [head, ...rows.slice(cuts[number], cuts[number + 1])].map((row) => `${row}\n`).join("");
    mkdirSync(at("aggregates"));
    const spoilt = async (number: number, content: string | null, name = part(number)) => {
      for (const each of [0, 1, 2]) write(part(each), text(each));
      if (content === null) rmSync(at(name));
      else write(name, content);
      const { status, stderr } = await run("aggregates");
      expect(status).toBe(1);
      rmSync(at(name), { force: true });
      return stderr.replaceAll("aggregates/", "");
    };
    const all = rows.length;
    const others = "copy all files of the reduction, and those alone";
    expect(await spoilt(1, null)).toContain(
      `expected the files of one reduction; rows 6 to 9 of ${all} are missing, before part-00002-5f3c-c000.csv: ${others}`,
    );
    expect(await spoilt(0, null)).toContain(
      `rows 1 to 5 of ${all} are missing, before part-00001-5f3c-c000.csv`,
    );
    expect(await spoilt(2, null)).toContain(
      `rows 10 to ${all} of ${all} are missing, after part-00001-5f3c-c000.csv`,
    );
    expect(await spoilt(1, "part\n")).toMatch(
      /rows 6 to 9 .*\n {2}part-00001-5f3c-c000.csv: expected a CSV file/,
    );
    expect(await spoilt(2, text(2).replace(/.*\n$/, ""))).toContain(
      `rows ${all} to ${all} of ${all} are missing, after part-00002`,
    );
    expect(await spoilt(1, text(1).replace(/.*\n$/, ""), "aggregates/again.csv")).toContain(
      `row 6 of ${all} is in again.csv and in part-00001-5f3c-c000.csv: ${others}`,
    );
    const other = text(1).replaceAll(`,${all}\n`, `,${all + 1}\n`);
    expect(await spoilt(1, other)).toContain(
      `expected the files of one reduction; part-00000-5f3c-c000.csv says that it has ${all} rows, part-00001-5f3c-c000.csv says ${all + 1}`,
    );
  });

  it("refuses two reductions, a missing NAT, and another version", async () => {
    const one = await reduceByDuckDb(awsLog([minuteOfTraffic]));
    const two = await reduceByDuckDb(awsLog([{ ...minuteOfTraffic, bytes: 1 }]));
    const named = await reduceByDuckDb(awsLog([minuteOfTraffic]), ["eni-9"]);
    write("1.csv", one);
    write("2.csv", two);
    expect(await run("1.csv", "2.csv")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("expected the files of one reduction"),
    });
    write("named.csv", named);
    expect(await run("named.csv")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--nat: the log has no interface "eni-9"'),
    });
    write("new.csv", one.replace(/^version,,,,,,,,6,/m, "version,,,,,,,,7,"));
    expect(await run("new.csv")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("expected aggregates of version 6; got 7"),
    });
  });
});
