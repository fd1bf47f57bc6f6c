/** `npm run advise`: files, messages, exit statuses. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { kindOf } from "../../../packages/advise/cli/file-kind.ts";
import { findFiles } from "../../../packages/advise/cli/files.ts";
import { aggregateColumns } from "../../../packages/advise/src/reduction/aggregates.ts";
import { priceSnapshots } from "../../../report/index.ts";
import { AWS_HEADER, awsLog, azureLog } from "../../helpers/flow-logs.ts";
import { ran } from "../../helpers/ran.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const log = awsLog([
  { source: "10.0.0.1", destination: "52.216.0.9", bytes: 4e9, start: 1_790_000_000, end: 1_790_000_060 },
  { source: "10.0.0.1", destination: "192.0.2.1", bytes: 6e9, start: 1_790_003_540, end: 1_790_003_600 },
]);
/** https://learn.microsoft.com/azure/network-watcher/nsg-flow-logs-overview#sample-log-records */
const nsgLog =
  '{"records":[{"time":"2026-11-13T12:00:35.3899262Z","category":"NetworkSecurityGroupFlowEvent","operationName":"NetworkSecurityGroupFlowEvents","properties":{"Version":2,"flows":[{"rule":"DefaultRule_AllowInternetOutBound","flows":[{"mac":"000D3AF87856","flowTuples":["1794571235,10.0.0.4,192.0.2.1,44931,443,T,O,A,E,25,4181,20,3000"]}]}]}}]}';

const at = directoryOfEachTest((made) => {
  mkdirSync(join(made, "stacks"));
  writeFileSync(join(made, "a.log"), log);
});

const run = (...args: string[]) => runUntil(new AbortController().signal, ...args);
const runUntil = (signal: AbortSignal, ...args: string[]) =>
  ran("advise", args, at(), { stackFiles: at("stacks"), signal });
const file = (name: string) => readFileSync(at(name), "utf8");

