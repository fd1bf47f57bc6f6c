/**
 * On-demand in place of spot: the requests to AWS, and their effect by AWS's documented rules, minute by minute. Not
 * proved: how long each step takes, and that EC2 releases the interface in time.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NatInstance, type NatInstanceArgs } from "../../../components/aws/index.ts";
import { existing, mocked } from "../../helpers/aws-standin/mocks.ts";

const args: NatInstanceArgs = {
  vpcId: existing.vpcId,
  subnetId: existing.subnetId,
  privateRouteTableIds: [existing.privateRouteTableId],
  privateCidrs: ["10.0.1.0/24"],
  autoHeal: true,
};
const nat = (spot: NatInstanceArgs["spot"]) => mocked(() => new NatInstance("n", { ...args, spot }));

describe("a NAT instance on spot that falls back", () => {
  it("has a second, empty group of the same machine, on demand", async () => {
    const stack = await nat({ instanceTypes: ["t4g.small"], onDemandFallback: {} });
    const [spot, onDemand] = ["n-nat-spot", "n-nat-spot-on-demand"].map((name) =>
      stack.inputs("Group", name),
    );
    expect(spot).toMatchObject({ minSize: 0, maxSize: 1, desiredCapacity: 1 });
    expect(spot.mixedInstancesPolicy.instancesDistribution.onDemandPercentageAboveBaseCapacity).toBe(0);
    expect(onDemand).toMatchObject({ minSize: 0, maxSize: 1, desiredCapacity: 0 });
    expect(onDemand.launchTemplate.id).toBe(
      spot.mixedInstancesPolicy.launchTemplate.launchTemplateSpecification.launchTemplateId,
    );
    for (const same of ["availabilityZones", "healthCheckType", "tags"]) {
      expect(onDemand[same], same).toEqual(spot[same]);
    }
  });

  it("watches the spot group's missing machine, and resizes both groups", async () => {
    const stack = await nat({ onDemandFallback: { retryHourUtc: 3 } });
    const alarm = stack.inputs("MetricAlarm", "n-nat-spot-lacks-spot");
    expect(alarm).toMatchObject({ threshold: 1, evaluationPeriods: 5, treatMissingData: "notBreaching" });
    const policies = ["n-nat-spot-no-spot", "n-nat-spot-on-demand-instead"];
    expect(alarm.alarmActions).toHaveLength(policies.length);
    const groups = policies.map((name) => {
      const { autoscalingGroupName, adjustmentType, stepAdjustments } = stack.inputs("Policy", name);
      expect(adjustmentType).toBe("ExactCapacity");
      return [autoscalingGroupName, stepAdjustments[0].scalingAdjustment];
    });
    const names = ["n-nat-spot", "n-nat-spot-on-demand"].map((name) => stack.id("Group", name));
    expect(groups).toEqual([
      [names[0], 0],
      [names[1], 1],
    ]);
    expect(stack.inputs("Group", "n-nat-spot").enabledMetrics).toEqual(
      alarm.metricQueries.flatMap((query: Query) => query.metric?.metricName ?? []),
    );
    const daily = ["n-nat-spot-retry-end", "n-nat-spot-retry-spot"].map((name) =>
      stack.inputs("Schedule", name),
    );
    expect(daily.map(({ recurrence, desiredCapacity }) => [recurrence, desiredCapacity])).toEqual([
      ["0 3 * * *", 0],
      ["2 3 * * *", 1],
    ]);
  });

  it("has none of it by default", async () => {
    const stack = await nat({});
    const types = stack.resources.map(({ type }) => type);
    expect(types.filter((type) => /MetricAlarm|Policy$|Schedule/.test(type))).toEqual([]);
    expect(stack.inputs("Group", "n-nat")).toMatchObject({ minSize: 1, maxSize: 1 });
  });
});

interface Query {
  readonly metric?: { readonly metricName: string };
}

type Stack = Awaited<ReturnType<typeof nat>>;
const GROUPS = ["n-nat-spot", "n-nat-spot-on-demand"] as const;

/** Number of each group's machines in each minute of a day, by the requests to AWS. Launches take no time here. */
function play(stack: Stack, hasSpot: (minute: number) => boolean) {
  const [spot, onDemand] = GROUPS.map((name) => stack.id("Group", name)) as [string, string];
  const desired = Object.fromEntries(
    GROUPS.map((name) => [stack.id("Group", name), Number(stack.inputs("Group", name).desiredCapacity)]),
  ) as Record<string, number>;
  const running: Record<string, number> = { [spot]: 0, [onDemand]: 0 };
  const alarm = stack.inputs("MetricAlarm", "n-nat-spot-lacks-spot");
  const actions = ["n-nat-spot-no-spot", "n-nat-spot-on-demand-instead"].map((name) =>
    stack.inputs("Policy", name),
  );
  const schedules = ["n-nat-spot-retry-end", "n-nat-spot-retry-spot"].map((name) => {
    const { autoscalingGroupName, desiredCapacity, recurrence } = stack.inputs("Schedule", name);
    const [minute, hour] = recurrence.split(" ").map(Number);
    return { autoscalingGroupName, desiredCapacity, minute: 60 * hour + minute };
  });
  let lacking = 0;
  return Array.from({ length: 24 * 60 }, (_, minute) => {
    for (const one of schedules.filter((due) => due.minute === minute)) {
      desired[one.autoscalingGroupName] = one.desiredCapacity;
    }
    running[spot] = Math.min(running[spot]!, desired[spot]!, hasSpot(minute) ? 1 : 0);
    running[onDemand] = Math.min(running[onDemand]!, desired[onDemand]!);
    // The interface is in one machine at a time.
    if (desired[spot] === 1 && hasSpot(minute) && running[onDemand] === 0) running[spot] = 1;
    if (desired[onDemand] === 1 && running[spot] === 0) running[onDemand] = 1;
    lacking = desired[spot]! - running[spot]! >= alarm.threshold ? lacking + 1 : 0;
    if (lacking >= alarm.evaluationPeriods) {
      for (const { autoscalingGroupName, stepAdjustments } of actions) {
        desired[autoscalingGroupName] = stepAdjustments[0].scalingAdjustment;
      }
    }
    return { spot: running[spot]!, onDemand: running[onDemand]! };
  });
}

