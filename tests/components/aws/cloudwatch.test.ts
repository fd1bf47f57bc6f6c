/**
 * A NAT instance that publishes to CloudWatch: its role and its user data. Its publications:
 * tests/lab/nat-instance/published-metrics.test.ts.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Mocked } from "../../helpers/aws-standin/mocks.ts";
import {
  natInstance,
  setUpScript,
  statements,
  templateData,
  userData,
} from "../../helpers/aws-standin/nat.ts";
import { sectionOf } from "../../helpers/doc-blocks.ts";
import { unpacked } from "../../helpers/unpacked.ts";

const roles = (stack: Mocked<unknown>) => stack.aws().filter((one) => /^(Role|InstanceProfile)/.test(one));

const publishing = (namespace: string) => ({
  Effect: "Allow",
  Action: "cloudwatch:PutMetricData",
  Resource: "*",
  Condition: { StringEquals: { "cloudwatch:namespace": namespace } },
});

it("gets a role that allows to publish into its namespace, and nothing else", async () => {
  const stack = await natInstance({ cloudWatch: true });
  expect(statements(stack, "n-metrics-policy")).toEqual([publishing("EgressBench/NatInstance")]);
  expect(stack.inputs("Instance", "n-nat-machine").iamInstanceProfile).toBe(
    stack.outputs("InstanceProfile", "n-metrics-profile").name,
  );
  const text = userData(stack);
  expect(text).toMatch(/namespace=EgressBench\/NatInstance/);
  expect(text).toContain(`machine=n-nat`);
  expect(text).toMatch(/packages="[^"]*\bcurl\b/);
  // The role has no right for Systems Manager, which would never report.
  expect(stack.aws().filter((one) => one.startsWith("Association"))).toEqual([]);
});

it("uses its owner's role, and makes none", async () => {
  const stack = await natInstance({ cloudWatch: { namespace: "Mine/Nat" }, iamInstanceProfile: "mine" });
  expect(roles(stack)).toEqual([]);
  expect(stack.inputs("Instance", "n-nat-machine").iamInstanceProfile).toBe("mine");
  expect(userData(stack)).toMatch(/namespace=Mine\/Nat/);
});

it("publishes both machines of a pair, by the role for take-overs", async () => {
  const stack = await natInstance({ cloudWatch: true, highAvailability: {} });
  expect(roles(stack)).toEqual([
    "InstanceProfile n-pair-profile",
    "Role n-pair-role",
    "RolePolicy n-pair-policy",
    "RolePolicyAttachment n-pair-AmazonSSMManagedInstanceCore",
  ]);
  expect(statements(stack, "n-pair-policy").at(-1)).toEqual(publishing("EgressBench/NatInstance"));
  for (const machine of ["n-nat-1", "n-nat-2"]) {
    expect(setUpScript(stack, machine)).toMatch(new RegExp(`machine=${machine}$`, "m"));
  }
});

it("that heals itself has the same user data, within EC2's limit", async () => {
  const stack = await natInstance({ cloudWatch: true, autoHeal: true });
  const packed = templateData(stack);
  expect(packed.length).toBeLessThan(16_384);
  expect(unpacked(packed)).toMatch(/namespace=EgressBench\/NatInstance/);
});

it("publishes nothing unless asked to", async () => {
  const stack = await natInstance({});
  expect(roles(stack)).toEqual([]);
  expect(userData(stack)).not.toContain("PutMetricData");
});

it.each(["AWS/EC2", "aws/nat", "two words", "", "$(reboot)", "x".repeat(256)])(
  "the namespace %j is refused",
  async (namespace) => {
    await expect(natInstance({ cloudWatch: { namespace } })).rejects.toThrow(
      /cloudWatch\.namespace: got ".*"; expected/,
    );
  },
);

const published = [
  "ActiveConnectionCount",
  "ConnectionTableUsed",
  "ErrorPortAllocation",
  "ConnectionsDropped",
];

/** Metrics that the machine's own program publishes, read from its text. */
const namesIn = (text: string) =>
  [...text.matchAll(/^ *(?:\[.*\] \|\| )?metric (\w+) /gm)].map(([, name]) => name);

