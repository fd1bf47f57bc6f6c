import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bitRateText,
  formatBitRate,
  formatCount,
  formatMicroseconds,
  formatPercent,
  parseBitRate,
  parseDuration,
} from "../../../bench/plan/quantities.ts";

describe("parseBitRate", () => {
  it.each<[unknown, number]>([
    ["10M", 10e6],
    ["2G", 2e9],
    ["2.5G", 2.5e9],
    ["500K", 500e3],
    ["500k", 500e3],
    ["1.001M", 1_001_000],
    ["1T", 1e12],
    ["64000", 64_000],
    [1_000_000, 1e6],
    [" 10M ", 10e6],
    ["unlimited", 0],
  ])("reads %j as %d bit/s", (input, rate) => {
    expect(parseBitRate(input)).toBe(rate);
  });

  it.each([
    ...["10X", "10MB", "10 M", "M", "", "-1M", -1, "0", 0, "999", "1.0001K", "2T", "1e9", Number.NaN],
    ...[Number.POSITIVE_INFINITY, null, undefined, true, {}, ["10M"]],
  ])("refuses %j", (input) => {
    expect(parseBitRate(input)).toBeUndefined();
  });

  it("reads back what bitRateText writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e3, max: 1e12 }), (rate) => {
        expect(parseBitRate(bitRateText(rate))).toBe(rate);
      }),
    );
  });

  it.each([
    [0, "unlimited"],
    [10e6, "10M"],
    [2.5e9, "2500M"],
    [1_001_000, "1001K"],
    [1_000_001, "1000001"],
  ])("writes %d as %s", (rate, text) => {
    expect(bitRateText(rate)).toBe(text);
  });
});

describe("parseDuration", () => {
  it.each<[unknown, number]>([
    [30, 30],
    ["30", 30],
    ["30s", 30],
    ["5m", 300],
    ["1h", 3600],
    [1, 1],
    [3600, 3600],
  ])("reads %j as %d s", (input, duration) => {
    expect(parseDuration(input)).toBe(duration);
  });

  it.each([
    ...[0, -1, "-5s", 3601, "61m", "2h", 1.5, "1.5m", "5d", "", "s", null, undefined, Number.NaN, [30]],
    1e21,
  ])("refuses %j", (input) => {
    expect(parseDuration(input)).toBeUndefined();
  });
});

describe("formatting for people", () => {
  it.each([
    [9.41e9, "9.41 Gbit/s"],
    [11.5e9, "11.5 Gbit/s"],
    [137e6, "137 Mbit/s"],
    [999.4e6, "999 Mbit/s"],
    [999.6e6, "1.00 Gbit/s"],
    [9.996e6, "10.0 Mbit/s"],
    [99.96e6, "100 Mbit/s"],
    [1.5e15, "1500 Tbit/s"],
    [812, "812 bit/s"],
    [0, "0 bit/s"],
  ])("%d bit/s is %s", (rate, text) => {
    expect(formatBitRate(rate)).toBe(text);
  });

  it.each([
    [0, "0 %"],
    [0.004, "<0.01 %"],
    [0.0205, "0.02 %"],
    [1.23, "1.2 %"],
    [18.04, "18.0 %"],
    [100, "100 %"],
  ])("%d percent is %s", (percent, text) => {
    expect(formatPercent(percent)).toBe(text);
  });

  it.each([
    [0, "0 µs"],
    [16.139, "16.1 µs"],
    [117.9, "118 µs"],
    [999.7, "1.00 ms"],
    [1070, "1.07 ms"],
    [99_940, "99.9 ms"],
    [99_960, "100.0 ms"],
    [382_677.43, "382.7 ms"],
    [999_960, "1.00 s"],
    [1_200_000, "1.20 s"],
  ])("%d microseconds are %s", (time, text) => {
    expect(formatMicroseconds(time)).toBe(text);
  });

  it("never writes a number of a thousand or more below the last unit", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 9e14, noNaN: true }), (value) => {
        expect(Number.parseFloat(formatBitRate(value))).toBeLessThan(1000);
        expect(Number.parseFloat(formatMicroseconds(value / 1e7))).toBeLessThan(1000);
      }),
    );
  });
});

it.each([
  [0, "0"],
  [999.4, "999"],
  [999.5, "1.00k"],
  [12_345, "12.3k"],
  [1_200_000, "1.20M"],
])("formatCount writes %d as %s", (given, expected) => {
  expect(formatCount(given)).toBe(expected);
});