describe("a day of it", () => {
  it("never has two machines, and is never long without one", async () => {
    const stack = await nat({ onDemandFallback: {} });
    const lacks = fc.array(fc.record({ from: fc.nat(1439), length: fc.nat(600) }), { maxLength: 5 });
    fc.assert(
      fc.property(lacks, (all) => {
        const minutes = play(
          stack,
          (at) => !all.some(({ from, length }) => at >= from && at < from + length),
        );
        expect(minutes.every(({ spot, onDemand }) => spot + onDemand <= 1)).toBe(true);
        const gaps = minutes.map(({ spot, onDemand }) => (spot + onDemand === 0 ? "-" : "x")).join("");
        // At most two waits in a row: one that the retry interrupts, and the retry's own.
        expect(Math.max(...gaps.split("x").map(({ length }) => length))).toBeLessThanOrEqual(5 + 2 + 5);
      }),
    );
  });

  it("takes five minutes to fall back, and goes back to spot at the hour of the retry", async () => {
    const minutes = play(await nat({ onDemandFallback: {} }), (at) => at < 30 || at >= 60);
    expect(minutes[29]).toEqual({ spot: 1, onDemand: 0 });
    expect(minutes[34]).toEqual({ spot: 0, onDemand: 0 });
    expect(minutes[35]).toEqual({ spot: 0, onDemand: 1 });
    expect(minutes[4 * 60 - 1]).toEqual({ spot: 0, onDemand: 1 });
    expect(minutes[4 * 60 + 2]).toEqual({ spot: 1, onDemand: 0 });
  });
});