describe("npm run advise", () => {
  it("writes a page, Markdown without names, JSON, and a stack", async () => {
    const { status, stdout } = await run("a.log", "--write-stack", "mine");
    expect(status).toBe(0);
    expect(stdout).toContain(
      "NAT instance (t4g.nano), 392.56 USD a month instead of 750.20: saves 357.64 USD. Risk: one machine",
    );
    expect(stdout).toContain("Advice: out/advice.html, out/advice.md, out/advice.json");
    expect(file("out/advice.html")).toContain("192.0.2.1");
    expect(file("out/advice.md")).not.toContain("192.0.2.1");
    expect(file("out/advice.md")).toContain("address-1");
    expect(JSON.parse(file("out/advice.json"))).toMatchObject({
      schemaVersion: 5,
      traffic: { total: { outBytes: 1e10 } },
    });
    expect(file("stacks/Pulumi.mine.yaml")).toContain(
      "egress-bench:plan: .egress-bench/stacks/mine.plan.yaml",
    );
    expect(await run("a.log", "--write-stack", "mine")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(".egress-bench/stacks/Pulumi.mine.yaml exists already"),
    });
  });

  it.each([
    [["--mask"], ["advice.html", "advice.md", "advice.json"], false],
    [["--no-mask"], ["advice.html", "advice.md", "advice.json"], true],
  ])("%s applies to everything that it writes", async (options, names, named) => {
    await run("a.log", ...options);
    for (const name of names) {
      expect(file(`out/${name}`).includes("192.0.2.1")).toBe(named);
    }
  });

  it.each([
    [[], /expected files or directories, or .*; got none/],
    [["none.log"], /: none.log cannot be read: no such file or directory/],
    [["a.log", "--format", "srcaddr what"], /--format:.*"what" is not one/],
    [
      ["a.log", "--now", "firewall"],
      /--now: expected nat-gateway, nat-instance, nat-instance-ha, fck-nat for aws/,
    ],
    [["a.log", "--now", "magic"], /--now: expected/],
    [["a.log", "--ranges", "a.log"], /--ranges: a.log cannot be read as JSON/],
    [["a.log", "--write-stack", "../x"], /--write-stack: expected lower-case/],
    [["a.log", "--wat"], /--wat/],
    [["a.log", "--mask", "--no-mask"], /--mask and --no-mask exclude each other/],
    [
      ["a.log", "--region", "eastus"],
      /--region: expected a region of AWS, because the files are of AWS; got "eastus" of Azure/,
    ],
    [["a.log", "--nat-size", "Standard_B2ats_v2"], /--nat-size: expected a machine size of AWS/],
    [["a.log", "--region", "us-esat-1"], /--region: .*"us-esat-1"; did you mean us-east-1/],
    [["a.log", "--nat-size", "t4g.mico"], /--nat-size: .*; did you mean t4g.micro/],
    [
      ["--cloud", "aws", "--gb", "1", "--gateways", "0"],
      /--gateways: expected a whole number from 1 to 1000/,
    ],
    [["--cloud", "aws", "--gb", "1", "--gateways", "2.5"], /--gateways: expected a whole number/],
  ])("refuses %s", async (args, message) => {
    const { status, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
    expect(existsSync(at("out"))).toBe(false);
  });

  it("ends with 130 when it is interrupted, and has written nothing", async () => {
    const { status, stderr } = await runUntil(AbortSignal.abort(), "a.log");
    expect(stderr).toContain("egress-bench advise: interrupted; nothing was written");
    expect(status).toBe(130);
    expect(existsSync(at("out"))).toBe(false);
  });

  it("ends with 1 where a file could not be used, and names it in its output", async () => {
    writeFileSync(at("empty.log"), "");
    expect((await run("a.log", "empty.log", "--no-mask")).status).toBe(1);
    expect(file("out/advice.md")).toMatch(/empty\.log \| the file is empty/);
  });

  it.each([
    [
      "only broken lines",
      "a.log",
      `${AWS_HEADER}\n2 123 eni-1\n`,
      /got none in 1 file \(1 line\)\n.*wrong number of fields/,
    ],
    ["a header alone", "a.log", `${AWS_HEADER}\n`, /got none in 1 file \(0 lines\)/],
    ["Azure's JSON without a tuple", "a.json", azureLog({ A: [] }), /got none in 1 file \(0 lines\)/],
    [
      "records without an address",
      "a.log",
      "version srcaddr dstaddr bytes start end\n2 10.0.0.999 8.8.8.8 1 1763800000 1763800060\n",
      /no record could be used: all 1 have no valid address/,
    ],
    ["an Azure NSG flow log", "a.json", nsgLog, /a\.json: an Azure NSG flow log.*virtual network flow log/],
  ])("ends with 1, and writes nothing, for %s", async (_, name, content, message) => {
    rmSync(at("a.log"));
    writeFileSync(at(name), content);
    const { status, stderr } = await run(name);
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
    expect(existsSync(at("out"))).toBe(false);
  });

  it("ends with 1 if it cannot write, also if a file system denies that a path exists", async () => {
    expect((await run("a.log", "--out", "/proc/none/out")).status).toBe(1);
  });

  it("makes its files readable by their owner only, also an existing one", async () => {
    mkdirSync(at("out"));
    writeFileSync(at("out/advice.json"), "{}", { mode: 0o644 });
    expect((await run("a.log")).status).toBe(0);
    expect(statSync(at("out/advice.json")).mode & 0o777).toBe(0o600);
  });

  it("names a dangling link if it finds nothing else", async () => {
    mkdirSync(at("links"));
    symlinkSync(at("gone.log"), at("links/dead.log"));
    const { status, stderr } = await run("links");
    expect(stderr).toContain("links has none but broken links and special files: links/dead.log");
    expect(status).toBe(2);
  });

  it("names what it skipped", async () => {
    mkdirSync(at("logs"));
    writeFileSync(at("logs", "a.log"), log);
    symlinkSync("nowhere", at("logs", "lost.log"));
    const { status, stderr } = await run("logs");
    expect(stderr).toContain("1 skipped, not a readable file or directory, or a broken link: logs/lost.log");
    expect(status).toBe(0);
  });

  it("subtracts the list's most specific discount, and names the list", async () => {
    const own = {
      ...{ cloud: "aws", origin: "file", asOf: "2026-11-01", note: "Ours.", prices: [] },
      discounts: [
        { percent: 10, for: "EDP" },
        { meter: "nat-gateway-hour", percent: 50, for: "a deal" },
        { meter: "vm-hour", percent: 28, for: "1-year Compute Savings Plan" },
      ],
    };
    writeFileSync(at("mine.json"), JSON.stringify(own));
    await run("a.log", "--region", "us-east-1", "--prices", "mine.json");
    const { now, pricesFrom, options } = JSON.parse(file("out/advice.json"));
    const unit = (charges: { meter: string; cost: number; units: number }[], meter: string) => {
      const charge = charges.find((one) => one.meter.startsWith(meter));
      return (charge?.cost ?? 0) / (charge?.units ?? 1);
    };
    // List prices of us-east-1: 0.045 an hour and a GB, t4g.nano 0.0042.
    expect(unit(now.bill.charges, "nat-gateway-hour")).toBeCloseTo(0.0225, 9);
    expect(unit(now.bill.charges, "nat-gateway-gb")).toBeCloseTo(0.0405, 9);
    const instance = options.find((one: { id: string }) => one.id === "nat-instance");
    const listed = priceSnapshots.aws.prices.find(({ meter }) => meter === `vm-hour:${instance.need.size}`);
    expect(unit(instance.bill.charges, "vm-hour")).toBeCloseTo((listed?.tiers[0]?.price ?? 0) * 0.72, 9);
    expect(pricesFrom).toContain(
      "your own list of 2026-11-01, with its gaps filled from the shipped snapshot, less 10 % of all (EDP)",
    );
    expect(file("out/advice.md")).not.toContain("List prices");
  });
});

