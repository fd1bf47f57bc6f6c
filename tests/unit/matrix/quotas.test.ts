/** Quotas that a matrix counts in advance, compared with those counted in the resources of each ready-made stack. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { readStackFile } from "../../../cli/pulumi/stack-file.ts";
import { quotaDemandOfStack } from "../../../cli/run/quotas.ts";

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
