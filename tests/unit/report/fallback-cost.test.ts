/**
 * Cost of a standby NAT gateway in docs/choosing.md: from the price book, and from the intervals of the machine's reports and the
 * function's checks.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SWITCH_LOOKS } from "../../../components/aws/operators/route-switch-function.ts";
import { BEAT_SECONDS } from "../../../components/nat-instance/index.ts";
import { findPrice, priceSnapshots } from "../../../report/cost/prices.ts";

const HOURS = 730;
/** Prices of us-east-1. Sources: aws.amazon.com/cloudwatch/pricing and aws.amazon.com/lambda/pricing, read on 2026-11-22. */
const USD = { perThousandRequests: 0.01, perMetric: 0.3, perGbSecond: 0.0000133334, perMillionCalls: 0.2 };
const MEMORY_GB = 0.125;

const usd = (meter: string) => findPrice(priceSnapshots.aws, meter, "us-east-1")?.tiers[0]?.price as number;

it("equals the document", () => {
  const minutes = HOURS * 60;
  const beats = (minutes * 60) / BEAT_SECONDS;
  const waiting = (SWITCH_LOOKS - 1) * BEAT_SECONDS;
  const rows = {
    "gateway, idle": HOURS * usd("nat-gateway-hour"),
    "its address": HOURS * usd("public-ip-hour"),
    "the machine's reports": (beats / 1000) * USD.perThousandRequests,
    "the function's checks": (beats / 1000) * USD.perThousandRequests,
    "the metric": USD.perMetric,
    "the function's time":
      minutes * waiting * MEMORY_GB * USD.perGbSecond + (minutes / 1e6) * USD.perMillionCalls,
  };
  const text = readFileSync(new URL("../../../docs/choosing.md", import.meta.url), "utf8");
  const documented = (text.split("### A NAT gateway on standby")[1]?.split("\n### ")[0] ?? "").replaceAll(
    /\s+/g,
    " ",
  );
  for (const [what, cost] of Object.entries(rows)) {
    expect(documented).toMatch(new RegExp(`\\| ${what}[^|]*\\| ${cost.toFixed(2)} \\|`));
  }
  expect(documented).toContain(`${waiting} s of each minute`);
  const all = Object.values(rows).reduce((sum, one) => sum + Number(one.toFixed(2)), 0);
  expect(documented).toContain(`The total is ${all.toFixed(2)} USD a month`);
  const second = HOURS * (usd("vm-hour:t4g.micro") + 2 * usd("public-ip-hour")) + usd("disk-month");
  expect(documented).toContain(`for ${second.toFixed(2)}, with its disk and two more addresses`);
});
