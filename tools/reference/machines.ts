/**
 * Makes the table of EC2 instance types from the answer of `DescribeInstanceTypes`, one object by instance type:
 * `node tools/reference/machines.ts instance_types.json 2026-10-27 "where it was read" > bench/machines/aws.json`
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { awsFamily } from "../../bench/machines/aws.ts";

/** Families that are used for NAT, and those for comparison. */
const families = [
  ...["t2", "t3", "t3a", "t4g", "t8i"],
  ...["c5", "c5a", "c5n", "c6a", "c6g", "c6gn", "c6i", "c6in", "c7a", "c7g", "c7gn", "c7i", "c7i-flex"],
  ...["c8a", "c8g", "c8gn", "c8i", "c8i-flex", "c8in", "c9g"],
  ...["m5", "m5n", "m6a", "m6g", "m6i", "m6in", "m7a", "m7g", "m7i", "m7i-flex"],
  ...["m8a", "m8g", "m8gn", "m8i", "m8i-flex", "m8in", "m9g", "r6in", "r8gn", "r8in"],
];

const typeSchema = z.object({
  VCpuInfo: z.object({ DefaultVCpus: z.int().positive() }),
  MemoryInfo: z.object({ SizeInMiB: z.number().positive() }),
  FreeTierEligible: z.boolean(),
  BurstablePerformanceSupported: z.boolean(),
  EbsInfo: z.object({ NvmeSupport: z.enum(["required", "supported", "unsupported"]) }),
  NetworkInfo: z.object({
    EnaSupport: z.enum(["required", "supported", "unsupported"]),
    ConnectionTrackingConfiguration: z.object({ DefaultTcpEstablishedTimeout: z.int().positive() }),
    DefaultNetworkCardIndex: z.int(),
    NetworkCards: z.array(
      z.object({
        NetworkCardIndex: z.int(),
        BaselineBandwidthInGbps: z.number(),
        PeakBandwidthInGbps: z.number(),
      }),
    ),
  }),
});

const answerSchema = z.record(z.string(), z.unknown());

/**
 * One row per type: size, vCPUs, GiB of memory, sustained Gbit/s, peak Gbit/s, seconds of a tracked TCP connection, and words.
 *
 * @throws {z.ZodError} if the answer lacks a fact of a type.
 */
export function machineRows(answer: unknown): (string | number)[][] {
  return Object.entries(answerSchema.parse(answer))
    .filter(([size]) => families.includes(awsFamily(size)) && !size.includes("metal"))
    .map(([size, facts]) => ({ size, facts: typeSchema.parse(facts) }))
    .toSorted(
      (a, b) =>
        orderOf(a.size) - orderOf(b.size) ||
        a.facts.VCpuInfo.DefaultVCpus - b.facts.VCpuInfo.DefaultVCpus ||
        a.facts.MemoryInfo.SizeInMiB - b.facts.MemoryInfo.SizeInMiB,
    )
    .map(({ size, facts: { NetworkInfo: network, ...facts } }) => [
      ...[size, facts.VCpuInfo.DefaultVCpus, facts.MemoryInfo.SizeInMiB / 1024],
      cardOf(network).BaselineBandwidthInGbps,
      cardOf(network).PeakBandwidthInGbps,
      network.ConnectionTrackingConfiguration.DefaultTcpEstablishedTimeout,
      ...(facts.BurstablePerformanceSupported ? ["burstable"] : []),
      ...(network.EnaSupport === "unsupported" ? [] : ["ena"]),
      ...(facts.EbsInfo.NvmeSupport === "unsupported" ? [] : ["nvme"]),
      ...(facts.FreeTierEligible ? ["free"] : []),
    ]);
}

/** A machine with one interface has one card's rate, however many cards there are. */
function cardOf({
  DefaultNetworkCardIndex: index,
  NetworkCards: cards,
}: z.infer<typeof typeSchema>["NetworkInfo"]) {
  const card = cards.find(({ NetworkCardIndex }) => NetworkCardIndex === index);
  if (card === undefined) {
    throw new RangeError(`NetworkCards: expected card ${index}; got ${JSON.stringify(cards)}`);
  }
  return card;
}

function orderOf(size: string): number {
  return families.indexOf(awsFamily(size));
}

function main([file, asOf, source]: readonly string[]): void {
  if (file === undefined || asOf === undefined || source === undefined) {
    throw new Error("expected: FILE DATE SOURCE");
  }
  const machines = machineRows(JSON.parse(readFileSync(file, "utf8")));
  process.stdout.write(`${JSON.stringify({ asOf, source, machines }, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2));
}