describe("what files are", () => {
  const fixtures = fileURLToPath(new URL("../../fixtures/advise/", import.meta.url));
  const told = async (...names: string[]) => kindOf((await findFiles(names, at())).files);

  it("is told by their content", async () => {
    const aggregates = [...aggregateColumns.texts, ...aggregateColumns.numbers, ...aggregateColumns.places];
    writeFileSync(at("b.json"), azureLog({}));
    writeFileSync(at("c.csv"), `${aggregates.join(",")}\n`);
    writeFileSync(at("d.csv"), "start,end,srcaddr,dstaddr,bytes\n");
    writeFileSync(at("log.parquet"), `PAR1${"-".repeat(1e5)}start_time src_addr`);
    for (const name of ["a.log", "b.json", "d.csv", "log.parquet", "."]) {
      expect(await told(name), name).toBe("flow logs");
    }
    expect(await told("c.csv", "d.csv")).toBe("aggregates");
    writeFileSync(at("bill.parquet"), `PAR1${"-".repeat(1e5)}line_item_usage_type`);
    const bills = readdirSync(fixtures).map((name) => join(fixtures, name));
    expect(bills.length).toBeGreaterThan(8);
    for (const name of [...bills, "bill.parquet"]) {
      expect(await told(name), name).toBe("usage");
    }
    await expect(told("a.log", "bill.parquet")).rejects.toThrow(
      /of one kind; a.log is a flow log, bill.parquet metrics or a bill: give them apart/,
    );
  });

  it("is told for a directory of bills too", async () => {
    mkdirSync(at("bills"));
    copyFileSync(join(fixtures, "bill-one-month.csv"), at("bills", "a.csv"));
    const read = { stdout: expect.stringMatching(/^AWS: take /) };
    expect(await run("bills")).toMatchObject({ status: 0, ...read });
    // As AWS delivers them, and Athena.
    writeFileSync(at("bills", "cur-Manifest.json"), '{"assemblyId":"1","columns":[]}');
    writeFileSync(at("bills", "a.csv.metadata"), "\n\0");
    expect(await run("bills")).toMatchObject({ status: 1, ...read });
  });
});
