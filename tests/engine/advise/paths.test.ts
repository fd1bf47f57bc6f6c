/**
 * The part of the logged traffic that a NAT carried: by AWS's `traffic-path` and `flow-direction`, and with the NAT's own
 * interface in the log. Each expected figure is a sum over the test's records.
 *
 * https://docs.aws.amazon.com/vpc/latest/userguide/flow-log-records.html
 */
import { describe, expect, it } from "vitest";
import { advise } from "../../../packages/advise/src/advice.ts";
import type { Traffic } from "../../../packages/advise/src/traffic.ts";
import { type AwsRecord, adviceOptions, awsLog, someRanges, trafficOf } from "../../helpers/flow-logs.ts";

const T = 1_790_000_000;
const GB = 1e9;
const during = { start: T, end: T + 50 };

interface PathRecord extends AwsRecord {
  readonly path?: number;
  readonly direction: "ingress" | "egress";
}

/** A log of version 5, with the fields for the packets' direction. */
function pathLog(records: readonly PathRecord[]): string {
  const fields =
    "interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action traffic-path flow-direction log-status";
  const lines = records.map((one) => {
    const { eni = "eni-1", sourcePort = 40_000, destinationPort = 443, action = "ACCEPT" } = one;
    return `${eni} ${one.source} ${one.destination} ${sourcePort} ${destinationPort} 6 10 ${one.bytes} ${one.start} ${one.end} ${action} ${one.path ?? "-"} ${one.direction} OK`;
  });
  return `${[fields, ...lines].join("\n")}\n`;
}

/** A client interface's log of one exchange: replies have no path. */
function exchange(
  minute: number,
  server: string,
  { out, back, path }: { out: number; back: number; path: number },
): PathRecord[] {
  const times = { start: T + minute * 60, end: T + minute * 60 + 50 };
  const [port, client] = [30_000 + minute, "10.0.1.5"];
  const asked = { source: client, destination: server, sourcePort: port, bytes: out, path };
  const reply = { source: server, destination: client, sourcePort: 443, destinationPort: port, bytes: back };
  return [
    { ...asked, ...times, direction: "egress" },
    { ...reply, ...times, direction: "ingress" },
  ];
}

const bytes = ({ outBytes, inBytes }: Traffic["total"]) => outBytes + inBytes;

describe("traffic-path", () => {
  // 85.7 GB with S3 through its gateway endpoint, 6.0 GB through the NAT.
  const s3 = [0, 1, 2, 3, 4].flatMap((minute) =>
    exchange(minute, "52.216.0.9", { out: 0.14 * GB, back: 17 * GB, path: 7 }),
  );
  const rest = [5, 6, 7].flatMap((minute) =>
    exchange(minute, "192.0.2.1", { out: 0.5 * GB, back: 1.5 * GB, path: 1 }),
  );

  it("an existing gateway endpoint carries no NAT's traffic, and none is advised", async () => {
    const traffic = await trafficOf({ "a.log": pathLog([...s3, ...rest]) }, { ranges: someRanges });
    expect(bytes(traffic.total)).toBeCloseTo(6 * GB, 0);
    expect(traffic.services.map(({ service }) => service)).toEqual([null]);
    expect(traffic.other.bypassed).toEqual([{ path: 7, bytes: expect.closeTo(85.7 * GB, 0) }]);
    const { endpoints, recommendation, notes } = advise(traffic, adviceOptions);
    expect(endpoints).toEqual([]);
    expect(recommendation.also).toEqual([]);
    expect(notes.join("\n")).toContain("85.7 GB went through a gateway endpoint");
  });

  it("an internet gateway, a peering and a VPN are no NAT either", async () => {
    const others = [2, 3, 4, 5, 6, 8].flatMap((path, index) =>
      exchange(10 + index, "192.0.2.7", { out: path * 1e6, back: 1e6, path }),
    );
    const traffic = await trafficOf({ "a.log": pathLog([...others, ...rest]) });
    expect(bytes(traffic.total)).toBeCloseTo(6 * GB, 0);
    expect(traffic.other.bypassed).toEqual(
      [2, 3, 4, 5, 6, 8].map((path) => ({ path, bytes: path * 1e6 + 1e6 })),
    );
  });

  it("an interface that --nat names counts, whatever its path, and so does all with --nat none", async () => {
    const files = { "a.log": pathLog([...s3, ...rest]) };
    for (const nats of [["eni-1"], ["none"]]) {
      expect(bytes((await trafficOf(files, { nats })).total)).toBeCloseTo(91.7 * GB, 0);
    }
  });
});

