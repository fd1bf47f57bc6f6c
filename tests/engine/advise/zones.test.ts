/**
 * Zones of NATs and clients, from AWS's `az-id`, `subnet-id` and `vpc-id`. Each expected figure is a sum over the test's
 * log; prices are those of the page: 0.045 an hour per gateway, 0.01 a GB at each end of a crossing.
 *
 * https://docs.aws.amazon.com/vpc/latest/userguide/flow-log-records.html
 */
import { describe, expect, it } from "vitest";
import { advise } from "../../../packages/advise/src/advice.ts";
import { maskTraffic } from "../../../packages/advise/src/mask.ts";
import { restOf } from "../../../packages/advise/src/month.ts";
import { adviceOptions, someRanges, trafficOf } from "../../helpers/flow-logs.ts";
import { reduceByDuckDb, trafficOfAggregates } from "../../helpers/reduction.ts";
import { sentencesIn } from "../../unit/advise/hand-made.ts";

const GB = 1e9;
const [T, END] = [1_790_000_000, 1_790_000_000 + 3600];

interface Nat {
  readonly id: string;
  readonly address: string;
  readonly zone: string;
  readonly subnet?: string;
  readonly vpc?: string;
}

/** A client's traffic, out and back, of which a tenth is out. */
interface Use {
  readonly client: number;
  readonly zone: string;
  readonly nat: Nat;
  readonly gb: number;
  /** @default no cloud's */
  readonly server?: string;
}

const format =
  "interface-id vpc-id subnet-id az-id srcaddr dstaddr srcport dstport protocol packets bytes start end action pkt-srcaddr pkt-dstaddr log-status";

/** Log of the clients' and the NATs' interfaces. @param withZone Whether the log has `az-id` */
function logOf(uses: readonly Use[], withZone = true): string {
  const record = (
    place: readonly string[],
    [source, destination, pktSource, pktDestination = ""]: readonly string[],
    bytes: number,
  ) => {
    const [id, vpc, subnet, zone] = place;
    const ports = pktDestination.startsWith("10.") ? "443 40000" : "40000 443";
    return `${id} ${vpc} ${subnet} ${withZone ? zone : "-"} ${source} ${destination} ${ports} 6 10 ${Math.round(bytes)} ${T} ${END} ACCEPT ${pktSource} ${pktDestination} OK`;
  };
  const lines = uses.flatMap(({ client, zone, nat, gb, server = "192.0.2.1" }) => {
    const [address, out, back] = [`10.0.1.${client}`, 0.1 * gb * GB, 0.9 * gb * GB];
    const { vpc = "vpc-1", subnet = `subnet-public-${nat.zone}` } = nat;
    const own = [`eni-client-${client}`, vpc, `subnet-private-${zone}`, zone];
    const at = [nat.id, vpc, subnet, nat.zone];
    return [
      record(own, [address, server, address, server], out),
      record(own, [server, address, server, address], back),
      record(at, [address, nat.address, address, server], out),
      record(at, [nat.address, server, nat.address, server], out),
      record(at, [server, nat.address, server, nat.address], back),
      record(at, [nat.address, address, server, address], back),
    ];
  });
  return `${[format, ...lines].join("\n")}\n`;
}

const nats = ["use1-az1", "use1-az2", "use1-az3"].map((zone, at) => ({
  ...{ id: `eni-nat-${at + 1}`, address: `10.0.0.${at + 1}`, zone },
}));
const [one, two, three] = nats as [Nat, Nat, Nat];

/** 20 GB in an hour: 2 of them from a client in another zone than its NAT. */
const uses: Use[] = [
  { client: 1, zone: "use1-az1", nat: one, gb: 10 },
  { client: 2, zone: "use1-az2", nat: two, gb: 5 },
  { client: 3, zone: "use1-az3", nat: three, gb: 3 },
  { client: 4, zone: "use1-az3", nat: one, gb: 2 },
];
const MONTH_GB = 20 * 730;
/** A machine of this price an hour, with an address and a disk of 8 GB, USD a month. */
const machine = (usdPerHour: number) => 730 * (usdPerHour + 0.005) + 8 * 0.08;
const [SMALL, MICRO, NANO] = [machine(0.0168), machine(0.0084), machine(0.0042)];
const crossing = (bill: { readonly charges: readonly { meter: string; cost: number | null }[] }) =>
  bill.charges.find(({ meter }) => meter === "cross-az-gb")?.cost ?? 0;

