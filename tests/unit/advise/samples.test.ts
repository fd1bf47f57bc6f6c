/**
 * Reads sample records from the clouds' own documentation.
 *
 * AWS: https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-records-examples.html
 * Azure: https://learn.microsoft.com/azure/network-watcher/vnet-flow-logs-overview
 */
import { describe, expect, it } from "vitest";
import { AWS_HEADER, azureLog, trafficOf } from "../../helpers/flow-logs.ts";

describe("AWS's examples", () => {
  it("default format: accepted, rejected, no data and skipped", async () => {
    const lines = [
      "2 123456789010 eni-1235b8ca123456789 172.31.16.139 172.31.16.21 20641 22 6 20 4249 1418530010 1418530070 ACCEPT OK",
      "2 123456789010 eni-1235b8ca123456789 172.31.9.69 172.31.9.12 49761 3389 6 20 4249 1418530010 1418530070 REJECT OK",
      "2 123456789010 eni-1235b8ca123456789 - - - - - - - 1431280876 1431280934 - NODATA",
      "2 123456789010 eni-11111111aaaaaaaaa - - - - - - - 1431280876 1431280934 - SKIPDATA",
    ];
    const traffic = await trafficOf({ "a.log": `${AWS_HEADER}\n${lines.join("\n")}\n` });
    expect(traffic.logs).toMatchObject({ lines: 4, noData: 1, skipData: 1, bad: [] });
    expect(traffic.other).toMatchObject({ insideBytes: 4249, rejectedRecords: 1 });
    expect(traffic.total).toMatchObject({ outBytes: 0, inBytes: 0 });
  });

  it("default format: a ping from outside was not opened by the private side, and has no NAT", async () => {
    const lines = [
      "2 123456789010 eni-1235b8ca123456789 203.0.113.12 172.31.16.139 0 0 1 4 336 1432917027 1432917142 ACCEPT OK",
      "2 123456789010 eni-1235b8ca123456789 172.31.16.139 203.0.113.12 0 0 1 4 336 1432917094 1432917142 REJECT OK",
    ];
    const traffic = await trafficOf({ "a.log": `${AWS_HEADER}\n${lines.join("\n")}\n` });
    expect(traffic.total).toMatchObject({ outBytes: 0, inBytes: 336 });
    expect(traffic.other.rejectedRecords).toBe(1);
  });

  it("default format: IPv6 between public addresses needs no NAT", async () => {
    const line =
      "2 123456789010 eni-1235b8ca123456789 2001:db8:1234:a100:8d6e:3477:df66:f105 2001:db8:1234:a102:3304:8879:34cf:4071 34892 22 6 54 8855 1477913708 1477913820 ACCEPT OK";
    const traffic = await trafficOf({ "a.log": `${AWS_HEADER}\n${line}\n` });
    expect(traffic.other.ipv6Bytes).toBe(8855);
    expect(traffic.total).toMatchObject({ outBytes: 0, inBytes: 0 });
  });

  it("custom format with TCP flags: SYN says that the other side opened, whatever the ports", async () => {
    const header =
      "version vpc-id subnet-id instance-id interface-id account-id type srcaddr dstaddr srcport dstport pkt-srcaddr pkt-dstaddr protocol bytes packets start end action tcp-flags log-status";
    const start =
      "3 vpc-abcdefab012345678 subnet-aaaaaaaa012345678 i-01234567890123456 eni-1235b8ca123456789 123456789010 IPv4";
    const lines = [
      `${start} 52.213.180.42 10.0.0.62 43416 5001 52.213.180.42 10.0.0.62 6 568 8 1566848875 1566848933 ACCEPT 2 OK`,
      `${start} 10.0.0.62 52.213.180.42 5001 43416 10.0.0.62 52.213.180.42 6 376 7 1566848875 1566848933 ACCEPT 18 OK`,
      `${start} 10.0.0.62 52.213.180.42 5001 43418 10.0.0.62 52.213.180.42 6 63388 1219 1566848933 1566849113 ACCEPT 1 OK`,
    ];
    const traffic = await trafficOf({ "a.log": `${header}\n${lines.join("\n")}\n` });
    // The third belongs to another connection whose SYN is not shown: port 5001 is the lower one.
    expect(traffic.other.inboundBytes).toBe(568 + 376 + 63388);
    expect(traffic.total).toMatchObject({ outBytes: 0, inBytes: 0 });
  });

  it("NAT gateway: only its outside leg counts, though the instance's own interface logs the same packets", async () => {
    // The example's fields, plus the bytes and times that counting needs.
    const header = "instance-id interface-id srcaddr dstaddr pkt-srcaddr pkt-dstaddr bytes start end";
    const lines = [
      "- eni-1235b8ca123456789 10.0.1.5 10.0.0.220 10.0.1.5 203.0.113.5 1000 1418530010 1418530070",
      "- eni-1235b8ca123456789 10.0.0.220 203.0.113.5 10.0.0.220 203.0.113.5 1000 1418530010 1418530070",
      "- eni-1235b8ca123456789 203.0.113.5 10.0.0.220 203.0.113.5 10.0.0.220 3000 1418530010 1418530070",
      "- eni-1235b8ca123456789 10.0.0.220 10.0.1.5 203.0.113.5 10.0.1.5 3000 1418530010 1418530070",
      "i-01234567890123456 eni-1111aaaa2222bbbb3 10.0.1.5 203.0.113.5 10.0.1.5 203.0.113.5 1000 1418530010 1418530070",
      "i-01234567890123456 eni-1111aaaa2222bbbb3 203.0.113.5 10.0.1.5 203.0.113.5 10.0.1.5 3000 1418530010 1418530070",
    ];
    const traffic = await trafficOf({ "a.log": `${header}\n${lines.join("\n")}\n` });
    expect(traffic.nats).toEqual([{ name: "eni-1235b8ca123456789", reason: "packet addresses" }]);
    expect(traffic.total).toMatchObject({ outBytes: 1000, inBytes: 3000 });
    expect(traffic.flows).toBeNull();
  });

  it("version 5: the log itself names the service", async () => {
    const header =
      "version srcaddr dstaddr srcport dstport protocol start end type packets bytes account-id vpc-id subnet-id instance-id interface-id region az-id sublocation-type sublocation-id action tcp-flags pkt-srcaddr pkt-dstaddr pkt-src-aws-service pkt-dst-aws-service traffic-path flow-direction log-status";
    const place =
      "123456789012 vpc-abcdefab012345678 subnet-aaaaaaaa012345678 i-0c50d5961bcb2d47b eni-1235b8ca123456789 ap-southeast-2 apse2-az3 - - ACCEPT";
    const lines = [
      `5 52.95.128.179 10.0.0.71 80 34210 6 1616729292 1616729349 IPv4 14 15044 ${place} 19 52.95.128.179 10.0.0.71 S3 - - ingress OK`,
      `5 10.0.0.71 52.95.128.179 34210 80 6 1616729292 1616729349 IPv4 7 471 ${place} 3 10.0.0.71 52.95.128.179 - S3 8 egress OK`,
    ];
    const files = { "a.log": `${header}\n${lines.join("\n")}\n` };
    // Path 8 is an internet gateway, which is no NAT's unless a person says so.
    const past = await trafficOf(files);
    expect(past.other.bypassed).toEqual([{ path: 8, bytes: 471 + 15_044 }]);
    expect(past.total).toMatchObject({ outBytes: 0, inBytes: 0 });
    const traffic = await trafficOf(files, { nats: ["eni-1235b8ca123456789"] });
    expect(traffic.region).toBe("ap-southeast-2");
    expect(traffic.services).toMatchObject([{ service: "S3", outBytes: 471, inBytes: 15044 }]);
    expect(traffic.flows).toMatchObject({ opened: 1, clients: 1 });
  });
});

