/** A report prices the measured topology: the NAT machine's own size, and the path's number of addresses. */
import { describe, expect, it } from "vitest";
import type { Results, TopologyResult } from "../../../bench/results/index.ts";
import { makeReport, measuredRegion, priceSnapshots, type ReportOptions } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const plain = handMadeResults();
const [like] = plain.topologies as [TopologyResult];

const machine = (host: string, size: string | null) => ({
  ...(like.hosts[0] as TopologyResult["hosts"][number]),
  host,
  role: "nat" as const,
  size,
});

function fckNat(name: string, size: string | null, addresses = ["203.0.113.1"]): TopologyResult {
  const hosts = [...like.hosts, machine(`${name}-nat`, size)];
  return { ...like, name, topology: "fck-nat", expectedSourceIps: addresses, hosts };
}

function report(topologies: TopologyResult[], options: Partial<ReportOptions> = {}) {
  const [first] = plain.cases;
  const cases = topologies.map(({ name }) => ({ ...first, topology: name }) as Results["cases"][number]);
  const results: Results = { ...plain, cloud: "aws", topologies, cases };
  const read = { inputs: [{ source: "a.json", results }], problems: [] };
  return makeReport(read, { needs: { gbIn: 0, gbOut: 0 }, madeAt: "2026-11-21T09:00:00Z", ...options });
}

/** Measured topologies with their bills. */
const costs = ({ answers }: ReturnType<typeof report>) =>
  answers.flatMap(({ assessed }) => assessed.filter(({ way }) => way.column !== null));

const hourly = (made: ReturnType<typeof report>) =>
  costs(made).map(({ bill }) => bill.charges.find(({ meter }) => meter.startsWith("vm-hour:"))?.meter);

const sizes = [fckNat("nano", "t4g.nano"), fckNat("small", "t4g.small")];

describe("a NAT machine", () => {
  it("is priced as the size it has", () => {
    const made = report(sizes);
    expect(hourly(made)).toEqual(["vm-hour:t4g.nano", "vm-hour:t4g.small"]);
    const [nano, small] = costs(made).map(({ bill }) => bill.knownCost);
    // 730 hours at 0.0042 and 0.0168; disk and address are the same.
    expect((small as number) - (nano as number)).toBeCloseTo(730 * (0.0168 - 0.0042), 6);
    expect(made.priceNotes.join(" ")).toContain("NAT machine: t4g.nano, t4g.small.");
  });

  it("is priced as the default size if its own is not known, or as the given size", () => {
    expect(hourly(report([fckNat("nat", null)]))).toEqual(["vm-hour:t4g.micro"]);
    expect(hourly(report(sizes, { natSize: "t4g.micro" }))).toEqual([
      "vm-hour:t4g.micro",
      "vm-hour:t4g.micro",
    ]);
  });

  it("is not named if there is none", () => {
    expect(report([{ ...like, topology: "direct" }]).priceNotes.join(" ")).not.toContain("NAT machine");
  });
});

describe("the region", () => {
  const at = (region: string | null, { hosts, ...topology }: TopologyResult): TopologyResult => ({
    ...topology,
    hosts: hosts.map((host) => ({ ...host, region })),
  });
  const regions = (made: ReturnType<typeof report>) => costs(made).map(({ region }) => region);
  /** Another region's prices: us-east-1's, except for some meters. */
  const pricesOf = (region: string, without = /^$/) => {
    const shipped = priceSnapshots.aws;
    const aws = { ...shipped, prices: shipped.prices.filter((one) => one.region !== region) };
    const prices = aws.prices.filter((one) => one.region === "us-east-1");
    const other = prices.filter(({ meter }) => !without.test(meter)).map((one) => ({ ...one, region }));
    return { prices: { ...priceSnapshots, aws: { ...aws, prices: [...aws.prices, ...other] } } };
  };
  const direct = { ...like, name: "direct", topology: "direct" };

  it("is the measured one if its prices are known", () => {
    const made = report([at("eu-west-1", direct), ...sizes], pricesOf("eu-west-1"));
    expect(regions(made)).toEqual(["eu-west-1", "us-east-1", "us-east-1"]);
    expect(made.priceNotes.join(" ")).toContain(
      "Prices of AWS, eu-west-1 and us-east-1: the shipped snapshot",
    );
    expect(made.priceNotes.join(" ")).not.toContain("are not known");
  });

  it("uses the default's price, for all alike, if its own is not known, and says so", () => {
    const measured = [at("eu-west-1", direct), ...sizes.map((one) => at("eu-west-1", one))];
    const made = report(measured, pricesOf("eu-west-1", /^vm-hour:t4g.small$/));
    expect(regions(made)).toEqual(["eu-west-1", "eu-west-1", "eu-west-1"]);
    const elsewhere = costs(made).map(({ bill }) =>
      bill.charges.flatMap(({ meter, pricedIn }) => (pricedIn === null ? [] : [`${meter} ${pricedIn}`])),
    );
    expect(elsewhere).toEqual([[], [], ["vm-hour:t4g.small us-east-1"]]);
    expect(made.priceNotes.filter((note) => note.startsWith("In "))).toEqual([
      "In eu-west-1 these prices are not known and those of us-east-1 are used: vm-hour:t4g.small. The cloud's price service (--prices live) knows them.",
    ]);
  });

  it("is the measured one also without any price", () => {
    const unheard = at("eu-west-1", fckNat("unheard", "t9.nano"));
    expect(regions(report([unheard], pricesOf("eu-west-1")))).toEqual(["eu-west-1"]);
  });

  it("is the requested one; missing prices are the default's, which is noted", () => {
    const made = report([at("eu-west-1", direct)], { needs: { region: "xx-nowhere-1" } });
    expect(regions(made)).toEqual(["xx-nowhere-1"]);
    expect(costs(made)[0]?.bill.missing).toEqual([]);
    expect(made.priceNotes.join(" ")).toContain(
      "In xx-nowhere-1 these prices are not known and those of us-east-1 are used: egress-gb.",
    );
  });

  it.each([
    ["East US", "eastus"],
    ["ap-northeast-1", "ap-northeast-1"],
    ["../../etc", undefined],
    ["a".repeat(60), undefined],
    ["", undefined],
    [null, undefined],
  ])("%j is taken as %j", (reported, region) => {
    expect(measuredRegion(at(reported, direct))).toBe(region);
  });
});

describe("addresses", () => {
  it("are priced by the path's number", () => {
    const addresses = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
    const made = report([fckNat("one", "t4g.nano"), fckNat("three", "t4g.nano", addresses)]);
    const [one, three] = costs(made).map(({ bill }) => bill.totalCost as number);
    expect((three as number) - (one as number)).toBeCloseTo(2 * 730 * 0.005, 6);
  });

  it("count as one if unknown in advance", () => {
    const [priced] = costs(report([fckNat("nat", "t4g.nano", [])]));
    expect(priced?.bill.charges).toContainEqual(
      expect.objectContaining({ meter: "public-ip-hour", units: 730 }),
    );
  });
});