describe("zones", () => {
  it("of NATs and clients come from the log: the same number of gateways, and the crossing in every bill", async () => {
    const traffic = await trafficOf({ "a.log": logOf(uses) });
    // No field names the region, but the zones do.
    expect(traffic.region).toBe("us-east-1");
    expect(traffic.zones).toEqual({
      ...{ gateways: 3, zones: ["use1-az1", "use1-az2", "use1-az3"], named: true },
      crossingShare: expect.closeTo(2 / 20, 9),
      crossingShareOfOne: expect.closeTo(10 / 20, 9),
    });
    const { now, options, recommendation, notes } = advise(traffic, adviceOptions);
    const gateway = options.find(({ id }) => id === "nat-gateway");
    expect([now.need.gateways, gateway?.need.gateways]).toEqual([3, 3]);
    for (const bill of [now.bill, gateway!.bill]) {
      expect(crossing(bill)).toBeCloseTo(0.02 * MONTH_GB * 0.1, 6);
    }
    expect(recommendation.pick).toBe("nat-instance");
    // One machine for all saves three smaller ones, and lets 10 of 20 GB cross instead of 2.
    const bill = (machines: number, crosses: number) =>
      Math.round(100 * (machines + 0.09 * (0.1 * MONTH_GB - 100) + 0.02 * MONTH_GB * crosses)) / 100;
    const saved = bill(3 * MICRO, 0.1) - bill(SMALL, 0.5);
    expect(sentencesIn(recommendation).join("\n")).toContain(
      `in use1-az1, use1-az2, use1-az3. One for all (nat-instance (t4g.small)) would cost ${(-saved).toFixed(2)} USD a month more, with ${(0.02 * MONTH_GB * 0.5).toFixed(2)} USD for traffic that crosses zones by the log`,
    );
    expect(notes.join("\n")).toContain("10.0 % of the NATs' traffic has its client in another zone");
  });

  it("size each machine for its own: the busiest one's rates, if the log tells the NATs apart", async () => {
    const traffic = await trafficOf({ "a.log": logOf(uses) });
    expect(traffic.byGateway).toEqual(
      [12, 5, 3].map((gb, at) => ({
        ...{ name: `eni-nat-${at + 1}`, bytes: gb * GB, share: expect.closeTo(gb / 20, 6) },
      })),
    );
    const sizes = (seen: typeof traffic) => {
      const { options, recommendation } = advise(seen, adviceOptions);
      const instance = options.find(({ id }) => id === "nat-instance");
      return [instance?.need.size, instance?.need.gateways, sentencesIn(recommendation).join("\n")];
    };
    const own =
      "sized for the busiest zone's rates, 60.0 % of all, and for all connections: one that takes over";
    expect(sizes(traffic)).toEqual(["t4g.micro", 3, expect.stringContaining(own)]);
    const unknown = [[], traffic.byGateway.slice(1)].map((byGateway) => sizes({ ...traffic, byGateway }));
    for (const found of unknown) {
      expect(found).toEqual(["t4g.small", 3, expect.stringContaining("is sized for all traffic")]);
    }
  });

  it.each([
    ["read here", (log: string) => trafficOf({ "a.log": log }, { ranges: someRanges })],
    [
      "reduced by an engine",
      async (log: string) => trafficOfAggregates({ "a.csv": await reduceByDuckDb(log) }, someRanges),
    ],
  ])("cross as much as what the endpoint leaves, %s", async (_, read) => {
    const s3 = "52.217.3.4";
    const traffic = await read(
      logOf([
        { client: 1, zone: "use1-az1", nat: one, gb: 6, server: s3 },
        { client: 2, zone: "use1-az2", nat: one, gb: 3 },
        { client: 2, zone: "use1-az2", nat: one, gb: 1, server: s3 },
      ]),
    );
    expect(traffic.zones).toMatchObject({ crossingShare: 0.4, crossingShareOfOne: 0.4 });
    expect(restOf(traffic, "us-east-1").zones).toMatchObject({ crossingShare: 1, crossingShareOfOne: 0 });
    expect(restOf(traffic, "eu-west-1")).toEqual(traffic);
    // Connections and packets are what the endpoint leaves too.
    expect(traffic).toMatchObject({ flows: { opened: 2 }, total: { outBytes: GB, outPackets: 30 } });
    expect(restOf(traffic, "us-east-1")).toMatchObject({
      flows: { opened: 1 },
      total: { outBytes: 0.3 * GB, inBytes: 2.7 * GB, outPackets: 10, inPackets: 10 },
    });
    const { options, endpoints, now, needs } = advise(traffic, adviceOptions);
    expect(needs.seen).toMatchObject({ flows: 1, bytesAPacket: (3 * GB) / 20 });
    const gateway = options.find(({ id }) => id === "nat-gateway");
    expect(crossing(gateway!.bill)).toBeCloseTo(0.02 * 730 * 3, 6);
    // S3 saves what it pays now: 7 GB by the NAT, of which 1 crosses.
    expect(endpoints[0]?.saving).toBeCloseTo(730 * (0.045 * 7 + 0.02 * 1), 6);
    expect(now.bill.totalCost! - endpoints[0]!.saving!).toBeCloseTo(gateway!.bill.totalCost!, 6);
  });

  it("are fewer than NATs if two are in one zone: they stay two, and one for both crosses nothing", async () => {
    const second = { id: "eni-nat-9", address: "10.0.0.9", zone: "use1-az1", subnet: "subnet-other" };
    const traffic = await trafficOf({
      "a.log": logOf([
        { client: 1, zone: "use1-az1", nat: one, gb: 4 },
        { client: 2, zone: "use1-az1", nat: second, gb: 4 },
      ]),
    });
    expect(traffic.zones).toMatchObject({ gateways: 2, zones: ["use1-az1"], crossingShareOfOne: 0 });
    const { now, recommendation } = advise(traffic, adviceOptions);
    expect(now.need.gateways).toBe(2);
    expect(sentencesIn(recommendation).join("\n")).toContain(
      `would save ${(2 * NANO - MICRO).toFixed(2)} USD a month, with 0.00 USD for traffic that crosses zones by the log`,
    );
  });

  it("have one NAT where one replaced another in its zone", async () => {
    const second = { id: "eni-nat-9", address: "10.0.0.9", zone: "use1-az1" };
    const later = logOf([{ client: 1, zone: "use1-az1", nat: second, gb: 4 }]);
    const traffic = await trafficOf({
      "a.log": logOf([{ client: 1, zone: "use1-az1", nat: one, gb: 4 }]),
      "b.log": later.replaceAll(`${T} ${END}`, `${END} ${2 * END - T}`),
    });
    expect(traffic).toMatchObject({ nats: [{ name: "eni-nat-9" }], zones: { gateways: 1 } });
  });

  it("are paid for each if one regional NAT gateway is in several", async () => {
    const fields =
      "resource-id az-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status";
    const lines = ["use1-az1", "use1-az2"].map(
      (zone, at) => `nat-1 ${zone} 10.0.1.${at} 192.0.2.1 40000 443 6 10 ${GB} ${T} ${END} ACCEPT OK`,
    );
    const traffic = await trafficOf({ "a.log": [fields, ...lines, ""].join("\n") });
    expect(traffic.nats).toHaveLength(1);
    expect(traffic.zones).toMatchObject({
      gateways: 2,
      zones: ["use1-az1", "use1-az2"],
      crossingShare: null,
    });
    expect(advise(traffic, adviceOptions).now.need.gateways).toBe(2);
  });

  it("missing from the log are reported: subnets stand for them, else each NAT counts as its own zone", async () => {
    const subnets = await trafficOf({ "a.log": logOf(uses, false) });
    expect(subnets.zones).toMatchObject({ gateways: 3, named: false, crossingShare: null });
    const said = advise(subnets, adviceOptions);
    expect(said.notes.join("\n")).toContain(
      "in subnets, whose zones the log does not name: subnet-public-use1-az1",
    );
    expect(said.notes.join("\n")).toContain("what crosses zones is not known and not in the bills");
    expect(maskTraffic(subnets).zones?.zones).toEqual(["subnet-1", "subnet-2", "subnet-3"]);
    const none = { ...subnets, zones: null };
    expect(advise(none, adviceOptions).notes.join("\n")).toContain(
      "each NAT counts as one zone's. Add az-id",
    );
    expect(sentencesIn(advise(none, adviceOptions).recommendation).join("\n")).toContain("taken as even");
  });
});
