/** Hand-made traffic, for tests without logs. */
import type { Recommendation } from "../../../packages/advise/src/recommend.ts";
import type { Traffic } from "../../../packages/advise/src/traffic.ts";
import { nothingElse } from "../../../packages/advise/src/usage/table.ts";

/** Every sentence of the answers. */
export const sentencesIn = ({ answers }: Recommendation) => answers.flatMap(({ sentences }) => sentences);

const GB = 1e9;

/** 73 hours, a tenth of a month: 10 GB out and 90 GB in, including 4 and 56 with the region's S3. */
export function handMadeTraffic(change: Partial<Traffic> = {}): Traffic {
  const services = [
    { service: "S3", region: "us-east-1", addresses: 2, outBytes: 4 * GB, inBytes: 56 * GB },
    { service: null, region: null, addresses: 3, outBytes: 6 * GB, inBytes: 34 * GB },
  ];
  return {
    cloud: "aws",
    source: "flow logs",
    counters: null,
    account: null,
    region: "us-east-1",
    network: null,
    logs: { files: 1, bytes: 1000, lines: 10, noData: 0, skipData: 0, bad: [], unusable: [], cut: [] },
    duplicateRecords: 0,
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-11-04T01:00:00.000Z",
    hours: 73,
    gaps: [],
    intervalSeconds: 60,
    nats: [],
    zones: null,
    total: { outBytes: 10 * GB, inBytes: 90 * GB, outPackets: 1e7, inPackets: 7.5e7 },
    other: nothingElse,
    peak: {
      out: { least: 5e6, estimate: 6e6, most: 8e6 },
      in: { least: 40e6, estimate: 50e6, most: 70e6 },
      both: { least: 45e6, estimate: 56e6, most: 78e6 },
      at: "2026-11-02T10:00:00.000Z",
    },
    byHour: [{ hour: "2026-11-02T10:00:00.000Z", outBytes: 1 * GB, inBytes: 9 * GB }],
    ...{ byGateway: [], rest: [], destinations: [] },
    destinationCount: 5,
    prefixes: [],
    services,
    flows: {
      opened: 100_000,
      clients: 20,
      concurrent: { low: 900, high: 4000 },
      openedPerSecond: 12,
      busiest: {
        address: "192.0.2.1",
        port: 443,
        protocol: 6,
        concurrent: { low: 600, high: 3000 },
        openedPerSecond: 8,
      },
      perClient: { low: 40, high: 190 },
      silences: { longestSeconds: 400, over: [{ seconds: 350, flows: 3 }], longest: [] },
    },
    ...change,
  };
}