describe("flow-direction", () => {
  type Direction = PathRecord["direction"];
  const leg = (eni: string, source: string, destination: string, direction: Direction, gb: number) => ({
    ...{ eni, source, destination, direction, ...during, bytes: gb * GB },
    ...(destination.startsWith("192.0.2.") ? {} : { sourcePort: 443, destinationPort: 40_000 }),
  });
  const client = [
    leg("eni-client", "10.0.1.5", "192.0.2.1", "egress", 1),
    leg("eni-client", "192.0.2.1", "10.0.1.5", "ingress", 5),
  ];

  it("finds a NAT instance, which takes packets for public addresses from private ones", async () => {
    const nat = [
      leg("eni-nat", "10.0.1.5", "192.0.2.1", "ingress", 1),
      leg("eni-nat", "10.0.0.220", "192.0.2.1", "egress", 1),
      leg("eni-nat", "192.0.2.1", "10.0.0.220", "ingress", 5),
      leg("eni-nat", "192.0.2.1", "10.0.1.5", "egress", 5),
    ];
    const traffic = await trafficOf({ "a.log": pathLog([...client, ...nat]) });
    expect(traffic.nats).toEqual([{ name: "eni-nat", reason: "direction" }]);
    expect(traffic.total).toMatchObject({ outBytes: 1 * GB, inBytes: 5 * GB });
  });

  it("takes no machine for a NAT if it only forwards packets", async () => {
    const firewall = [
      leg("eni-firewall", "10.0.1.5", "192.0.2.1", "ingress", 1),
      leg("eni-firewall", "192.0.2.1", "10.0.1.5", "egress", 5),
    ];
    const traffic = await trafficOf({ "a.log": pathLog([...client, ...firewall]) });
    expect(traffic.nats).toEqual([]);
    expect(traffic.total).toMatchObject({ outBytes: 1 * GB, inBytes: 5 * GB });
  });
});