describe("Azure's example", () => {
  const outbound = [
    "1663146003599,10.0.0.6,192.0.2.180,23956,443,6,O,B,NX,0,0,0,0",
    "1663146003606,10.0.0.6,192.0.2.180,23956,443,6,O,E,NX,3,767,2,1580",
    "1663146003637,10.0.0.6,203.0.113.17,22730,443,6,O,B,NX,0,0,0,0",
    "1663146003640,10.0.0.6,203.0.113.17,22730,443,6,O,E,NX,3,705,4,4569",
    "1663146004251,10.0.0.6,203.0.113.17,22732,443,6,O,B,NX,0,0,0,0",
    "1663146004251,10.0.0.6,203.0.113.17,22732,443,6,O,E,NX,3,705,4,4569",
    "1663146004622,10.0.0.6,203.0.113.17,22734,443,6,O,B,NX,0,0,0,0",
    "1663146004622,10.0.0.6,203.0.113.17,22734,443,6,O,E,NX,2,134,1,108",
    "1663146017343,10.0.0.6,198.51.100.84,36776,443,6,O,B,NX,0,0,0,0",
    "1663146022793,10.0.0.6,198.51.100.84,36776,443,6,O,E,NX,22,2217,33,32466",
  ];
  const denied = [
    "1663145998065,203.0.113.153,10.0.0.6,55188,22,6,I,D,NX,0,0,0,0",
    "1663146005503,192.0.2.164,10.0.0.6,35276,119,6,I,D,NX,0,0,0,0",
  ];

  it("counts bytes of ended flows by direction, and denied ones separately", async () => {
    const traffic = await trafficOf({ "PT1H.json": azureLog({ "112233445566": [...outbound, ...denied] }) });
    expect(traffic.cloud).toBe("azure");
    expect(traffic.total).toEqual({
      outBytes: 767 + 705 + 705 + 134 + 2217,
      inBytes: 1580 + 4569 + 4569 + 108 + 32466,
      outPackets: 3 + 3 + 3 + 2 + 22,
      inPackets: 2 + 4 + 4 + 1 + 33,
    });
    expect(traffic.other.rejectedRecords).toBe(2);
    expect(traffic.flows).toMatchObject({ opened: 5, clients: 1 });
    expect(traffic.flows?.busiest).toMatchObject({ address: "203.0.113.17", port: 443, protocol: 6 });
  });
});
