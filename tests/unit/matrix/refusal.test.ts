/** Classification of the clouds' refusals, and the next place for a cell. */
import { describe, expect, it } from "vitest";
import { placesOf } from "../../../cli/run/places.ts";
import { isOfKind, refusalOf } from "../../../cli/run/refusal.ts";

/** Messages from the clouds' documentation. */
describe("a refusal", () => {
  it.each([
    [
      "api error InsufficientInstanceCapacity: We currently do not have sufficient c7g.8xlarge capacity in the Availability Zone you requested (us-east-1e)",
      { kind: "capacity" },
    ],
    [
      'Code="ZonalAllocationFailed" Message="Allocation failed. We do not have sufficient capacity for the requested VM size in this zone."',
      { kind: "capacity" },
    ],
    [
      'Code="SkuNotAvailable" Message="The requested VM size is currently not available in location"',
      { kind: "capacity" },
    ],
    [
      "api error VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of 32 allows",
      { kind: "quota", of: "vcpus" },
    ],
    [
      'Code="OperationNotAllowed" Message="Operation could not be completed as it results in exceeding approved standardDLSv5Family Cores quota."',
      { kind: "quota", of: "vcpus" },
    ],
    [
      "api error AddressLimitExceeded: The maximum number of addresses has been reached.",
      { kind: "quota", of: "addresses" },
    ],
    [
      'Code="PublicIPCountLimitReached" Message="Cannot create more than 10 public IP addresses"',
      { kind: "quota", of: "addresses" },
    ],
    [
      "api error VpcLimitExceeded: The maximum number of VPCs has been reached.",
      { kind: "quota", of: "networks" },
    ],
    ["api error RequestLimitExceeded: Request limit exceeded.", { kind: "throttled" }],
    ['autorest/azure: Service returned an error. Status=429 Code="TooManyRequests"', { kind: "throttled" }],
    ["AuthFailure: AWS was not able to validate the provided access credentials", null],
    ["InvalidParameterValue: port 42900 is out of range", null],
  ])("%s", (message, kind) => {
    expect(refusalOf(["something else", message])).toEqual(kind);
  });

  it("has the quota's kind", () => {
    expect(["L-1216C47A", "standardDLSv5Family", "cores"].every((one) => isOfKind(one, "vcpus"))).toBe(true);
    expect(["L-0263D0A3", "standardskupublicipaddresses"].every((one) => isOfKind(one, "addresses"))).toBe(
      true,
    );
    expect(isOfKind("L-F678F1CE", "vcpus")).toBe(false);
  });
});

describe("places", () => {
  const keys = { cloud: "azure", region: "japaneast", clientSize: "A", zone: "2" } as const;
  const cell = (own: object, axes: Record<string, string> = {}) => ({
    name: "c",
    axes,
    keys: { ...keys, ...own },
  });
  const none = { zones: {}, equalSizes: [], axes: [] };

  it("are the requested one, other zones, then equal sizes, each noted", () => {
    expect(placesOf(cell({}), { ...none, equalSizes: [["B", "A", "C"]] })).toEqual([
      { keys, note: null },
      { keys: { ...keys, zone: "1" }, note: "No capacity in zone 2: measured in zone 1." },
      { keys: { ...keys, zone: "3" }, note: "No capacity in zone 2: measured in zone 3." },
      {
        keys: { ...keys, clientSize: "B" },
        note: "No capacity for clientSize A: measured with B, which the matrix lists as equal.",
      },
      {
        keys: { ...keys, clientSize: "C" },
        note: "No capacity for clientSize A: measured with C, which the matrix lists as equal.",
      },
    ]);
  });

  it("never leave a zone that an axis compares", () => {
    expect(placesOf(cell({}, { zone: "2" }), none)).toHaveLength(1);
  });

  it("on AWS are the file's zones: each account has its own letters", () => {
    const aws = { cloud: "aws", region: "us-east-1", zone: undefined } as const;
    expect(placesOf(cell(aws), none)).toHaveLength(1);
    const zones = { "us-east-1": ["us-east-1a", "us-east-1b"] };
    expect(placesOf(cell(aws), { ...none, zones }).map((one) => one.keys.zone)).toEqual([
      undefined,
      "us-east-1a",
      "us-east-1b",
    ]);
  });
});
