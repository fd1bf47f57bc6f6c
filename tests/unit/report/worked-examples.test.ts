/** Worked examples of public write-ups: what they publish is reproduced to the cent, or the difference is explained by its parts. */
import { expect, it } from "vitest";
import { answerOf } from "../../../report/choice/answer.ts";
import { defaultNeeds, type Needs } from "../../../report/choice/needs.ts";
import { candidates } from "./ways.ts";

/** Dollars a month of one way out of us-east-1. */
function costOf(id: string, needs: Partial<Needs>, natSize?: string): number | null | undefined {
  const { assessed } = answerOf(candidates("aws", natSize), { ...defaultNeeds, ...needs });
  return assessed.find((one) => one.id === id)?.totalCost;
}

// We count the address, 730 h x 0.005, and the 100 GB of egress that are free, 100 x 0.09.
const ADDRESS = 3.65;
const FREE = 9;

it("5 TB in and 5 TB out: 954 USD by a NAT gateway, 526 by c6gn.large, 428 less (chime/terraform-aws-alternat, README at 02cb3d3)", () => {
  const traffic = { gbIn: 5120, gbOut: 5120 };
  const gateway = costOf("nat-gateway", traffic);
  // 730 x 0.045 + 10,240 x 0.045 + 5,120 x 0.09 = 954.45.
  expect(gateway).toBeCloseTo(954.45 + ADDRESS - FREE, 2);
  // 730 x 0.0864 + 5,120 x 0.09 = 523.87, and about 2 USD for a disk, which is 0.64 of 8 GB here.
  const machine = costOf("nat-instance", traffic, "c6gn.large");
  expect(machine).toBeCloseTo(523.87 + 0.64 + ADDRESS - FREE, 2);
  expect(gateway! - machine!).toBeCloseTo(428 + 1.94, 1);
  // The answer is cheaper still: 31 Mbit/s in the mean need no machine of 2 vCPUs and 25 Gbit/s.
  const { pick } = answerOf(candidates("aws"), { ...defaultNeeds, ...traffic });
  expect(pick?.totalCost).toBeLessThan(machine!);
});

it("10 TB out by three NAT gateways: 557 USD and 912 of egress (egresscost.com/nat-gateway)", () => {
  // 3 x 720 h x 0.045 + 10,240 x 0.045 = 558.00, for months of 720 h; ours has 10 h more; 10,140 x 0.09 = 912.60.
  expect(costOf("nat-gateway", { gbIn: 0, gbOut: 10_240, zones: 3 })).toBeCloseTo(
    558 + 3 * 10 * 0.045 + 3 * ADDRESS + 912.6,
    2,
  );
});

it("500 GB out by three NAT gateways: 166.05 USD (wring.co/blog/aws-nat-gateway-pricing-guide)", () => {
  // 98.55 + 22.50 + 45.00.
  expect(costOf("nat-gateway", { gbIn: 0, gbOut: 500, zones: 3 })).toBeCloseTo(
    166.05 + 3 * ADDRESS - FREE,
    2,
  );
});
