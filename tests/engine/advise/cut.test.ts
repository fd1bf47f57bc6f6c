/** Files that end in the middle. Read by the real engine. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { awsLog, azureLog, trafficOf } from "../../helpers/flow-logs.ts";

const T = 1_790_000_000;
const out = { source: "10.0.0.1", destination: "192.0.2.1", bytes: 1000, start: T, end: T + 30 };

describe("files cut in the middle are used up to there", () => {
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

  it("gzip that ends where it says is not cut", async () => {
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
