/** What a report prices is what was measured: the NAT machine's own size, and as many addresses as the path has. */
import { describe, expect, it } from "vitest";
import type { Results, TopologyResult } from "../../../bench/results/index.ts";
import { makeReport, type ReportOptions } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const plain = handMadeResults();
const [like] = plain.topologies as [TopologyResult];

const box = (host: string, size: string | null) => ({
  ...(like.hosts[0] as TopologyResult["hosts"][number]),
  host,
  role: "nat" as const,
  size,
});

function fckNat(name: string, size: string | null, addresses = ["203.0.113.1"]): TopologyResult {
  const hosts = [...like.hosts, box(`${name}-nat`, size)];
  return { ...like, name, topology: "fck-nat", expectedSourceIps: addresses, hosts };
}

function report(topologies: TopologyResult[], options: Partial<ReportOptions> = {}) {
  const [first] = plain.cases;
  const cases = topologies.map(({ name }) => ({ ...first, topology: name }) as Results["cases"][number]);
  const results: Results = { ...plain, cloud: "aws", topologies, cases };
  const read = { inputs: [{ source: "a.json", results }], problems: [] };
  return makeReport(read, { gbIn: 0, gbOut: 0, madeAt: "2026-11-21T09:00:00Z", ...options });
}

const hourly = (made: ReturnType<typeof report>) =>
  made.costs.map(({ cost }) => cost.charges.find(({ meter }) => meter.startsWith("vm-hour:"))?.meter);

const sizes = [fckNat("nano", "t4g.nano"), fckNat("small", "t4g.small")];

describe("a NAT machine", () => {
  it("is priced as the size it has", () => {
    const made = report(sizes);
    expect(hourly(made)).toEqual(["vm-hour:t4g.nano", "vm-hour:t4g.small"]);
    const [nano, small] = made.costs.map(({ cost }) => cost.totalUsd as number);
    // 730 hours at 0.0042 and 0.0168; disk and address are the same.
    expect((small as number) - (nano as number)).toBeCloseTo(730 * (0.0168 - 0.0042), 6);
    expect(made.priceNotes.join(" ")).toContain("NAT machine: t4g.nano, t4g.small.");
  });

  it("is priced as the default where its size is not known, and as one likes where one says so", () => {
    expect(hourly(report([fckNat("nat", null)]))).toEqual(["vm-hour:t4g.micro"]);
    expect(hourly(report(sizes, { natSize: "t4g.micro" }))).toEqual([
      "vm-hour:t4g.micro",
      "vm-hour:t4g.micro",
    ]);
  });

  it("is not named where there is none", () => {
    expect(report([{ ...like, topology: "direct" }]).priceNotes.join(" ")).not.toContain("NAT machine");
  });
});

describe("addresses", () => {
  it("are priced as many as the path has", () => {
    const addresses = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
    const made = report([fckNat("one", "t4g.nano"), fckNat("three", "t4g.nano", addresses)]);
    const [one, three] = made.costs.map(({ cost }) => cost.totalUsd as number);
    expect((three as number) - (one as number)).toBeCloseTo(2 * 730 * 0.005, 6);
  });

  it("are one where nobody knew them beforehand", () => {
    const [priced] = report([fckNat("nat", "t4g.nano", [])]).costs;
    expect(priced?.cost.charges).toContainEqual(
      expect.objectContaining({ meter: "public-ip-hour", units: 730 }),
    );
  });
});
