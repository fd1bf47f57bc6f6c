/**
 * Files as the clouds write them: the fields of each version, truncated files, and reading progress. Read by the real
 * engine; other contents: `reading.test.ts`. The values are made up.
 *
 * VPC: https://docs.aws.amazon.com/vpc/latest/userguide/flow-log-records.html Transit gateway:
 * https://docs.aws.amazon.com/vpc/latest/tgw/tgw-flow-logs.html
 */
import { mkdirSync, openSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../cli/database.ts";
import { findFiles } from "../../../packages/advise/cli/files.ts";
import { readLogs } from "../../../packages/advise/cli/read.ts";
import {
  AWS_HEADER,
  awsLine,
  awsLog,
  azureLog,
  trafficIn,
  trafficOf,
  withFiles,
} from "../../helpers/flow-logs.ts";

/** All fields of VPC flow logs, in the order of the versions that added them. */
const vpcFields =
  "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status " +
  "vpc-id subnet-id instance-id tcp-flags type pkt-srcaddr pkt-dstaddr region az-id sublocation-type sublocation-id " +
  "pkt-src-aws-service pkt-dst-aws-service flow-direction traffic-path ecs-cluster-arn ecs-cluster-name " +
  "ecs-container-instance-arn ecs-container-instance-id ecs-container-id ecs-second-container-id ecs-service-name " +
  "ecs-task-definition-arn ecs-task-arn ecs-task-id reject-reason resource-id encryption-status";

/** Default fields of transit gateway flow logs, in order. */
const gatewayFields =
  "version resource-type account-id tgw-id tgw-attachment-id tgw-src-vpc-account-id tgw-dst-vpc-account-id " +
  "tgw-src-vpc-id tgw-dst-vpc-id tgw-src-subnet-id tgw-dst-subnet-id tgw-src-eni tgw-dst-eni tgw-src-az-id " +
  "tgw-dst-az-id tgw-pair-attachment-id srcaddr dstaddr srcport dstport protocol packets bytes start end log-status " +
  "type packets-lost-no-route packets-lost-blackhole packets-lost-mtu-exceeded packets-lost-ttl-expired tcp-flags " +
  "region flow-direction pkt-src-aws-service pkt-dst-aws-service";

type Record = Readonly<{ [field: string]: string | number }>;

/** A log whose records lack the unnamed fields. */
function log(fields: string, records: readonly Record[]): string {
  const line = (record: Record) =>
    fields
      .split(" ")
      .map((name) => record[name] ?? "-")
      .join(" ");
  return `${[fields, ...records.map(line)].join("\n")}\n`;
}

const to = { srcaddr: "10.0.0.71", dstaddr: "203.0.113.9", srcport: 34_210, dstport: 443 };
const from = { srcaddr: to.dstaddr, dstaddr: to.srcaddr, srcport: to.dstport, dstport: to.srcport };
const common = {
  "account-id": "123456789012",
  protocol: 6,
  start: 1_790_000_000,
  end: 1_790_000_058,
  "log-status": "OK",
  region: "eu-west-1",
};
const task = {
  "ecs-cluster-arn": "arn:aws:ecs:eu-west-1:123456789012:cluster/c",
  "ecs-cluster-name": "c",
  "ecs-service-name": "s",
  "ecs-task-arn": "arn:aws:ecs:eu-west-1:123456789012:task/c/0",
  "ecs-task-id": "0",
};

describe("VPC flow logs", () => {
  const seen = { ...common, version: 10, "interface-id": "eni-1", action: "ACCEPT" };

  it("version 7: of a container's task", async () => {
    const text = log(vpcFields, [
      { ...seen, ...task, ...to, packets: 2, bytes: 500, "tcp-flags": 2 },
      { ...seen, ...task, ...from, packets: 3, bytes: 4000, "tcp-flags": 18 },
    ]);
    const traffic = await trafficOf({ "a.log": text });
    expect(traffic.total).toEqual({ outBytes: 500, inBytes: 4000, outPackets: 2, inPackets: 3 });
    expect(traffic).toMatchObject({ region: "eu-west-1", duplicateRecords: 0, flows: { opened: 1 } });
    expect(traffic.logs.bad).toEqual([]);
  });

  it("version 8: rejected flows carry no traffic", async () => {
    const text = log(vpcFields, [
      { ...seen, ...to, packets: 2, bytes: 500, action: "REJECT", "reject-reason": "BPA" },
      { ...seen, ...to, packets: 1, bytes: 70 },
    ]);
    const traffic = await trafficOf({ "a.log": text });
    expect(traffic.total.outBytes).toBe(70);
    expect(traffic.other.rejectedRecords).toBe(1);
  });

  it("version 9: a regional NAT gateway has no interface, and its id shows its kind", async () => {
    const nat = { ...seen, "interface-id": "-", "resource-id": "nat-0123456789abcdef0" };
    const text = log(vpcFields, [
      { ...nat, ...to, srcaddr: "10.0.0.220", packets: 2, bytes: 500 },
      { ...seen, ...to, packets: 2, bytes: 500 },
    ]);
    const traffic = await trafficOf({ "a.log": text });
    expect(traffic.nats).toEqual([{ name: "nat-0123456789abcdef0", reason: "resource" }]);
    expect(traffic.total.outBytes).toBe(500);
  });

  it("version 10: encryption changes nothing", async () => {
    const of = (status: number) =>
      trafficOf({
        "a.log": log(vpcFields, [{ ...seen, ...to, packets: 2, bytes: 500, "encryption-status": status }]),
      });
    const [plain, encrypted] = await Promise.all([of(0), of(1)]);
    expect(plain.total.outBytes).toBe(500);
    expect(encrypted).toEqual(plain);
  });
});

describe("transit gateway flow logs, version 6", () => {
  const seen = { ...common, version: 6, "resource-type": "TransitGateway", "tgw-id": "tgw-1", type: "IPv4" };
  const lost = {
    "packets-lost-no-route": 0,
    "packets-lost-blackhole": 0,
    "packets-lost-mtu-exceeded": 0,
    "packets-lost-ttl-expired": 0,
  };

  it("counts what an attachment sends to public addresses, and what comes back", async () => {
    const text = log(gatewayFields, [
      {
        ...seen,
        ...lost,
        ...to,
        "tgw-attachment-id": "tgw-attach-1",
        packets: 2,
        bytes: 500,
        "flow-direction": "ingress",
      },
      {
        ...seen,
        ...lost,
        ...from,
        "tgw-attachment-id": "tgw-attach-1",
        packets: 3,
        bytes: 4000,
        "flow-direction": "egress",
      },
    ]);
    const traffic = await trafficOf({ "a.log": text });
    expect(traffic.total).toMatchObject({ outBytes: 500, inBytes: 4000 });
    expect(traffic).toMatchObject({ nats: [], duplicateRecords: 0, region: "eu-west-1" });
  });

  it.each([
    ["their directions count where they come in", ["ingress", "egress"], 500],
    ["no direction are two records", ["-", "-"], 1000],
  ])("the same packets at two attachments with %s", async (_, directions, outBytes) => {
    const text = log(
      gatewayFields,
      ["tgw-attach-1", "tgw-attach-2"].map((id, at, both) => ({
        ...seen,
        ...lost,
        ...to,
        "tgw-attachment-id": id,
        "tgw-pair-attachment-id": both[1 - at] ?? "-",
        "flow-direction": directions[at] ?? "-",
        packets: 2,
        bytes: 500,
      })),
    );
    const traffic = await trafficOf({ "a.log": text });
    expect(traffic).toMatchObject({ duplicateRecords: 0, total: { outBytes } });
    // --nat names the attachment that counts.
    expect((await trafficOf({ "a.log": text }, { nats: ["tgw-attach-2"] })).total.outBytes).toBe(500);
  });
});

describe("truncated files are used up to the cut", () => {
  const T = 1_790_000_000;
  const out = { source: "10.0.0.1", destination: "192.0.2.1", bytes: 1000, start: T, end: T + 30 };
  const many = awsLog(Array.from({ length: 500 }, (_, index) => ({ ...out, sourcePort: 2000 + index })));

  it("text", async () => {
    const traffic = await trafficOf({ "a.log": many.slice(0, many.length - 20) });
    expect(traffic.total.outBytes).toBe(499_000);
    expect(traffic.logs.bad).toMatchObject([{ count: 1 }]);
  });

  it("gzip", async () => {
    const gzip = gzipSync(many);
    const { total, logs } = await trafficOf({ "a.gz": gzip.subarray(0, gzip.length / 2) });
    expect(total.outBytes).toBeGreaterThan(0);
    expect(total.outBytes).toBeLessThan(500_000);
    expect(logs.cut).toEqual(["a.gz"]);
  });

  it("gzip with another checksum is refused, also past the part by which a file is recognised", async () => {
    const long = Buffer.concat([gzipSync(many.repeat(40), { level: 0 }).subarray(0, -8), Buffer.alloc(8)]);
    await expect(trafficOf({ "a.gz": long })).rejects.toThrow(/incorrect data check/);
  });

  it("complete gzip is not truncated", async () => {
    const gzip = Buffer.concat([gzipSync(many), gzipSync("")]);
    expect((await trafficOf({ "a.gz": gzip })).logs.cut).toEqual([]);
  });

  it.each(["plain", "gzip"])("Azure's JSON, %s", async (kind) => {
    const tuples = Array.from(
      { length: 500 },
      (_, index) => `${T * 1000},10.0.0.1,192.0.2.1,${2000 + index},443,6,O,E,NX,1,1000,0,0`,
    );
    const json = Buffer.from(azureLog({ A: tuples }));
    const content = kind === "gzip" ? gzipSync(json) : json;
    const traffic = await trafficOf({ "a.json": content.subarray(0, Math.floor(content.length / 2)) });
    expect(traffic.total.outBytes).toBeGreaterThan(0);
    expect(traffic.total.outBytes).toBeLessThan(500_000);
    expect(traffic.logs.cut).toEqual(["a.json"]);
  });
});

describe("progress", () => {
  const line = awsLine({
    source: "10.0.0.1",
    destination: "192.0.2.1",
    bytes: 1,
    start: 1_790_000_000,
    end: 1_790_000_030,
  });

  it("increases within a file", async () => {
    await withFiles({ "a.log": `${AWS_HEADER}\n` }, async (directory) => {
      const path = join(directory, "a.log");
      const file = openSync(path, "a");
      const block = `${line}\n`.repeat(10_000);
      const database = await openDatabase();
      const within: number[] = [];
      // Large enough for progress to show on this machine.
      for (let blocks = 30; within.length === 0 && blocks < 5000; blocks *= 2) {
        for (let index = 0; index < blocks; index += 1) {
          writeSync(file, block);
        }
        const { files } = await findFiles(["a.log"], directory);
        const { size } = statSync(path);
        const said: number[] = [];
        await database.run("drop table if exists raw");
        await database.run("drop table if exists tuple");
        await readLogs(database, files, {
          fields: undefined,
          progress: (_, bytes) => said.push(bytes / size),
          signal: new AbortController().signal,
        });
        expect(said[0]).toBe(0);
        expect(said).toEqual(said.toSorted((a, b) => a - b));
        within.push(...said.filter((share) => share > 0 && share < 1));
      }
      database.close();
      expect(within).not.toEqual([]);
    });
  });
});

describe("names and links", () => {
  const T = 1_790_000_000;
  /** 51 records of 1000 bytes. */
  const some = (from: number) =>
    awsLog(
      Array.from({ length: 51 }, (_, index) => ({
        ...{ source: "10.0.0.1", destination: "192.0.2.1", bytes: 1000 },
        ...{ sourcePort: from + index, start: T, end: T + 30 },
      })),
    );

  it.each(["*", "?.log", "[ab].log", "{a,b}", "a'b", "region=x", "a\\b", "#%20"])(
    "a log named %s is read literally, without others",
    async (name) => {
      await withFiles({ [name]: some(2000), "a.log": some(3000), b: some(4000) }, async (directory) => {
        const { logs, total } = await trafficIn([name], directory);
        expect(logs).toMatchObject({ files: 1, lines: 51, bad: [] });
        expect(total.outBytes).toBe(51_000);
      });
    },
  );

  it("reads the region from the names that AWS gives to the logs it delivers", async () => {
    const name = "123456789012_vpcflowlogs_eu-west-1_fl-1a2b3c4d_20261102T0000Z_0123abcd.log";
    expect((await trafficOf({ [name]: some(2000) })).region).toBe("eu-west-1");
    expect((await trafficOf({ "vpcflowlogs/ap-southeast-2/2026/11/02/a.log": some(2000) })).region).toBe(
      "ap-southeast-2",
    );
    expect((await trafficOf({ "a.log": some(2000) })).region).toBeNull();
  });

  it("follows links to files and directories, each once, and names broken ones", async () => {
    await withFiles({ "real/a.log": some(2000), "elsewhere/b.log": some(3000) }, async (directory) => {
      const logs = join(directory, "logs");
      mkdirSync(logs);
      symlinkSync("../real/a.log", join(logs, "a.log"));
      symlinkSync("../real/a.log", join(logs, "again.log"));
      symlinkSync("../elsewhere", join(logs, "sub"));
      symlinkSync("..", join(directory, "elsewhere", "up"));
      symlinkSync("nowhere", join(logs, "lost.log"));
      symlinkSync("circle", join(logs, "circle"));
      writeFileSync(join(directory, "elsewhere", "c.log"), some(4000));
      const { files, skipped } = await findFiles(["logs"], directory);
      expect(files).toHaveLength(3);
      expect([...new Set(skipped)].sort()).toEqual(["logs/circle", "logs/lost.log"]);
      expect((await trafficIn(["logs"], directory)).total.outBytes).toBe(3 * 51_000);
    });
  });
});
