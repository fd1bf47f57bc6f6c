/**
 * The example of Prometheus rules, and the queries of Grafana's dashboard, under Prometheus' own promtool, from Debian's
 * package: a pair without an active machine or without its standby, a machine without room and a limit of EC2 raise their
 * alarms; a healthy pair raises none. Opt-in, because it fetches the package: `npm test -- --project languages`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";

const rules = fileURLToPath(new URL("../../docs/examples/nat-instance-alerts.yml", import.meta.url));
const directory = mkdtempSync(`${tmpdir()}/egress-bench-alerts-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

beforeAll(() => {
  run("apt-get", "download", "prometheus");
  run("dpkg", "-x", readdirSync(directory).find((name) => name.endsWith(".deb")) ?? "", ".");
});

/** Samples each 15 s over five minutes. */
const series = (name: string, instance: string, values: string) => ({
  series: `egress_bench_nat_${name}{job="nat",instance="${instance}"}`,
  values,
});

/** The rule's own address, which promtool compares too. */
const runbookOf = (name: string): string =>
  parse(readFileSync(rules, "utf8")).groups[0].rules.find(({ alert }: { alert: string }) => alert === name)
    .annotations.runbook_url;

function judge(
  input: readonly object[],
  alertname: string,
  alerts: readonly { readonly exp_labels: object; readonly exp_annotations: object }[],
  eval_time = "5m",
): void {
  const runbook_url = runbookOf(alertname);
  const exp_alerts = alerts.map((one) => ({
    ...one,
    exp_annotations: { ...one.exp_annotations, runbook_url },
  }));
  const tested = {
    rule_files: [rules],
    evaluation_interval: "15s",
    tests: [
      {
        interval: "15s",
        input_series: input,
        alert_rule_test: [{ eval_time, alertname, exp_alerts }],
      },
    ],
  };
  writeFileSync(join(directory, "test.yml"), stringify(tested));
  expect(() => run("usr/bin/promtool", "test", "rules", "test.yml")).not.toThrow();
}

/** Metrics of a pair's two machines; the label `pair` holds both addresses and distinguishes pairs. */
const pairOf = (one: string, two: string) =>
  [one, two].map((instance) => ({
    series: `egress_bench_nat_pair{job="nat",instance="${instance}",pair="${one} ${two}"}`,
    values: "1x80",
  }));

const sound = [
  ...pairOf("a", "b"),
  series("active", "a", "1x20"),
  series("active", "b", "0x20"),
  series("ready", "a", "1x20"),
  series("ready", "b", "1x20"),
  series("peer_heard", "a", "1x20"),
  series("peer_heard", "b", "1x20"),
];

test.each([
  "NatPairNobodyActive",
  "NatPairBothActive",
  "NatPairNotReady",
  "NatPairAlone",
  "NatInstanceNoRoom",
  "NatInstanceEc2Limit",
])("%s raises no alarm for a healthy pair", (alertname) =>
  judge([...sound, series("conntrack_no_room_total", "a", "5x20")], alertname, []),
);

test("promtool accepts the rules, and refuses one with an error", () => {
  expect(run("usr/bin/promtool", "check", "rules", rules)).toMatch(/SUCCESS: 16 rules found/);
  writeFileSync(join(directory, "broken.yml"), "groups: [{ name: a, rules: [{ alert: A, expr: 'sum(' }] }]");
  expect(() => run("usr/bin/promtool", "check", "rules", "broken.yml")).toThrow(/parse error/);
});

test("two healthy pairs of one job raise no alarm", () => {
  const other = [...pairOf("c", "d"), series("active", "c", "0x20"), series("active", "d", "1x20")];
  for (const alertname of ["NatPairNobodyActive", "NatPairBothActive"]) {
    judge([...sound, ...other], alertname, []);
  }
});

