/** Quotas that a matrix counts in advance, compared with those counted in the resources of each ready-made stack. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { readStackFile } from "../../../cli/pulumi/stack-file.ts";
import { quotaDemandOfStack, refusedOf } from "../../../cli/run/quotas.ts";

/** Rows of the page written by the components' tests: amount by `stack region quota`. */
function counted(cloud: string): Map<string, Map<string, number>> {
  const rows = readFileSync(`docs/quotas/${cloud}.md`, "utf8").matchAll(
    /^\| `([^`]+)` \| (\S*) *\| [^|]+ \| `([^`]+)` \| (\d+) \/ \d+ \|$/gm,
  );
  const all = new Map<string, Map<string, number>>();
  for (const [, stack = "", region = "", quota = "", amount] of rows) {
    const own = all.get(stack) ?? new Map();
    all.set(stack, own);
    if (Number(amount) > 0) {
      own.set(`${cloud === "aws" ? "" : region} ${quota}`, Number(amount));
    }
  }
  return all;
}

describe.each(["aws", "azure"])("quotas of %s", (cloud) => {
  const pages = [...counted(cloud)];

  it("has all ready-made stacks to compare with", () => {
    expect(pages.length).toBeGreaterThan(8);
  });

  it.each(pages)("of %s equal those of its resources", (stack, quotas) => {
    const demands = quotaDemandOfStack(readStackFile(stack), parsePlan("quick"));
    const own = demands.map(({ region, quota, amount }) => [
      `${cloud === "aws" ? "" : region} ${quota}`,
      amount,
    ]);
    expect(Object.fromEntries(own)).toEqual(Object.fromEntries(quotas));
  });
});

/** Messages from the clouds' documentation. */
it.each([
  [
    "api error VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of 32 allows",
    ["aws r l-1216c47a", "azure r cores"],
  ],
  [
    'Code="OperationNotAllowed" Message="Operation could not be completed as it results in exceeding approved standardDLSv5Family Cores quota."',
    ["aws r l-1216c47a", "azure r cores"],
  ],
  [
    "api error AddressLimitExceeded: The maximum number of addresses has been reached.",
    ["aws r l-0263d0a3", "azure r standardskupublicipaddresses"],
  ],
  [
    'Code="PublicIPCountLimitReached" Message="Cannot create more than 10 public IP addresses"',
    ["aws r l-0263d0a3", "azure r standardskupublicipaddresses"],
  ],
  ["api error VpcLimitExceeded: The maximum number of VPCs has been reached.", ["aws r l-f678f1ce"]],
  ["NatGatewayLimitExceeded: The maximum number of NAT gateways has been reached", ["aws r l-fe5a380f"]],
  ["InsufficientInstanceCapacity: We currently do not have sufficient c7g.8xlarge capacity", []],
  ["AuthFailure: AWS was not able to validate the provided access credentials", []],
])("the quotas that a cloud refused: %s", (message, pools) => {
  const names = ["l-1216c47a", "l-0263d0a3", "l-f678f1ce", "l-fe5a380f"].map((one) => `aws r ${one}`);
  const all = [...names, "azure r cores", "azure r standardskupublicipaddresses"];
  const tokens = all.map((pool) => ({ pool, amount: 1 }));
  expect(refusedOf(tokens, ["something else", message]).map(({ pool }) => pool)).toEqual(pools);
});
