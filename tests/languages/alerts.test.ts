/**
 * The example of Prometheus rules, and the queries of Grafana's dashboard, by Prometheus' own promtool, from Debian's package: a pair that nobody carries, and a machine
 * without room, raise their alarms; a sound pair raises none. Opt-in, as it fetches the package: `npm test -- --project languages`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";

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

function judge(input: readonly object[], alertname: string, alerts: readonly object[]): void {
  const tested = {
    rule_files: [rules],
    evaluation_interval: "15s",
    tests: [
      {
        interval: "15s",
        input_series: input,
        alert_rule_test: [{ eval_time: "5m", alertname, exp_alerts: alerts }],
      },
    ],
  };
  writeFileSync(join(directory, "test.yml"), stringify(tested));
  expect(() => run("usr/bin/promtool", "test", "rules", "test.yml")).not.toThrow();
}

const sound = [
  series("active", "a", "1x20"),
  series("active", "b", "0x20"),
  series("ready", "a", "1x20"),
  series("ready", "b", "1x20"),
];

test.each(["NatPairNobodyActive", "NatPairBothActive", "NatPairNotReady", "NatInstanceNoRoom"])(
  "%s does not go off for a sound pair",
  (alertname) => judge([...sound, series("conntrack_no_room_total", "a", "5x20")], alertname, []),
);

test("promtool takes the rules, and refuses one that an error is in", () => {
  expect(run("usr/bin/promtool", "check", "rules", rules)).toContain("13 rules found");
  writeFileSync(join(directory, "broken.yml"), "groups: [{ name: a, rules: [{ alert: A, expr: 'sum(' }] }]");
  expect(() => run("usr/bin/promtool", "check", "rules", "broken.yml")).toThrow(/parse error/);
});

test("a pair that nobody carries and a machine without room go off, and say of which", () => {
  judge([series("active", "a", "0x20"), series("active", "b", "0x20")], "NatPairNobodyActive", [
    {
      exp_labels: { job: "nat", severity: "critical" },
      exp_annotations: { summary: "None of the machines of nat carries" },
    },
  ]);
  judge([series("conntrack_no_room_total", "a", "0+1x20")], "NatInstanceNoRoom", [
    {
      exp_labels: { job: "nat", instance: "a", severity: "critical" },
      exp_annotations: { summary: "a: connections found no room in the table" },
    },
  ]);
});

test("promtool takes every query of the dashboard", () => {
  const { panels } = JSON.parse(
    readFileSync(new URL("../../docs/examples/nat-instance-dashboard.json", import.meta.url), "utf8"),
  ) as { readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[] };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(queries.length).toBeGreaterThan(9);
  // Grafana puts values in the place of its variables.
  const rules = queries.map((expr, at) => ({
    record: `query_${at}`,
    expr: expr.replaceAll("$__rate_interval", "5m"),
  }));
  writeFileSync(join(directory, "dashboard.yml"), stringify({ groups: [{ name: "dashboard", rules }] }));
  expect(run("usr/bin/promtool", "check", "rules", "dashboard.yml")).toContain(
    `${queries.length} rules found`,
  );
});
