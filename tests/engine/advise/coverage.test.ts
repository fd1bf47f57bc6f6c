/**
 * The time that a log covers, and the bursts that its intervals hide: months and peaks, compared with plain arithmetic over
 * each test's records.
 */
import { describe, expect, it } from "vitest";
import { advise } from "../../../packages/advise/src/advice.ts";
import { monthOf } from "../../../packages/advise/src/month.ts";
import {
  AWS_HEADER,
  type AwsRecord,
  adviceOptions,
  awsLine,
  azureLog,
  trafficOf,
} from "../../helpers/flow-logs.ts";

/** Monday, 2026-11-02, 00:00 UTC. */
const MONDAY = Date.UTC(2026, 10, 2) / 1000;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** Records of 10 minutes between these times, without a gap. */
function busy(from: number, to: number, bytes: number): AwsRecord[] {
  return Array.from({ length: (to - from) / 600 }, (_, index) => ({
    ...{ source: "10.0.0.1", destination: "192.0.2.1", sourcePort: 20_000 + (index % 1000), bytes },
    ...{ start: from + index * 600, end: from + (index + 1) * 600 },
  }));
}

/** AWS's lines for intervals without a record. */
function quiet(from: number, to: number, status = "NODATA"): string[] {
  return Array.from(
    { length: (to - from) / 600 },
    (_, index) =>
      `2 123456789012 eni-1 - - - - - - - ${from + index * 600} ${from + (index + 1) * 600} - ${status}`,
  );
}

const log = (...lines: readonly string[]) => ({ "a.log": `${[AWS_HEADER, ...lines].join("\n")}\n` });

describe("the time that a log covers", () => {
  // 48 records of 0.1 GB: 4.8 GB a day.
  const office = (day: number) => busy(day + 9 * HOUR, day + 17 * HOUR, 1e8);

  it.each(["NODATA", "SKIPDATA"])(
    "%s is covered: a day with traffic from 9 to 17 h makes 146 GB",
    async (status) => {
      const traffic = await trafficOf(
        log(
          ...quiet(MONDAY, MONDAY + 9 * HOUR, status),
          ...office(MONDAY).map(awsLine),
          ...quiet(MONDAY + 17 * HOUR, MONDAY + DAY, status),
        ),
      );
      expect(traffic.hours).toBeCloseTo(24, 6);
      expect(monthOf(traffic, "us-east-1").all.gbOut).toBeCloseTo((48 * 0.1 * 730) / 24, 6);
      expect(traffic.gaps).toEqual([]);
    },
  );

  it("an office week, Monday to Friday, is seven days", async () => {
    const lines = Array.from({ length: 7 }, (_, index) => MONDAY + index * DAY).flatMap((day, index) =>
      index >= 5
        ? quiet(day, day + DAY)
        : [...quiet(day, day + 9 * HOUR), ...office(day).map(awsLine), ...quiet(day + 17 * HOUR, day + DAY)],
    );
    const traffic = await trafficOf(log(...lines));
    expect(monthOf(traffic, "us-east-1").all.gbOut).toBeCloseTo((5 * 4.8 * 730) / 168, 6);
  });

  it("missing days are unknown, not zero: two logged days of seven, with a warning", async () => {
    const days = [MONDAY, MONDAY + 6 * DAY];
    const traffic = await trafficOf(log(...days.flatMap((day) => busy(day, day + DAY, 1e8)).map(awsLine)));
    expect(traffic.hours).toBeCloseTo(48, 6);
    expect(monthOf(traffic, "us-east-1").all.gbOut).toBeCloseTo((2 * 144 * 0.1 * 730) / 48, 6);
    expect(traffic.gaps).toEqual([{ from: "2026-11-03T00:00:00.000Z", to: "2026-11-08T00:00:00.000Z" }]);
    expect(advise(traffic, adviceOptions).warnings.join("\n")).toContain(
      "The log has no record for 120.0 of 168.0 hours, as from 2026-11-03 00:00 UTC to 2026-11-08 00:00 UTC",
    );
  });

  it("an hour without NODATA is missing if other hours have NODATA", async () => {
    const lines = [
      ...quiet(MONDAY, MONDAY + HOUR),
      ...busy(MONDAY + HOUR, MONDAY + 2 * HOUR, 1e8).map(awsLine),
      ...busy(MONDAY + 6 * HOUR, MONDAY + 7 * HOUR, 1e8).map(awsLine),
    ];
    expect((await trafficOf(log(...lines))).hours).toBeCloseTo(3, 6);
  });

  it("a night without records is quiet if the log never has NODATA", async () => {
    const lines = [...office(MONDAY), ...office(MONDAY + DAY)].map(awsLine);
    expect(await trafficOf(log(...lines))).toMatchObject({ hours: 32, gaps: [] });
  });
});