describe("traffic of interfaces whose NAT is not in the log", () => {
  /** A client's traffic in both directions, at its own interface. */
  const atClient = (eni: string, client: string, server: string, gb: number): AwsRecord[] => {
    const [asked, reply] = [{ destinationPort: 443 }, { sourcePort: 443, destinationPort: 40_000 }];
    return [
      { eni, source: client, destination: server, ...asked, bytes: 0.1 * gb * GB, ...during },
      { eni, source: server, destination: client, ...reply, bytes: 0.9 * gb * GB, ...during },
    ];
  };
  /** The same at the NAT: both legs. */
  const atNat = (client: string, server: string, gb: number): AwsRecord[] => [
    ...atClient("eni-nat", "10.0.0.220", server, gb),
    ...atClient("eni-nat", client, "10.0.0.220", gb),
  ];

  it("is reported in bytes, with a warning: two accounts, the NAT logged in one", async () => {
    const records = [
      ...atClient("eni-a", "10.0.1.5", "192.0.2.1", 30.4),
      ...atNat("10.0.1.5", "192.0.2.1", 30.4),
      // The other account uses the same servers, and the same private addresses.
      ...atClient("eni-b", "10.0.1.5", "192.0.2.1", 60.8),
      ...atClient("eni-c", "10.0.1.6", "198.51.100.7", 40),
    ];
    const traffic = await trafficOf({ "a.log": awsLog(records) });
    expect(bytes(traffic.total)).toBeCloseTo(30.4 * GB, 0);
    expect(traffic.other.unseenBytes).toBeCloseTo((60.8 + 40) * GB, 0);
    const { warnings } = advise(traffic, adviceOptions);
    expect(warnings.join("\n")).toContain("101 GB, 76.8 % of 131 GB");
    expect(warnings.join("\n")).toContain("--nat none");
  });

  it("is reported in full if the NAT carried more to the same server, for unlogged clients", async () => {
    const others = atClient("eni-b", "10.9.1.6", "192.0.2.1", 20);
    const { other } = await trafficOf({
      "a.log": awsLog([...others, ...atNat("10.0.1.5", "192.0.2.1", 30)]),
    });
    expect(other.unseenBytes).toBeCloseTo(20 * GB, 0);
    // The NAT's outside legs alone do not name its clients: then the server's volumes decide.
    const outside = atClient("eni-nat", "10.0.0.220", "192.0.2.1", 30);
    const clients = [...atClient("eni-a", "10.0.1.5", "192.0.2.1", 30), ...others];
    const least = await trafficOf({ "a.log": awsLog([...clients, ...outside]) }, { nats: ["eni-nat"] });
    expect(least.other.unseenBytes).toBeCloseTo(20 * GB, 0);
  });

  it("is zero if the NAT carried all of it", async () => {
    const records = [
      ...atClient("eni-a", "10.0.1.5", "192.0.2.1", 30.4),
      ...atClient("eni-b", "10.0.1.6", "192.0.2.1", 4),
      ...atNat("10.0.1.5", "192.0.2.1", 30.4),
      ...atNat("10.0.1.6", "192.0.2.1", 4),
    ];
    const traffic = await trafficOf({ "a.log": awsLog(records) });
    expect(traffic.other.unseenBytes).toBe(0);
    expect(advise(traffic, adviceOptions).warnings).toEqual([
      expect.stringMatching(/eni-nat .* only by its volumes.*proxy.*--nat none/),
    ]);
  });

  it("a proxy that looks like a NAT drops 82 % of the traffic: reported, with the option to overrule it", async () => {
    const records = [
      // Its own TLS on both sides: volumes differ by 3 %.
      ...atClient("eni-proxy", "10.0.0.99", "192.0.2.1", 18),
      ...atClient("eni-proxy", "10.0.1.5", "10.0.0.99", 18.54),
      ...atClient("eni-a", "10.0.1.5", "10.0.0.99", 18.54),
      ...atClient("eni-b", "10.0.1.6", "198.51.100.7", 82),
    ];
    const files = { "a.log": awsLog(records) };
    const traffic = await trafficOf(files);
    expect(traffic.nats).toEqual([{ name: "eni-proxy", reason: "volumes" }]);
    const { warnings } = advise(traffic, adviceOptions);
    expect(warnings.join("\n")).toContain("82.0 GB, 82.0 % of 100 GB");
    expect(warnings.join("\n")).toMatch(/eni-proxy .* only by its volumes.*proxy.*--nat none/);
    expect(bytes((await trafficOf(files, { nats: ["none"] })).total)).toBeCloseTo(100 * GB, 0);
  });

  it("does not count traffic that bypassed every NAT", async () => {
    const nat = atNat("10.0.1.5", "192.0.2.1", 6).map((one) => ({ ...one, direction: "egress" as const }));
    const [out, back] = exchange(0, "52.216.0.9", { out: 1 * GB, back: 9 * GB, path: 7 }) as [
      PathRecord,
      PathRecord,
    ];
    const traffic = await trafficOf({ "a.log": pathLog([out, back, ...nat]) }, { nats: ["eni-nat"] });
    expect(traffic.other).toMatchObject({ unseenBytes: 0, bypassed: [{ path: 7, bytes: 10 * GB }] });
  });
});