it("creates alarms on its published metrics, which notify the given topics", async () => {
  const actions = ["arn:aws:sns:us-east-1:123456789012:pager"];
  const stack = await natInstance({ cloudWatch: { alarms: { actions } } });
  const alarms = stack.aws().filter((one) => one.startsWith("MetricAlarm "));
  expect(alarms).toHaveLength(7);
  const known = namesIn(userData(stack));
  expect(known).toEqual(expect.arrayContaining(published));
  for (const alarm of alarms) {
    const inputs = stack.inputs("MetricAlarm", alarm.replace("MetricAlarm ", ""));
    expect(known).toContain(inputs.metricName);
    expect(inputs).toMatchObject({
      namespace: "EgressBench/NatInstance",
      dimensions: { NatInstance: "n-nat" },
      alarmActions: actions,
      okActions: actions,
    });
  }
  // A missing machine publishes nothing, and one alarm reports that.
  const silent = alarms.filter(
    (one) => stack.inputs("MetricAlarm", one.replace("MetricAlarm ", "")).treatMissingData === "breaching",
  );
  expect(silent).toEqual(["MetricAlarm n-nat-Silent"]);
  expect(stack.inputs("MetricAlarm", "n-nat-Silent").alarmDescription).toMatch(/#a-machine-died$/);
});

it("of a pair alarms when no machine is active, and when one is not ready", async () => {
  const stack = await natInstance({ cloudWatch: { alarms: {}, dashboard: true }, highAvailability: {} });
  expect(stack.aws().filter((one) => one.startsWith("MetricAlarm "))).toHaveLength(21);
  expect(readFileSync("components/aws/nat-args.ts", "utf8")).toContain("7 of one machine, 21 of a pair");
  const nobody = stack.inputs("MetricAlarm", "n-nobody-active");
  const watched = nobody.metricQueries.flatMap(({ metric }: { metric?: { dimensions: object } }) =>
    metric === undefined ? [] : [metric.dimensions],
  );
  expect(watched).toEqual([{ NatInstance: "n-nat-1" }, { NatInstance: "n-nat-2" }]);
  expect(nobody).toMatchObject({
    comparisonOperator: "LessThanThreshold",
    threshold: 1,
    treatMissingData: "breaching",
  });
  expect(stack.inputs("MetricAlarm", "n-nat-2-Ready")).toMatchObject({
    comparisonOperator: "LessThanThreshold",
    threshold: 1,
    // A silent machine has an alarm of its own.
    treatMissingData: "notBreaching",
  });
  const { widgets } = JSON.parse(stack.inputs("Dashboard", "n-dashboard").dashboardBody) as {
    widgets: { properties: { metrics: unknown[][] } }[];
  };
  const shown = widgets.flatMap(({ properties }) =>
    properties.metrics.filter((line) => line.length > 1).map(([, metric]) => metric),
  );
  const metrics = namesIn(setUpScript(stack, "n-nat-1"));
  expect(new Set(shown)).toEqual(new Set(metrics));
  const listed = sectionOf("docs/reference/nat-metrics.md", "in-cloudwatch").match(/^\| `.*?\|/gm) ?? [];
  expect(listed.join().match(/\w+/g)?.toSorted()).toEqual(metrics.toSorted());
  expect(sectionOf("docs/nat-instance.md", "metrics")).toMatch(
    /ten for a single machine, fourteen for each machine\s+of a pair/,
  );
  expect(metrics).toHaveLength(14);
});

it("each alarm leads to the runbook that names it", async () => {
  const stack = await natInstance({ cloudWatch: { alarms: {} }, highAvailability: {} });
  const names = stack.aws().flatMap((one) => (one.startsWith("MetricAlarm ") ? [one.slice(12)] : []));
  const lost = names.filter((name) => {
    const [, path = "", anchor = ""] =
      /\. Runbook: egress-bench, (docs\/runbooks\.md)#(.*)$/.exec(
        stack.inputs("MetricAlarm", name).alarmDescription,
      ) ?? [];
    return path === "" || !sectionOf(path, anchor).includes(`\`…-${name.replace(/^n-(nat-\d-)?/, "")}\``);
  });
  expect({ lost, all: names.length }).toEqual({ lost: [], all: 21 });
});

it("makes neither alarms nor a dashboard by default", async () => {
  const stack = await natInstance({ cloudWatch: true });
  expect(stack.aws().filter((one) => /^(MetricAlarm|Dashboard) /.test(one))).toEqual([]);
});
