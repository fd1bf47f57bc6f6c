/**
 * Fields of versions 6 to 10, in formats as the documentation lists them. The values are made up.
 *
 * VPC: https://docs.aws.amazon.com/vpc/latest/userguide/flow-log-records.html
 * Transit gateway: https://docs.aws.amazon.com/vpc/latest/tgw/tgw-flow-logs.html
 */
import { describe, expect, it } from "vitest";
import { trafficOf } from "../../helpers/flow-logs.ts";

/** All fields of VPC flow logs, in the order in which versions brought them. */
const vpcFields =
  "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status " +
  "vpc-id subnet-id instance-id tcp-flags type pkt-srcaddr pkt-dstaddr region az-id sublocation-type sublocation-id " +
  "pkt-src-aws-service pkt-dst-aws-service flow-direction traffic-path ecs-cluster-arn ecs-cluster-name " +
  "ecs-container-instance-arn ecs-container-instance-id ecs-container-id ecs-second-container-id ecs-service-name " +
  "ecs-task-definition-arn ecs-task-arn ecs-task-id reject-reason resource-id encryption-status";

/** The fields that transit gateway flow logs have by default, in their order. */
const gatewayFields =
  "version resource-type account-id tgw-id tgw-attachment-id tgw-src-vpc-account-id tgw-dst-vpc-account-id " +
  "tgw-src-vpc-id tgw-dst-vpc-id tgw-src-subnet-id tgw-dst-subnet-id tgw-src-eni tgw-dst-eni tgw-src-az-id " +
  "tgw-dst-az-id tgw-pair-attachment-id srcaddr dstaddr srcport dstport protocol packets bytes start end log-status " +
  "type packets-lost-no-route packets-lost-blackhole packets-lost-mtu-exceeded packets-lost-ttl-expired tcp-flags " +
  "region flow-direction pkt-src-aws-service pkt-dst-aws-service";

type Record = Readonly<{ [field: string]: string | number }>;

/** A log of records that lack what is not named. */
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

  it("version 8: what was rejected, and why, carries no traffic", async () => {
    const text = log(vpcFields, [
      { ...seen, ...to, packets: 2, bytes: 500, action: "REJECT", "reject-reason": "BPA" },
      { ...seen, ...to, packets: 1, bytes: 70 },
    ]);
    const traffic = await trafficOf({ "a.log": text });
    expect(traffic.total.outBytes).toBe(70);
    expect(traffic.other.rejectedRecords).toBe(1);
  });

  it("version 9: a regional NAT gateway has no interface, and its id says what it is", async () => {
    const nat = { ...seen, "interface-id": "-", "resource-id": "nat-0123456789abcdef0" };
    const text = log(vpcFields, [
      { ...nat, ...to, srcaddr: "10.0.0.220", packets: 2, bytes: 500 },
      { ...seen, ...to, packets: 2, bytes: 500 },
    ]);
    const traffic = await trafficOf({ "a.log": text });
    expect(traffic.nats).toEqual([{ name: "nat-0123456789abcdef0", reason: "resource" }]);
    expect(traffic.total.outBytes).toBe(500);
  });

  it("version 10: whether it was encrypted changes nothing", async () => {
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

  it("tells attachments apart: the same packets at two are two records", async () => {
    const text = log(
      gatewayFields,
      ["tgw-attach-1", "tgw-attach-2"].map((id) => ({
        ...seen,
        ...lost,
        ...to,
        "tgw-attachment-id": id,
        packets: 2,
        bytes: 500,
      })),
    );
    const traffic = await trafficOf({ "a.log": text });
    expect(traffic).toMatchObject({ duplicateRecords: 0, total: { outBytes: 1000 } });
    // --nat names the one that counts.
    expect((await trafficOf({ "a.log": text }, { nats: ["tgw-attach-2"] })).total.outBytes).toBe(500);
  });
});