describe("bursts that an interval hides", () => {
  /** A day with one busy minute at this rate, in a record of 10 minutes. */
  const dayWith = async (bitsPerSecond: number) => {
    const records = busy(MONDAY, MONDAY + DAY, 1e6);
    records[60] = { ...records[60]!, bytes: (bitsPerSecond / 8) * 60 };
    const traffic = await trafficOf(log(...records.map(awsLine)));
    // Spread over ten minutes it looks like a tenth of the real rate.
    expect(traffic.peak!.both.estimate / bitsPerSecond).toBeCloseTo(0.1, 3);
    expect(traffic.peak!.both.most).toBeGreaterThanOrEqual(bitsPerSecond);
    return advise(traffic, adviceOptions);
  };

  it("a minute of 808 Mbit/s in a record of 10: the advice has both rates, and says that sizes are the same", async () => {
    const { atMost, notes } = await dayWith(808e6);
    expect(notes).toContain(atMost?.text);
    expect(atMost).toMatchObject({ changes: false });
    expect(atMost?.text).toMatch(/80\.8 Mbit\/s .* 808 Mbit\/s .* That changes neither way out nor size/);
  });

  it("a minute of 16 Gbit/s: a warning names the needed size", async () => {
    const { atMost, warnings, options: ways } = await dayWith(16e9);
    const sizeOf = (all: readonly { candidate: string; size: string | null }[]) =>
      all.find(({ candidate }) => candidate === "nat-instance")?.size;
    const estimated = sizeOf(ways.map(({ candidate, need }) => ({ candidate, size: need.size })));
    const most = sizeOf(atMost!.options);
    expect(most).not.toBe(estimated);
    expect(warnings).toContain(atMost?.text);
    expect(atMost?.text).toMatch(/1\.6\d? Gbit\/s .* 16\.\d* ?Gbit\/s/);
  });

  it("gives no warning if intervals of a minute hide little", async () => {
    const lines = Array.from({ length: 120 }, (_, index) => ({
      ...{ source: "10.0.0.1", destination: "192.0.2.1", bytes: 1e6 },
      ...{ start: MONDAY + index * 60, end: MONDAY + index * 60 + 59 },
    }));
    const advice = advise(await trafficOf(log(...lines.map(awsLine))), adviceOptions);
    expect(advice.atMost).toBeNull();
  });
});

describe("Azure's flows that were open before the log begins", () => {
  // 100 flows at 5.6 Mbit/s each, 560 Mbit/s in all, with a tuple every five minutes.
  const perTuple = (5.6e6 / 8) * 300;
  const start = MONDAY * 1000;
  const tuples = Array.from({ length: 100 }, (_, port) =>
    [1, 2, 3].map(
      (step) =>
        `${start + step * 300_000},10.0.0.1,192.0.2.1,${20_000 + port},443,6,O,C,NX,9,${perTuple},0,0`,
    ),
  ).flat();

  it.each(["C", "E"])("a first tuple of state %s may cover five minutes", async (state) => {
    const some = tuples.map((tuple) => tuple.replace(",O,C,", `,O,${state},`));
    const traffic = await trafficOf({ "a.json": azureLog({ A: some }) });
    expect(traffic.peak!.both.estimate / 560e6).toBeCloseTo(1, 3);
  });

  it("a denied flow covers no time before it: the log covers its flows' times", async () => {
    const denied = `${start + 300_000},10.0.0.1,192.0.2.9,20000,22,6,O,D,NX,0,0,0,0`;
    const ended = `${start + 2 * 300_000},10.0.0.1,192.0.2.1,20000,443,6,O,E,NX,9,1000,9,1000`;
    const opened = ended.replace(String(start + 2 * 300_000), String(start + 300_000)).replace(",E,", ",B,");
    const traffic = await trafficOf({ "a.json": azureLog({ A: [denied, opened, ended] }) });
    expect(traffic.from).toBe(new Date(start + 300_000).toISOString());
    expect(traffic.hours).toBeCloseTo(300 / HOUR, 9);
  });

  it("the region is read from flowLogResourceID", async () => {
    const id =
      "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/NetworkWatcherRG/providers/Microsoft.Network/networkWatchers/NetworkWatcher_westeurope/flowLogs/vnet";
    const of = (value: string) =>
      trafficOf({
        "a.json": azureLog({ A: tuples }).replace(
          '"macAddress"',
          `"flowLogResourceID":${JSON.stringify(value)},"macAddress"`,
        ),
      });
    expect((await of(id)).region).toBe("westeurope");
    expect((await of(id.toUpperCase())).region).toBe("westeurope");
    expect((await of(id.replace("NetworkWatcher_westeurope", "mine"))).region).toBeNull();
    expect((await of(id.replace("_westeurope", "_\u001b[2J"))).region).toBeNull();
  });
});