test("a pair without an active machine and a machine without room raise alarms that name them", () => {
  // The healthy pair of the same job hides nothing.
  const dead = [...pairOf("c", "d"), series("active", "c", "0x20"), series("active", "d", "0x20")];
  judge([...sound, ...dead], "NatPairNobodyActive", [
    {
      exp_labels: { job: "nat", pair: "c d", severity: "critical" },
      exp_annotations: { summary: "Neither machine of the pair c d carries" },
    },
  ]);
  judge([series("conntrack_no_room_total", "a", "0+1x20")], "NatInstanceNoRoom", [
    {
      exp_labels: { job: "nat", instance: "a", severity: "critical" },
      exp_annotations: { summary: "a: connections found no room in the table" },
    },
  ]);
});

/** A machine's metrics on the limits of its EC2 type; two of them were exceeded. */
const allowances = ["bw_in", "bw_out", "pps", "conntrack", "linklocal"].map((limit) => ({
  series: `egress_bench_nat_${limit}_allowance_exceeded{job="nat",instance="a",interface="eth0"}`,
  values: limit === "pps" || limit === "conntrack" ? "0+1x80" : "5x80",
}));

test("each limit of EC2 raises an alarm of its own, which names it", () => {
  const off = (limit: string) => ({
    exp_labels: { job: "nat", instance: "a", interface: "eth0", limit, severity: "warning" },
    exp_annotations: { summary: `a: EC2 queues or drops by the instance type's limit ${limit}` },
  });
  judge(allowances, "NatInstanceEc2Limit", [off("conntrack"), off("pps")], "15m");
});

test("a pair without its standby raises an alarm at the remaining machine, and one at the dead machine", () => {
  const alone = [
    ...["active", "ready"].map((name) => series(name, "a", "1x80")),
    series("peer_heard", "a", "1x8 0x72"),
    series("conntrack_limit", "a", "1000x80"),
    { series: 'up{job="nat",instance="a"}', values: "1x80" },
    series("conntrack_limit", "b", "1000x8"),
    { series: 'up{job="nat",instance="b"}', values: "1x8 0x72" },
  ];
  judge(
    alone,
    "NatPairAlone",
    [
      {
        exp_labels: { job: "nat", instance: "a", severity: "critical" },
        exp_annotations: {
          summary: "a does not hear the pair's other machine: the next failure would end service",
        },
      },
    ],
    "15m",
  );
  judge(
    alone,
    "NatInstanceSilent",
    [
      {
        exp_labels: { job: "nat", instance: "b", severity: "critical" },
        exp_annotations: { summary: "b has not written its figures for a minute" },
      },
    ],
    "15m",
  );
});

/** Every metric in the rules or the dashboard, for both machines of a pair; counters increase. */
const published = (text: string) =>
  [...new Set([...text.matchAll(/egress_bench_nat_([a-z_]+)/g)].map(([, name = ""]) => name))].flatMap(
    (name) => ["a", "b"].map((machine) => series(name, machine, "1+1x80")),
  );

test("every query of the dashboard has figures", () => {
  const text = readFileSync(
    new URL("../../docs/examples/nat-instance-dashboard.json", import.meta.url),
    "utf8",
  );
  const { panels } = JSON.parse(text) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(queries.length).toBeGreaterThan(9);
  // Grafana replaces its variables by values.
  const asked = queries.map((query) =>
    query.replaceAll("$__rate_interval", "5m").replace(/\$(job|instance)\b/g, ".*"),
  );
  const promql_expr_test = asked.map((query) => ({
    expr: `count(${query}) > bool 0`,
    eval_time: "15m",
    exp_samples: [{ labels: "{}", value: 1 }],
  }));
  const tests = [{ interval: "15s", input_series: [...published(text), ...allowances], promql_expr_test }];
  writeFileSync(join(directory, "test.yml"), stringify({ evaluation_interval: "15s", tests }));
  expect(() => run("usr/bin/promtool", "test", "rules", "test.yml")).not.toThrow();
});
